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

// list finds the candidates of a subscription or an extension, in their order.
func (w *world) list(d *demand) {
	if d.extension != nil {
		d.candidates = w.extensionCandidates(d)
	} else {
		d.candidates = w.subscriptionCandidates(d)
	}
	if d.sub.Pin != "" {
		keep := func(n *bundle) bool { return n.Name != d.sub.Pin }
		d.candidates = slices.DeleteFunc(d.candidates, keep)
	}
	d.wanted, d.held = d.candidates, d.owned != nil && d.sub.Hold != ""
	if d.held {
		d.candidates = slices.DeleteFunc(slices.Clone(d.candidates), func(n *bundle) bool { return n != d.owned })
		if w.facts == nil {
			d.wanted = d.candidates
		}
	}
	if d.owned == nil {
		return
	}
	for _, n := range d.wanted {
		d.exclusive = d.exclusive || n.place != d.owned.place
	}
	if w.facts != nil { // the rule of its package may not count
		d.exclusive = !d.held
	}
	if d.exclusive {
		for _, n := range d.members() {
			n.groups = append(n.groups, d)
		}
	}
}

// members are the candidates and what the demand owns.
func (d *demand) members() []*bundle {
	all := d.wanted
	if d.owned != nil && !slices.Contains(all, d.owned) {
		all = append(slices.Clip(all), d.owned)
	}
	return all
}

// offer is a candidate and the channel that offers it, nil for the installed bundle.
type offer struct {
	*bundle
	from *graph.Channel
}

// subscriptionCandidates follows section 2.
func (w *world) subscriptionCandidates(d *demand) []*bundle {
	var list []offer
	stay := func() {
		if d.owned != nil && !slices.ContainsFunc(list, func(o offer) bool { return o.bundle == d.owned }) {
			list = append(list, offer{d.owned, nil})
		}
	}
	if w.req.Policy.Goal == resolver.MinimalChange {
		stay()
	}
	var aside []offer
	for c := range w.cats {
		pkg := w.cats[c].Content.Package(d.sub.Package)
		if pkg == nil || !d.sub.Catalog.IsZero() && d.sub.Catalog != w.cats[c].Key {
			continue
		}
		for _, ch := range wantedChannels(pkg, d.sub.Channels) {
			start := len(list)
			for _, b := range ch.Candidates() {
				switch {
				case !w.accepts(d, ch, b):
				case d.owned != nil && b.Name == d.owned.Name && b.Package == d.owned.Package:
					stay()
				default:
					list = append(list, offer{w.of(c, b), ch})
				}
			}
			if w.req.Policy.Goal == resolver.Oldest {
				slices.Reverse(list[start:])
			}
			if w.facts == nil || d.owned != nil {
				continue
			}
			for i := range ch.Entries { // what is set aside is kept out by a fact
				if b := ch.Entries[i].Bundle; b != nil && w.accepts(d, ch, b) && w.quarantined(c, b) {
					aside = append(aside, offer{w.of(c, b), ch})
				}
			}
		}
	}
	stay()
	if w.req.Policy.Deprecations == resolver.DeprecationsAvoid {
		list = w.avoid(d, list)
	}
	var out []*bundle
	seen := make(map[*bundle]bool, len(list))
	for _, o := range append(list, aside...) {
		if !seen[o.bundle] {
			seen[o.bundle] = true
			out = append(out, o.bundle)
		}
	}
	return out
}

// wantedChannels are the channels of a package in the order of a subscription.
func wantedChannels(pkg *graph.Package, names []string) []*graph.Channel {
	if len(names) == 0 {
		return pkg.Channels
	}
	var out []*graph.Channel
	for _, name := range names {
		if ch := pkg.Channel(name); ch != nil && !slices.Contains(out, ch) {
			out = append(out, ch)
		}
	}
	return out
}

// accepts applies steps 3 to 5 of section 2 to an entry of a channel.
func (w *world) accepts(d *demand, ch *graph.Channel, b *graph.Bundle) bool {
	if d.owned == nil && d.sub.StartingCSV != "" && b.Name != d.sub.StartingCSV {
		return false
	}
	if d.owned != nil && w.req.Policy.Upgrades != resolver.UpgradesSelfCertified && !edge(ch.Entry(b.Name), d.owned.Name, d.owned.version) {
		return false
	}
	return d.sub.VersionRange.IsZero() || d.sub.VersionRange.Contains(*b.Version)
}

// edge reports whether an entry has an edge from a bundle, whose version may not be known.
func edge(e *graph.Entry, name string, v *semver.Version) bool {
	return e.Replaces == name || slices.Contains(e.Skips(), name) || v != nil && !e.SkipRange().IsZero() && e.SkipRange().Contains(*v)
}

// avoid puts what is named by deprecations last, but for lower versions behind the installed one.
func (w *world) avoid(d *demand, list []offer) []offer {
	named := func(o offer) bool {
		channel := o.channel
		if o.from != nil {
			channel = o.from.Name
		} else if names := slices.Compact(slices.Sorted(slices.Values(d.sub.Channels))); channel == "" && len(names) == 1 {
			channel = names[0]
		}
		return w.deprecated(o.bundle, channel)
	}
	own := -1
	if d.owned != nil && d.owned.version != nil {
		own = slices.IndexFunc(list, func(o offer) bool { return o.bundle == d.owned })
	}
	var front, back []offer
	for i, o := range list {
		if own >= 0 && i > own && o.Version.LT(*d.owned.version) {
			back = append(back, o)
		} else {
			front = append(front, o)
		}
	}
	order := func(a, b offer) int { return first(!named(a), !named(b)) }
	slices.SortStableFunc(front, order)
	slices.SortStableFunc(back, order)
	return append(front, back...)
}

