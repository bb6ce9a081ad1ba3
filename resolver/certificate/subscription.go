package certificate

import (
	"cmp"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
)

// offer is a candidate and the channel that it comes from.
type offer struct {
	*node
	channel string
	class   int // of policy Avoid: a lower one is better
}

// candidates lists the candidates of a subscription in their order (section 2).
func (w *world) candidates(d *demand) (out []*node) {
	var list, aside []offer
	keep := func() {
		if d.owned != nil {
			list = append(list, offer{node: d.owned, channel: d.owned.in.Channel})
		}
	}
	if goal := w.req.Policy.Goal; goal == resolver.MinimalChange || goal == resolver.Nearest {
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
				case !w.accepts(d, ch, b):
				case d.owned != nil && b.Name == d.owned.Name && b.Package == d.owned.Package:
					keep()
				default:
					list = append(list, offer{node: w.at(c, b), channel: ch.Name})
				}
			}
			w.toward(d, list[start:])
			for i := range ch.Entries {
				// A fact keeps out what is quarantined, unless the subscription has something to keep.
				if b := ch.Entries[i].Bundle; d.owned == nil && b != nil && w.quarantined(c, b) && w.accepts(d, ch, b) {
					aside = append(aside, offer{node: w.at(c, b), channel: ch.Name})
				}
			}
		}
	}
	if keep(); w.req.Policy.Deprecations == resolver.DeprecationsAvoid {
		w.avoid(d, list)
	}
	for _, o := range append(list, aside...) {
		if o.listed != d {
			o.listed = d
			out = append(out, o.node)
		}
	}
	return out
}

// toward orders the candidates of a channel, highest first, by the goal of the request.
func (w *world) toward(d *demand, list []offer) {
	switch w.req.Policy.Goal {
	case resolver.Oldest:
		slices.Reverse(list)
	case resolver.Nearest:
		if d.owned == nil {
			return
		}
		var lower, others []offer
		for _, o := range list {
			if own := d.owned.Version; own != nil && o.node != d.owned && o.Version.LT(*own) {
				lower = append(lower, o)
			} else {
				others = append(others, o)
			}
		}
		slices.Reverse(others)
		copy(list, append(others, lower...))
	}
}

// wanted lists the channels of a package in the order of a subscription.
func wanted(pkg *graph.Package, names []string) (out []*graph.Channel) {
	if len(names) == 0 {
		return pkg.Channels
	}
	for _, name := range names {
		if ch := pkg.Channel(name); ch != nil {
			out = append(out, ch)
		}
	}
	return out
}

// accepts applies steps 3 to 5 of section 2 to a bundle of a channel.
func (w *world) accepts(d *demand, ch *graph.Channel, b *graph.Bundle) bool {
	switch {
	case d.owned == nil && d.sub.StartingCSV != "" && b.Name != d.sub.StartingCSV:
		return false
	case d.owned != nil && w.req.Policy.Upgrades != resolver.UpgradesSelfCertified && !upgrades(ch.Entry(b.Name), d.owned):
		return false
	}
	return d.sub.VersionRange.IsZero() || d.sub.VersionRange.Contains(*b.Version)
}

// upgrades reports whether an entry has an edge from a bundle, whose version may be unknown.
func upgrades(e *graph.Entry, n *node) bool {
	if n.Version == nil {
		return e.Replaces == n.Name || slices.Contains(e.Skips(), n.Name)
	}
	return e.Upgrades(n.Name, *n.Version)
}

// avoid puts what is deprecated last, but for lower versions behind the installed one.
func (w *world) avoid(d *demand, list []offer) {
	behind := false // the installed one
	names := slices.Compact(slices.Sorted(slices.Values(d.sub.Channels)))
	for i := range list {
		o := &list[i]
		if o.channel == "" && len(names) == 1 {
			o.channel = names[0]
		}
		if w.deprecated(o.node, o.channel) {
			o.class++
		}
		if o.node == d.owned {
			behind = o.Version != nil
		} else if behind && o.Version.LT(*d.owned.Version) {
			o.class += 2
		}
	}
	slices.SortStableFunc(list, func(a, b offer) int { return cmp.Compare(a.class, b.class) })
}
