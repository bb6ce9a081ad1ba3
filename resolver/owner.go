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
func (v *inventory) ownersByInstalled() map[int32]string {
	owners := make(map[int32]string)
	recorded, asked := v.recordedOwners(), targets(v.req)
	for i := range asked {
		sub := &asked[i]
		if own := v.ownedBy(sub, recorded); own != noInstalled && owners[own] == "" {
			owners[own] = sub.Package
		}
	}
	return owners
}

// recordedOwners finds for each subscription the first installed bundle that counts
// and says of itself that the subscription owns it.
func (v *inventory) recordedOwners() map[string]int32 {
	var owned map[string]int32
	for i := range v.req.Installed {
		name := v.req.Installed[i].Subscription
		if _, known := owned[name]; name == "" || known {
			continue
		}
		if owned == nil {
			owned = make(map[string]int32)
		}
		owned[name] = v.current(v.req.Installed[i].Name)
	}
	return owned
}

// ownedBy returns the installed bundle that a subscription owns, from whichever
// side the request says so; noInstalled if it owns none.
func (v *inventory) ownedBy(sub *Subscription, recorded map[string]int32) int32 {
	if i := v.current(sub.InstalledCSV); i != noInstalled {
		return i
	}
	if i, ok := recorded[sub.Name]; ok {
		return i
	}
	return noInstalled
}

// owners lists the subscriptions that take part, with what each owns: those of
// the request in their order, then by name those that came with a dependency, among
// them one for each automatic bundle that nobody else owns.
func (v *inventory) owners() (asked []Subscription, owns []int32) {
	asked = targets(v.req)
	owns = make([]int32, len(asked))
	recorded := v.recordedOwners()
	owned := make([]bool, len(v.req.Installed))
	ordered := true
	for i := range asked {
		own := v.ownedBy(&asked[i], recorded)
		if owns[i] = own; own != noInstalled {
			owned[own] = true
		}
		if asked[i].Generated && (i+1 < len(asked) && !asked[i+1].Generated || i > 0 && asked[i-1].Generated && asked[i-1].Name > asked[i].Name) {
			ordered = false
		}
	}
	if len(v.req.Extensions) > 0 {
		return asked, owns
	}
	generated := v.generate(asked, owned)
	if ordered && len(generated) == 0 {
		return asked, owns
	}
	return inOrder(asked, owns, generated)
}

// withGenerated returns a request in which the subscriptions that are generated for
// its automatic bundles are written down.
func withGenerated(req Request) Request {
	if len(req.Extensions) > 0 || !slices.ContainsFunc(req.Installed, func(in Installed) bool { return in.Automatic }) {
		return req
	}
	v := newInventory(&req, usableCatalogs(&req))
	out := req
	out.Subscriptions, _ = v.owners()
	return out
}

// inOrder brings the subscriptions of the request and generated ones into the
// order in which they are decided.
func inOrder(asked []Subscription, owns []int32, generated []ownedSubscription) ([]Subscription, []int32) {
	all := make([]ownedSubscription, 0, len(asked)+len(generated))
	for i := range asked {
		all = append(all, ownedSubscription{asked[i], owns[i]})
	}
	all = append(all, generated...)
	slices.SortStableFunc(all, func(a, b ownedSubscription) int {
		if a.Generated && b.Generated {
			return strings.Compare(a.Name, b.Name)
		}
		return problem.First(!a.Generated, !b.Generated)
	})
	asked, owns = make([]Subscription, len(all)), make([]int32, len(all))
	for i := range all {
		asked[i], owns[i] = all[i].Subscription, all[i].owns
	}
	return asked, owns
}

type ownedSubscription struct {
	Subscription
	owns int32
}

// generate makes a subscription for each automatic bundle that nobody owns and that
// is known to have come from one place.
func (v *inventory) generate(asked []Subscription, owned []bool) []ownedSubscription {
	var out []ownedSubscription
	var taken map[string]int
	for i := range v.req.Installed {
		in, pkg := &v.req.Installed[i], v.pkg[i]
		if !in.Automatic || owned[i] || pkg == "" || v.replaced(int32(i)) {
			continue
		}
		catalog, channel, ok := v.cameFrom(in, pkg)
		if !ok {
			continue
		}
		if taken == nil {
			taken = make(map[string]int, len(asked))
			for k := range asked {
				taken[asked[k].Name] = k
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
func (v *inventory) cameFrom(in *Installed, pkg string) (catalog cache.Key, channel string, ok bool) {
	if in.Channel != "" && in.Catalog != (cache.Key{}) {
		return in.Catalog, in.Channel, true
	}
	places := 0
	for _, c := range v.cats {
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
