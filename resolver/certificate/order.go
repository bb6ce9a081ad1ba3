package certificate

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
)

// options goes through the bundles that match an atom, in the order of section 4 as a bundle
// of a catalog sees them.
func (w *world) options(a *atom, own int) iter.Seq[*bundle] {
	if w.ranked {
		return slices.Values(w.sorted(a, own))
	}
	return func(yield func(*bundle) bool) {
		var in []*bundle
		for _, n := range w.installed {
			if n != nil && w.matches(a, n) {
				in = append(in, n)
			}
		}
		if len(in) > 1 {
			slices.SortStableFunc(in, func(a, b *bundle) int { return w.compare(a, b, own) })
		}
		for _, n := range in {
			if !yield(n) {
				return
			}
		}
		for n := range w.drawn(a, own) {
			if !yield(n) {
				return
			}
		}
	}
}

// drawn goes through the matches of the catalogs: the own one first, each in its order.
func (w *world) drawn(a *atom, own int) iter.Seq[*bundle] {
	return func(yield func(*bundle) bool) {
		for turn := -1; turn < len(w.cats); turn++ {
			c := turn
			switch {
			case turn < 0:
				c = own
			case turn == own:
				continue
			}
			if c < 0 {
				continue
			}
			for id := range w.narrow(c, a.c) {
				if b := w.cats[c].Content.Bundle(id); len(b.Places) > 0 || w.declares(b) || w.facts != nil && w.quarantined(c, b) {
					if n := w.of(c, b); w.matches(a, n) && !yield(n) {
						return
					}
				}
			}
		}
	}
}

// declares reports whether a bundle without a place can be chosen, as extensions may.
func (w *world) declares(b *graph.Bundle) bool {
	return len(w.req.Extensions) > 0 && b.Quarantine == nil
}

// offered reports whether a bundle can be chosen at all.
func (w *world) offered(n *bundle) bool {
	return n.installed || len(n.Places) > 0 || w.declares(n.Bundle) || w.facts != nil && w.quarantined(n.cat, n.Bundle)
}

// narrow finds the numbers of the bundles of a catalog that can match a constraint, and perhaps
// others, in ascending order.
func (w *world) narrow(cat int, c constraints.Constraint) iter.Seq[int32] {
	content := w.cats[cat].Content
	every := func(yield func(int32) bool) {
		for id := range int32(content.Len()) {
			if !yield(id) {
				return
			}
		}
	}
	merge := func(lists ...[]int32) iter.Seq[int32] {
		all := slices.Concat(lists...)
		slices.Sort(all)
		return slices.Values(slices.Compact(all))
	}
	switch c := c.(type) {
	case *constraints.GVK:
		return slices.Values(content.Providers(c.GVK))
	case *constraints.Package:
		return slices.Values(content.InPackage(c.Name))
	case *constraints.Label:
		return slices.Values(content.Labelled(c.Label))
	case *constraints.CEL:
		needs := c.Program.Needs()
		var lists [][]int32
		switch {
		case needs.Never:
			return slices.Values([]int32(nil))
		case needs.Anything || needs.ClusterOnly:
			return every
		}
		for _, name := range needs.Packages {
			lists = append(lists, content.InPackage(name))
		}
		for _, typ := range needs.Types {
			if needs.Packages == nil {
				lists = append(lists, content.WithType(typ))
			}
		}
		return merge(lists...)
	}
	return every
}

// sorted lists the matches where the policy has another order than the catalogs.
func (w *world) sorted(a *atom, own int) []*bundle {
	list, known := a.lists[own]
	if !known {
		for _, n := range w.installed {
			if n != nil && w.matches(a, n) {
				list = append(list, n)
			}
		}
		list = slices.AppendSeq(list, w.drawn(a, own))
		slices.SortStableFunc(list, func(a, b *bundle) int { return w.compare(a, b, own) })
		a.lists[own] = list
	}
	return list
}

// compare orders candidates of a dependency (section 4).
func (w *world) compare(a, b *bundle, own int) int {
	if w.req.Policy.Deprecations == resolver.DeprecationsAvoid {
		if c := first(!w.avoided(a), !w.avoided(b)); c != 0 {
			return c
		}
	}
	if c := first(a.installed, b.installed); c != 0 {
		return c
	}
	if len(w.req.Extensions) > 0 && !a.installed {
		if c := first(len(a.Places) > 0, len(b.Places) > 0); c != 0 {
			return c
		}
	}
	if c := first(own >= 0 && a.cat == own, own >= 0 && b.cat == own); c != 0 || a.cat != b.cat {
		return cmp.Or(c, cmp.Compare(uint(a.cat), uint(b.cat)))
	}
	if a.installed {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.channel, b.channel), cmp.Compare(a.inst, b.inst))
	}
	x, y := w.bestPlace(a.Bundle), w.bestPlace(b.Bundle)
	if x == nil || y == nil {
		if len(w.req.Extensions) > 0 && x == nil && y == nil {
			return cmp.Or(strings.Compare(a.Package, b.Package), declared(a.Bundle, b.Bundle), cmp.Compare(a.ID, b.ID))
		}
		return cmp.Or(first(x != nil, y != nil), cmp.Compare(a.ID, b.ID))
	}
	nearer := cmp.Compare(x.Position, y.Position)
	if w.req.Policy.Goal == resolver.Oldest {
		nearer = -nearer
	}
	return cmp.Or(first(x.Channel.Default(), y.Channel.Default()), strings.Compare(a.Package, b.Package),
		strings.Compare(x.Channel.Name, y.Channel.Name), nearer, cmp.Compare(a.ID, b.ID))
}

// bestPlace is the place at which a bundle stands, nil if it has none.
func (w *world) bestPlace(b *graph.Bundle) *graph.Place {
	if len(b.Places) == 0 {
		return nil
	}
	if w.req.Policy.Deprecations == resolver.DeprecationsAvoid && !b.Deprecated && !b.Places[0].Channel.Package.Deprecated {
		if i := slices.IndexFunc(b.Places, func(p graph.Place) bool { return !p.Channel.Deprecated }); i >= 0 {
			return &b.Places[i]
		}
	}
	return &b.Places[0]
}

// avoided reports whether the policy puts a candidate of a dependency last.
func (w *world) avoided(n *bundle) bool {
	channel := n.channel
	if p := w.bestPlace(n.Bundle); !n.installed {
		if p == nil {
			return false
		}
		channel = p.Channel.Name
	}
	return w.deprecated(n, channel)
}
