package resolver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Who owns what (sections 1 and 5 of the semantics): a subscription says so of a
// bundle, or a bundle of a subscription; and a bundle that came in as a dependency
// has a subscription of its own, as OLM gives it one.

// GeneratedName is the name that OLM gives to the subscription of a bundle that
// came in as a dependency: its package, the channel and the catalog that it was
// chosen from (section 5 of the semantics).
func GeneratedName(pkg, channel string, catalog cache.Key) string {
	return strings.Join([]string{pkg, channel, catalog.Name, catalog.Namespace}, "-")
}

// ownersByInstalled finds the package of the first subscription that owns each
// installed bundle, as far as subscriptions of the request say so.
func (p *resolution) ownersByInstalled() map[int32]string {
	owners := make(map[int32]string)
	recorded, asked := p.recordedOwners(), targets(p.req)
	for i := range asked {
		sub := &asked[i]
		if own := p.ownedBy(sub, recorded); own != noInstalled && owners[own] == "" {
			owners[own] = sub.Package
		}
	}
	return owners
}

// recordedOwners finds for each subscription the first installed bundle that counts
// and says of itself that the subscription owns it.
func (p *resolution) recordedOwners() map[string]int32 {
	var owned map[string]int32
	for i := range p.req.Installed {
		name := p.req.Installed[i].Subscription
		if _, known := owned[name]; name == "" || known {
			continue
		}
		if owned == nil {
			owned = make(map[string]int32)
		}
		owned[name] = p.currentInstalled(p.req.Installed[i].Name)
	}
	return owned
}

// ownedBy returns the installed bundle that a subscription owns, from whichever
// side the request says so; noInstalled if it owns none.
func (p *resolution) ownedBy(sub *Subscription, recorded map[string]int32) int32 {
	if i := p.currentInstalled(sub.InstalledCSV); i != noInstalled {
		return i
	}
	if i, ok := recorded[sub.Name]; ok {
		return i
	}
	return noInstalled
}

// addOwners lists the subscriptions that take part, with what each owns: those of
// the request in their order, then by name those that came with a dependency, among
// them one for each automatic bundle that nobody else owns.
func (p *resolution) addOwners() []int32 {
	p.asked = targets(p.req)
	owns := make([]int32, len(p.asked))
	recorded := p.recordedOwners()
	owned := make([]bool, len(p.req.Installed))
	ordered := true
	for i := range p.asked {
		own := p.ownedBy(&p.asked[i], recorded)
		if owns[i] = own; own != noInstalled {
			owned[own] = true
		}
		if p.asked[i].Generated && (i+1 < len(p.asked) && !p.asked[i+1].Generated || i > 0 && p.asked[i-1].Generated && p.asked[i-1].Name > p.asked[i].Name) {
			ordered = false
		}
	}
	if len(p.req.Extensions) > 0 {
		return owns
	}
	generated := p.generate(owned)
	if ordered && len(generated) == 0 {
		return owns
	}
	return p.orderOwners(owns, generated)
}

// withGenerated returns a request in which the subscriptions that are generated for
// its automatic bundles are written down.
func withGenerated(req Request) Request {
	if len(req.Extensions) > 0 || !slices.ContainsFunc(req.Installed, func(in Installed) bool { return in.Automatic }) {
		return req
	}
	p := resolution{req: &req}
	p.problem.Cats = p.usableCatalogs()
	p.indexInstalled()
	p.addOwners()
	out := req
	out.Subscriptions = p.asked
	return out
}

// orderOwners brings the subscriptions of the request and generated ones into the
// order in which they are decided.
func (p *resolution) orderOwners(owns []int32, generated []ownedSubscription) []int32 {
	all := make([]ownedSubscription, 0, len(p.asked)+len(generated))
	for i := range p.asked {
		all = append(all, ownedSubscription{p.asked[i], owns[i]})
	}
	all = append(all, generated...)
	slices.SortStableFunc(all, func(a, b ownedSubscription) int {
		if a.Generated && b.Generated {
			return strings.Compare(a.Name, b.Name)
		}
		return problem.First(!a.Generated, !b.Generated)
	})
	p.asked, owns = make([]Subscription, len(all)), make([]int32, len(all))
	for i := range all {
		p.asked[i], owns[i] = all[i].Subscription, all[i].owns
	}
	return owns
}

type ownedSubscription struct {
	Subscription
	owns int32
}

// generate makes a subscription for each automatic bundle that nobody owns and that
// is known to have come from one place.
func (p *resolution) generate(owned []bool) []ownedSubscription {
	var out []ownedSubscription
	var taken map[string]int
	for i := range p.req.Installed {
		in, pkg := &p.req.Installed[i], p.instPkg[i]
		if !in.Automatic || owned[i] || pkg == "" || p.replaced(int32(i)) {
			continue
		}
		catalog, channel, ok := p.cameFrom(in, pkg)
		if !ok {
			continue
		}
		if taken == nil {
			taken = make(map[string]int, len(p.asked))
			for k := range p.asked {
				taken[p.asked[k].Name] = k
			}
		}
		sub := generatedFor(pkg, channel, catalog, in.Name, taken)
		out = append(out, ownedSubscription{sub, int32(i)})
	}
	return out
}

// generatedFor is the subscription of a bundle that came in as a dependency, under
// the first name that is not taken yet.
func generatedFor(pkg, channel string, catalog cache.Key, bundle string, taken map[string]int) Subscription {
	base := GeneratedName(pkg, channel, catalog)
	name, k := base, 2
	for _, used := taken[name]; used; _, used = taken[name] {
		name = fmt.Sprintf("%s-%d", base, k)
		k++
	}
	taken[name] = len(taken)
	return Subscription{Name: name, Package: pkg, Channels: []string{channel}, Catalog: catalog,
		StartingCSV: bundle, InstalledCSV: bundle, Generated: true}
}

// cameFrom finds the one place that an installed bundle can have come from: the
// catalog and channel that the request gives, else the only ones that list it.
func (p *resolution) cameFrom(in *Installed, pkg string) (catalog cache.Key, channel string, ok bool) {
	if in.Channel != "" && in.Catalog != (cache.Key{}) {
		return in.Catalog, in.Channel, true
	}
	places := 0
	for _, c := range p.problem.Cats {
		of := c.Content.Package(pkg)
		if of == nil || in.Catalog != (cache.Key{}) && c.Key != in.Catalog {
			continue
		}
		for _, ch := range of.Channels {
			if (in.Channel == "" || ch.Name == in.Channel) && ch.Entry(in.Name) != nil {
				catalog, channel = c.Key, ch.Name
				places++
			}
		}
	}
	return catalog, channel, places == 1
}
