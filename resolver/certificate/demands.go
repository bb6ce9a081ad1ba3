package certificate

import (
	"cmp"
	"slices"
	"strings"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// demand makes the rules of the root in the order of their decisions (step 1 of section 6).
func (w *world) demand() {
	subs, taken, owned := w.requested(), make(map[string]bool), make(map[*node]bool)
	for _, d := range subs {
		d.owned = w.nodeOf(w.owns(d))
		owned[d.owned] = true
		taken[d.sub.Name] = true
	}
	if len(w.req.Extensions) == 0 {
		subs = append(subs, w.generated(taken, owned)...)
		slices.SortStableFunc(subs, func(a, b *demand) int {
			if c := before(!a.sub.Generated, !b.sub.Generated); c != 0 || !a.sub.Generated {
				return c
			}
			return strings.Compare(a.sub.Name, b.sub.Name)
		})
	}
	clear(owned)
	for _, d := range subs {
		w.order = append(w.order, d.sub.Name)
	}
	for _, d := range subs {
		if !w.dropped(d) {
			owned[d.owned] = true
		}
	}
	for _, n := range w.installed {
		if !owned[n] || w.stage.broken[n.Name] {
			w.require(&demand{what: resolver.ProofDemand{Installed: n.Name}, candidates: []*node{n}}, fact{Kind: "installed", Subject: n.Name})
		}
	}
	for _, d := range subs {
		if !w.dropped(d) {
			w.subscribe(d)
		}
	}
	for i, ref := range w.req.Force {
		d := &demand{what: resolver.ProofDemand{Forced: ref.Name}}
		for _, n := range w.installed {
			if w.means(ref, n) {
				d.candidates = append(d.candidates, n)
			}
		}
		for c := range w.cats {
			for _, id := range w.cats[c].Content.Named(ref.Name) {
				if b := w.cats[c].Content.Bundle(id); w.offered(c, b) && w.means(ref, w.at(c, b)) {
					d.candidates = append(d.candidates, w.at(c, b))
				}
			}
		}
		if w.stage.next == nil || w.stage.next.Subscription != "" {
			w.require(d, fact{Kind: "forced", Subject: ref.Name, Index: i})
		}
	}
}

// dropped reports whether a subscription demands nothing: it is left out, or not admitted yet and
// owns nothing.
func (w *world) dropped(d *demand) bool {
	return w.stage.dropped[d.sub.Name] || d.owned == nil && w.pending(d)
}

// pending reports whether a subscription is not admitted yet under policy Partial: what it owns
// stays or is replaced by a candidate.
func (w *world) pending(d *demand) bool {
	switch next := w.stage.next; {
	case next == nil:
		return w.facts != nil && w.req.Policy.Failures == resolver.FailuresPartial
	case next.Installed != "":
		return true
	default:
		return slices.Index(w.order, d.sub.Name) > slices.Index(w.order, next.Subscription)
	}
}

// rank orders what policy Partial leaves out: installed bundles as in the request, then
// subscriptions as they are decided; -1 for what there is not.
func (w *world) rank(l *resolver.ProofLeft) int {
	if i, known := w.index[l.Installed]; known && l.Subscription == "" {
		return i
	}
	if i := slices.Index(w.order, l.Subscription); i >= 0 && l.Installed == "" {
		return len(w.req.Installed) + i
	}
	return -1
}

// require adds a demand and the rule that a candidate of it is in the set.
func (w *world) require(d *demand, facts ...fact) {
	w.demands = append(w.demands, d)
	w.root.rules = append(w.root.rules, rule{&goal{list: d.candidates}, facts})
}

// subscribe adds the demand of a subscription or an extension. Of an unsatisfiable request its hold
// is a fact of its own.
func (w *world) subscribe(d *demand) {
	d.what.Subscription = d.sub.Name
	if d.candidates = w.candidates(d); d.extension != nil {
		d.candidates = w.extensionCandidates(d)
	}
	if d.sub.Pin != "" {
		d.candidates = slices.DeleteFunc(d.candidates, func(n *node) bool { return n.Name != d.sub.Pin })
	}
	if d.owned != nil && w.stage.broken[d.owned.Name] {
		d.candidates = []*node{d.owned}
	}
	if d.owned != nil && w.pending(d) && !slices.Contains(d.candidates, d.owned) {
		d.candidates = append(d.candidates, d.owned)
	}
	facts, held := []fact{{Kind: "subscription", Subject: d.sub.Name}}, d.owned != nil && d.sub.Hold != ""
	stays := slices.DeleteFunc(slices.Clone(d.candidates), func(n *node) bool { return n != d.owned })
	if held && w.facts == nil {
		d.candidates = stays
	}
	if d.owned != nil && !held { // at most one of its candidates and what it owns is in the set
		p := &place{fact: facts[0]}
		for _, n := range append(slices.Clip(d.candidates), d.owned) {
			n.places = append(n.places, p)
		}
	}
	if len(d.candidates) == 0 {
		facts = append(facts, fact{Kind: "noCandidate", Subject: d.sub.Name})
	}
	if w.require(d, facts...); held && w.facts != nil {
		w.root.rules = append(w.root.rules, rule{&goal{list: stays}, []fact{facts[0], {Kind: "hold", Subject: d.sub.Name}}})
	}
}

// offer is a candidate and the channel that it comes from.
type offer struct {
	*node
	channel string
}

// candidates lists the candidates of a subscription in their order (section 2).
func (w *world) candidates(d *demand) (out []*node) {
	var list, aside []offer
	keep := func() {
		if d.owned != nil && !slices.ContainsFunc(list, func(o offer) bool { return o.node == d.owned }) {
			list = append(list, offer{d.owned, d.owned.in.Channel})
		}
	}
	if w.req.Policy.Goal == resolver.MinimalChange {
		keep()
	}
	for c := range w.cats {
		pkg := w.cats[c].Content.Package(d.sub.Package)
		if pkg == nil || !d.sub.Catalog.IsZero() && d.sub.Catalog != w.cats[c].Key {
			continue
		}
		for _, ch := range wanted(pkg, d.sub.Channels) {
			start := len(list)
			for _, b := range ch.Candidates() {
				switch {
				case !w.accepts(d, ch.Entry(b.Name), b):
				case d.owned != nil && b.Name == d.owned.Name && b.Package == d.owned.Package:
					keep()
				default:
					list = append(list, offer{w.at(c, b), ch.Name})
				}
			}
			if w.req.Policy.Goal == resolver.Oldest {
				slices.Reverse(list[start:])
			}
			for i := range ch.Entries {
				// A fact keeps out what is quarantined, unless the subscription has something to keep.
				if b := ch.Entries[i].Bundle; d.owned == nil && b != nil && w.quarantined(c, b) && w.accepts(d, &ch.Entries[i], b) {
					aside = append(aside, offer{w.at(c, b), ch.Name})
				}
			}
		}
	}
	keep()
	if w.req.Policy.Deprecations == resolver.DeprecationsAvoid {
		w.avoid(d, list)
	}
	seen := make(map[*node]bool, len(list))
	for _, o := range append(list, aside...) {
		if !seen[o.node] {
			seen[o.node] = true
			out = append(out, o.node)
		}
	}
	return out
}

// wanted lists the channels of a package in the order of a subscription.
func wanted(pkg *graph.Package, names []string) (out []*graph.Channel) {
	if len(names) == 0 {
		return pkg.Channels
	}
	for _, name := range names {
		if ch := pkg.Channel(name); ch != nil && !slices.Contains(out, ch) {
			out = append(out, ch)
		}
	}
	return out
}

// accepts applies steps 3 to 5 of section 2 to an entry of a channel.
func (w *world) accepts(d *demand, e *graph.Entry, b *graph.Bundle) bool {
	switch {
	case d.owned == nil && d.sub.StartingCSV != "" && b.Name != d.sub.StartingCSV:
		return false
	case d.owned != nil && w.req.Policy.Upgrades != resolver.UpgradesSelfCertified && !upgrades(e, d.owned):
		return false
	}
	return d.sub.VersionRange.IsZero() || d.sub.VersionRange.Contains(*b.Version)
}

// upgrades reports whether an entry has an edge from a bundle, whose version may be unknown.
func upgrades(e *graph.Entry, n *node) bool {
	if n.version == nil {
		return e.Replaces == n.Name || slices.Contains(e.Skips(), n.Name)
	}
	return e.Upgrades(n.Name, *n.version)
}

// avoid puts what is deprecated last, but for lower versions behind the installed one.
func (w *world) avoid(d *demand, list []offer) {
	own := slices.IndexFunc(list, func(o offer) bool { return o.node == d.owned && o.version != nil })
	class := make(map[offer]int, len(list))
	for i, o := range list {
		channel := o.channel
		if names := slices.Compact(slices.Sorted(slices.Values(d.sub.Channels))); channel == "" && len(names) == 1 {
			channel = names[0]
		}
		if own >= 0 && i > own && o.Version.LT(*d.owned.version) {
			class[o] = 2
		}
		if w.deprecated(o.node, channel) {
			class[o]++
		}
	}
	slices.SortStableFunc(list, func(a, b offer) int { return cmp.Compare(class[a], class[b]) })
}

// extensionCandidates lists the candidates of an extension in their order (section 13): those of
// the one best catalog.
func (w *world) extensionCandidates(d *demand) (out []*node) {
	type catalog struct {
		cat  int
		list []*graph.Bundle
	}
	versions, err := masterminds.NewConstraint(cmp.Or(d.extension.VersionRange, ">=0.0.0-0"))
	if err != nil {
		return nil
	}
	var offers []catalog
	for c := range w.cats {
		pkg := w.cats[c].Content.Package(d.sub.Package)
		if pkg == nil || !d.extension.Catalogs.Matches(&w.cats[c]) {
			continue
		}
		list := slices.DeleteFunc(slices.Clone(pkg.Bundles), func(b *graph.Bundle) bool { return !versions.Check(w.version(b)) || !w.extensionAccepts(d, pkg, b) })
		slices.SortStableFunc(list, func(a, b *graph.Bundle) int { return cmp.Or(before(!a.Deprecated, !b.Deprecated), declared(a, b)) })
		if len(list) > 0 {
			offers = append(offers, catalog{c, list})
		}
	}
	rank := func(a, b catalog) int {
		return cmp.Or(before(!a.list[0].Deprecated, !b.list[0].Deprecated), cmp.Compare(w.cats[b.cat].Priority, w.cats[a.cat].Priority))
	}
	slices.SortStableFunc(offers, rank)
	if len(offers) == 0 || len(offers) > 1 && rank(offers[0], offers[1]) == 0 {
		return nil
	}
	list := offers[0].list
	if w.req.Policy.Dependencies != resolver.DependenciesPlan {
		if list = list[:1]; len(list[0].Constraints) > 0 {
			return nil
		}
	}
	for _, b := range list {
		if n := d.owned; n != nil && b.Name == n.Name && w.same(n, b) {
			out = append(out, n)
		} else {
			out = append(out, w.at(offers[0].cat, b))
		}
	}
	return out
}

func (w *world) extensionAccepts(d *demand, pkg *graph.Package, b *graph.Bundle) bool {
	var entries []*graph.Entry // of the requested channels, which may be declared twice
	for _, e := range w.listings(pkg)[b.Name] {
		if len(d.sub.Channels) == 0 || slices.Contains(d.sub.Channels, e.channel) {
			entries = append(entries, e.entry)
		}
	}
	same := d.owned != nil && w.same(d.owned, b)
	switch {
	case b.Quarantine != nil, len(d.sub.Channels) > 0 && len(entries) == 0, b.Barred && !(same && b.Name == d.owned.Name):
		return false
	case d.owned == nil, same, cmp.Or(d.extension.Upgrades, w.req.Policy.Upgrades) == resolver.UpgradesSelfCertified:
		return true
	}
	return slices.ContainsFunc(entries, func(e *graph.Entry) bool { return upgrades(e, d.owned) })
}

// listing is an entry of a channel.
type listing struct {
	channel string
	entry   *graph.Entry
}

// listings returns the entries of a package by the name of their bundle.
func (w *world) listings(pkg *graph.Package) map[string][]listing {
	list, known := w.listed[pkg]
	if !known {
		list = make(map[string][]listing)
		for _, ch := range pkg.Channels {
			for i := range ch.Entries {
				e := &ch.Entries[i]
				list[e.Name] = append(list[e.Name], listing{ch.Name, e})
			}
		}
		w.listed[pkg] = list
	}
	return list
}

// same reports whether a bundle is the installed one, whatever its name.
func (w *world) same(n *node, b *graph.Bundle) bool {
	switch {
	case n.Package != "" && n.Package != b.Package:
		return false
	case n.version == nil:
		return b.Name == n.Name
	}
	said := n.in.Release
	switch known := w.known(n.in, n.Package); {
	case said != "":
	case n.in.Properties != nil:
		p, _ := n.in.Properties.Package()
		said = p.Release
	case known != nil && known.Version.String() == n.version.String():
		said = known.Release
	}
	return properties.CompareVersions(*b.Version, release(*b.Version, b.Release), *n.version, release(*n.version, said)) == 0
}

// release is the release that is declared, else the build metadata if that is a valid one.
func release(v semver.Version, declared properties.Release) properties.Release {
	if declared != "" || len(v.Build) == 0 {
		return declared
	}
	r, err := properties.ParseRelease(strings.Join(v.Build, "."))
	if err != nil {
		return ""
	}
	return r
}

// declared orders bundles of a package: the highest version and release first, then as declared.
func declared(a, b *graph.Bundle) int {
	return cmp.Or(properties.CompareVersions(*b.Version, release(*b.Version, b.Release), *a.Version, release(*a.Version, a.Release)),
		cmp.Compare(a.Order, b.Order), strings.Compare(a.Name, b.Name))
}

// version returns the version of a bundle as ranges of OLM v1 compare it: without build metadata.
func (w *world) version(b *graph.Bundle) *masterminds.Version {
	v, known := w.versions[b]
	if !known {
		var pre []string
		for _, p := range b.Version.Pre {
			pre = append(pre, p.String())
		}
		v = masterminds.New(b.Version.Major, b.Version.Minor, b.Version.Patch, strings.Join(pre, "."), "")
		w.versions[b] = v
	}
	return v
}
