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

// matches goes through the bundles that make an atom hold, in the order in which a bundle of a
// catalog prefers them (section 4).
func (w *world) matches(g *goal, own int) iter.Seq[*node] {
	switch p := w.req.Policy; {
	case g.atom == nil:
		return slices.Values(g.list)
	case p.Goal == resolver.Oldest || p.Deprecations == resolver.DeprecationsAvoid || len(w.req.Extensions) > 0:
		// The order is not that in which catalogs number their bundles.
		list, known := g.sorted[own]
		if !known {
			list = slices.SortedStableFunc(w.found(g.atom, own), func(a, b *node) int { return w.compare(a, b, own) })
			if g.sorted == nil {
				g.sorted = make(map[int][]*node)
			}
			g.sorted[own] = list
		}
		return slices.Values(list)
	}
	return w.found(g.atom, own)
}

// found goes through the bundles that match a constraint: the installed ones, those of the own
// catalog, and those of the others, best first.
func (w *world) found(c constraints.Constraint, own int) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		var in []*node
		for _, n := range w.installed {
			if w.satisfies(c, n) {
				in = append(in, n)
			}
		}
		slices.SortStableFunc(in, func(a, b *node) int { return w.compare(a, b, own) })
		for _, n := range in {
			if !yield(n) {
				return
			}
		}
		for _, cat := range w.ownFirst(own) {
			for id := range w.narrow(cat, c) {
				if b := w.cats[cat].Content.Bundle(id); w.offered(cat, b) {
					if n := w.at(cat, b); w.satisfies(c, n) && !yield(n) {
						return
					}
				}
			}
		}
	}
}

// ownFirst lists the catalogs, the own one first.
func (w *world) ownFirst(own int) (list []int) {
	for cat := range w.cats {
		list = append(list, cat)
	}
	if own >= 0 {
		list = slices.Insert(slices.Delete(list, own, own+1), 0, own)
	}
	return list
}

// narrow goes through the numbers of the bundles of a catalog that can match a constraint, and
// perhaps others, in ascending order.
func (w *world) narrow(cat int, c constraints.Constraint) iter.Seq[int32] {
	content := w.cats[cat].Content
	var lists [][]int32
	switch c := c.(type) {
	case *constraints.GVK:
		return slices.Values(content.Providers(c.GVK))
	case *constraints.Package:
		return slices.Values(content.InPackage(c.Name))
	case *constraints.Label:
		return slices.Values(content.Labelled(c.Label))
	case *constraints.CEL:
		needs := c.Program.Needs()
		for _, name := range needs.Packages {
			lists = append(lists, content.InPackage(name))
		}
		for _, typ := range needs.Types {
			if needs.Packages == nil {
				lists = append(lists, content.WithType(typ))
			}
		}
		if needs.Never || !needs.Anything && !needs.ClusterOnly {
			all := slices.Concat(lists...)
			slices.Sort(all)
			return slices.Values(slices.Compact(all))
		}
	}
	return func(yield func(int32) bool) {
		for id := int32(0); id < int32(content.Len()) && yield(id); id++ {
		}
	}
}

// compare orders candidates of a dependency.
func (w *world) compare(a, b *node, own int) int {
	x, y := w.best(a), w.best(b)
	if w.req.Policy.Deprecations == resolver.DeprecationsAvoid {
		avoided := func(n *node, p *graph.Place) bool {
			return n.in != nil && w.deprecated(n, n.in.Channel) || p != nil && w.deprecated(n, p.Channel.Name)
		}
		if c := before(!avoided(a, x), !avoided(b, y)); c != 0 {
			return c
		}
	}
	c := before(a.in != nil, b.in != nil)
	if len(w.req.Extensions) > 0 && a.in == nil {
		c = cmp.Or(c, before(x != nil, y != nil))
	}
	if c = cmp.Or(c, before(own >= 0 && a.cat == own, own >= 0 && b.cat == own)); c != 0 || a.cat != b.cat {
		return cmp.Or(c, cmp.Compare(uint(a.cat), uint(b.cat))) // an unknown catalog comes last
	}
	switch byPackage := strings.Compare(a.Package, b.Package); {
	case a.in != nil:
		return cmp.Or(byPackage, strings.Compare(a.in.Channel, b.in.Channel), cmp.Compare(w.index[a.Name], w.index[b.Name]))
	case x == nil && y == nil && len(w.req.Extensions) > 0:
		return cmp.Or(byPackage, declared(a.Bundle, b.Bundle), cmp.Compare(a.ID, b.ID))
	case x == nil || y == nil:
		return cmp.Or(before(x != nil, y != nil), cmp.Compare(a.ID, b.ID))
	default:
		nearer := cmp.Compare(x.Position, y.Position)
		if w.req.Policy.Goal == resolver.Oldest {
			nearer = -nearer
		}
		return cmp.Or(before(x.Channel.Default(), y.Channel.Default()), byPackage, strings.Compare(x.Channel.Name, y.Channel.Name), nearer, cmp.Compare(a.ID, b.ID))
	}
}

// best is the best place of a catalog's bundle, nil if it has none.
func (w *world) best(n *node) *graph.Place {
	if len(n.Places) == 0 {
		return nil
	}
	if w.req.Policy.Deprecations == resolver.DeprecationsAvoid && !n.Deprecated && !n.Places[0].Channel.Package.Deprecated {
		if i := slices.IndexFunc(n.Places, func(p graph.Place) bool { return !p.Channel.Deprecated }); i >= 0 {
			return &n.Places[i]
		}
	}
	return &n.Places[0]
}

// deprecated reports whether an olm.deprecations blob names a bundle, its package or a channel.
func (w *world) deprecated(n *node, channel string) bool {
	for c := range w.cats {
		pkg := w.cats[c].Content.Package(n.Package)
		if pkg == nil || n.cat >= 0 && n.cat != c || n.cat < 0 && pkg.Bundle(n.Name) == nil {
			continue
		}
		ch, b := pkg.Channel(channel), pkg.Bundle(n.Name)
		return pkg.Deprecated || ch != nil && ch.Deprecated || b != nil && b.Deprecated
	}
	return false
}
