package resolver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Ownership (sections 1 and 5 of the semantics): a subscription names its bundle, a bundle names
// its subscription, or OLM generates a subscription for a bundle that was installed as a
// dependency.

// GeneratedName returns the name of the subscription that OLM generates for a dependency: its
// package, channel, and the name and namespace of its catalog, joined by "-" (section 5 of the
// semantics).
func GeneratedName(pkg, channel string, catalog cache.Key) string {
	return strings.Join([]string{pkg, channel, catalog.Name, catalog.Namespace}, "-")
}

// demand is a subscription or an extension, with the index of the installed bundle that it owns.
type demand struct {
	*Subscription            // for an extension, the common fields
	extension     *Extension // nil for a subscription
	owns          int32
}

// explicitDemands lists the demands of the request itself, in order.
func (v *inventory) explicitDemands() []demand {
	if v.requested != nil {
		return v.requested
	}
	req, recorded := v.req, v.recordedOwners()
	all := make([]demand, 0, len(req.Subscriptions)+len(req.Extensions))
	if len(req.Extensions) == 0 {
		for i := range req.Subscriptions {
			all = append(all, demand{Subscription: &req.Subscriptions[i]})
		}
	}
	for i := range req.Extensions {
		e := &req.Extensions[i]
		all = append(all, demand{&Subscription{Name: e.Name, Package: e.Package, Channels: e.Channels, InstalledCSV: e.InstalledCSV, Pin: e.Pin}, e, 0})
	}
	for i := range all {
		all[i].owns = v.ownedBy(all[i].Subscription, recorded)
	}
	v.requested = all
	return all
}

// Owned maps the name of each subscription and extension that owns an installed bundle to the
// name of that bundle. A bundle that is being replaced counts as its final replacement (section
// 1 of the semantics).
func (req *Request) Owned() map[string]string {
	v := inventory{req: req}
	v.indexNames()
	return v.owned()
}

func (v *inventory) owned() map[string]string {
	owned := make(map[string]string)
	for _, d := range v.explicitDemands() {
		if d.owns != noInstalled {
			owned[d.Name] = v.req.Installed[d.owns].Name
		}
	}
	return owned
}

// ownersByInstalled maps each owned bundle to the package of the first subscription that owns
// it.
func (v *inventory) ownersByInstalled() map[int32]string {
	owners := make(map[int32]string)
	for _, a := range v.explicitDemands() {
		if a.owns != noInstalled && owners[a.owns] == "" {
			owners[a.owns] = a.Package
		}
	}
	return owners
}

// recordedOwners maps each subscription to the first installed bundle that names it as owner.
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

// ownedBy returns the installed bundle that a subscription owns, whichever of the two records
// it; noInstalled if it owns none.
func (v *inventory) ownedBy(sub *Subscription, recorded map[string]int32) int32 {
	if i := v.current(sub.InstalledCSV); i != noInstalled {
		return i
	}
	if i, ok := recorded[sub.Name]; ok {
		return i
	}
	return noInstalled
}

// demands lists all demands: those of the request in order, then generated subscriptions by
// name, including one for each unowned automatic bundle.
func (v *inventory) demands() []demand {
	all := v.explicitDemands()
	if len(v.req.Extensions) > 0 {
		return all
	}
	more := v.generate(all)
	if len(more) == 0 && !slices.ContainsFunc(all, func(d demand) bool { return d.Generated }) {
		return all
	}
	all = append(slices.Clone(all), more...)
	slices.SortStableFunc(all, func(a, b demand) int {
		if a.Generated && b.Generated {
			return strings.Compare(a.Name, b.Name)
		}
		return problem.First(!a.Generated, !b.Generated)
	})
	return all
}

// withGenerated returns the request with the subscriptions generated for automatic bundles
// added.
func withGenerated(req Request) Request {
	if len(req.Extensions) > 0 || !slices.ContainsFunc(req.Installed, func(in Installed) bool { return in.Automatic }) {
		return req
	}
	v := newInventory(&req, usableCatalogs(&req))
	out := req
	out.Subscriptions = nil
	for _, a := range v.demands() {
		out.Subscriptions = append(out.Subscriptions, *a.Subscription)
	}
	return out
}

// generate returns a subscription for each unowned automatic bundle whose catalog and channel
// are unambiguous.
func (v *inventory) generate(explicit []demand) []demand {
	var out []demand
	var taken map[string]int
	owned := make([]bool, len(v.req.Installed))
	for _, a := range explicit {
		if a.owns != noInstalled {
			owned[a.owns] = true
		}
	}
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
			taken = make(map[string]int, len(explicit))
			for k := range explicit {
				taken[explicit[k].Name] = k
			}
		}
		sub := generated(pkg, channel, catalog, in.Name)
		sub.Name = free(sub.Name, taken)
		out = append(out, demand{&sub, nil, int32(i)})
	}
	return out
}

// generated returns the subscription of a bundle that was installed as a dependency.
func generated(pkg, channel string, catalog cache.Key, bundle string) Subscription {
	return Subscription{Name: GeneratedName(pkg, channel, catalog), Package: pkg, Channels: []string{channel}, Catalog: catalog,
		StartingCSV: bundle, InstalledCSV: bundle, Generated: true}
}

// free returns the first unused name made from base, and marks it as used.
func free(base string, taken map[string]int) string {
	name, k := base, 2
	for _, used := taken[name]; used; _, used = taken[name] {
		name = fmt.Sprintf("%s-%d", base, k)
		k++
	}
	taken[name] = len(taken)
	return name
}

// cameFrom returns the catalog and channel of an installed bundle: the recorded ones, else the
// only ones that list it.
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