// deprecated reports whether an olm.deprecations blob names a bundle, its package or a channel.
func (w *world) deprecated(n *bundle, channel string) bool {
	var pkg *graph.Package
	for c := range w.cats {
		if n.cat >= 0 && n.cat != c {
			continue
		}
		if p := w.cats[c].Content.Package(n.Package); p != nil && (n.cat >= 0 || p.Bundle(n.Name) != nil) {
			pkg = p
			break
		}
	}
	if pkg == nil {
		return false
	}
	ch, b := pkg.Channel(channel), n.Bundle
	if n.installed {
		b = pkg.Bundle(n.Name)
	}
	return pkg.Deprecated || ch != nil && ch.Deprecated || b != nil && b.Deprecated
}

// extensionCandidates follows section 13.
func (w *world) extensionCandidates(d *demand) []*bundle {
	type offered struct {
		cat  int
		list []*graph.Bundle
	}
	var best []offered
	rank := func(a, b offered) int {
		return cmp.Or(first(!a.list[0].Deprecated, !b.list[0].Deprecated), cmp.Compare(w.cats[b.cat].Priority, w.cats[a.cat].Priority))
	}
	for c := range w.cats {
		pkg := w.cats[c].Content.Package(d.sub.Package)
		if pkg == nil || !d.extension.Catalogs.Matches(&w.cats[c]) {
			continue
		}
		list := slices.DeleteFunc(slices.Clone(pkg.Bundles), func(b *graph.Bundle) bool { return !w.extensionAccepts(d, pkg, b) })
		slices.SortStableFunc(list, func(a, b *graph.Bundle) int { return cmp.Or(first(!a.Deprecated, !b.Deprecated), declared(a, b)) })
		if len(list) > 0 {
			best = append(best, offered{c, list})
		}
	}
	if len(best) == 0 {
		return nil
	}
	slices.SortStableFunc(best, rank)
	if len(best) > 1 && rank(best[0], best[1]) == 0 {
		return nil
	}
	list := best[0].list
	if w.req.Policy.Dependencies != resolver.DependenciesPlan {
		if len(list[0].Constraints) > 0 {
			return nil
		}
		list = list[:1]
	}
	var out []*bundle
	for _, b := range list {
		if w.sameAsOwned(d, b) && b.Name == d.owned.Name {
			out = append(out, d.owned)
		} else {
			out = append(out, w.of(best[0].cat, b))
		}
	}
	return out
}

func (w *world) extensionAccepts(d *demand, pkg *graph.Package, b *graph.Bundle) bool {
	lists := func(ch *graph.Channel) bool { return ch.Entry(b.Name) != nil }
	channels := slices.DeleteFunc(slices.Clone(pkg.Channels), func(ch *graph.Channel) bool {
		return len(d.sub.Channels) > 0 && !slices.Contains(d.sub.Channels, ch.Name)
	})
	same := w.sameAsOwned(d, b)
	switch {
	case b.Quarantine != nil || len(d.sub.Channels) > 0 && !slices.ContainsFunc(channels, lists):
		return false
	case b.Barred && !(same && b.Name == d.owned.Name):
		return false
	case !within(d.extension.VersionRange, *b.Version):
		return false
	case d.owned == nil || same || cmp.Or(d.extension.Upgrades, w.req.Policy.Upgrades) == resolver.UpgradesSelfCertified:
		return true
	}
	for _, ch := range channels {
		for i := range ch.Entries {
			if e := &ch.Entries[i]; e.Name == b.Name && edge(e, d.owned.Name, d.owned.version) {
				return true
			}
		}
	}
	return false
}

// sameAsOwned reports whether a bundle is what an extension owns, whatever its name.
func (w *world) sameAsOwned(d *demand, b *graph.Bundle) bool {
	n := d.owned
	switch {
	case n == nil || n.Package != "" && n.Package != b.Package:
		return false
	case n.version == nil:
		return b.Name == n.Name
	}
	in := &w.req.Installed[n.inst]
	var said properties.Release
	if known := w.known(in, n.Package); in.Properties != nil {
		p, _ := in.Properties.Package()
		said = p.Release
	} else if known != nil && known.Version.String() == n.version.String() {
		said = known.Release
	}
	return properties.CompareVersions(*b.Version, release(*b.Version, b.Release), *n.version, release(*n.version, said)) == 0
}

// release is the release that is declared, else the build metadata where that is a valid one.
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

// declared orders bundles of a package: the highest version and release first.
func declared(a, b *graph.Bundle) int {
	return cmp.Or(properties.CompareVersions(*b.Version, release(*b.Version, b.Release), *a.Version, release(*a.Version, a.Release)),
		cmp.Compare(a.Order, b.Order), strings.Compare(a.Name, b.Name))
}

// within reports whether a version is in a range as OLM v1 reads it.
func within(text string, v semver.Version) bool {
	if text == "" {
		return true
	}
	r, err := masterminds.NewConstraint(text)
	if err != nil {
		return false
	}
	var pre []string
	for _, p := range v.Pre {
		pre = append(pre, p.String())
	}
	return r.Check(masterminds.New(v.Major, v.Minor, v.Patch, strings.Join(pre, "."), ""))
}

// first orders what has a quality before what does not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
