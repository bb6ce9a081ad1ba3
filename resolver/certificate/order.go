package certificate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/resolver"
)

// matches lists the bundles that can match a constraint, and perhaps others, in the order in which a
// bundle of a catalog prefers them (section 4). Constraints of one kind share a list where they can.
func (w *world) matches(c constraints.Constraint, own int) []*node {
	by, names, find := narrow(c)
	key := goalKey{constraint: by, own: own}
	order := func(a, b *node) int { return w.compare(a, b, own) }
	list, known := w.lists[key]
	if !known {
		for cat, from := range w.cats {
			for _, name := range names {
				ids := find(from.Content, name)
				list = slices.Grow(list, len(ids))
				for _, id := range ids {
					if b := from.Content.Bundle(id); w.offered(cat, b) && !w.step() {
						list = append(list, w.at(cat, b))
					}
				}
			}
		}
		slices.SortFunc(list, order)
		list = slices.Compact(list)
		w.lists[key] = list
	}
	installed, possible := []*node{}, w.installed
	if api, ok := c.(*constraints.GVK); ok {
		possible = w.providers[api.GVK]
	}
	for _, n := range possible {
		if n != nil && w.satisfies(c, n) {
			installed = append(installed, n)
		}
	}
	if len(installed) == 0 {
		return list
	}
	return slices.Compact(slices.SortedFunc(slices.Values(slices.Concat(installed, list)), order))
}

// narrow returns an index of catalogs that has each bundle that matches a constraint, the keys there, and
// what identifies both.
func narrow(c constraints.Constraint) (by string, names []string, find func(c *cache.Catalog, name string) []int32) {
	switch c := c.(type) {
	case *constraints.GVK:
		return "gvk " + c.GVK.String(), []string{""}, func(from *cache.Catalog, _ string) []int32 { return from.Providers(c.GVK) }
	case *constraints.Package:
		return "package " + c.Name, []string{c.Name}, (*cache.Catalog).InPackage
	case *constraints.Label:
		return "label " + c.Label, []string{c.Label}, (*cache.Catalog).Labelled
	case *constraints.CEL:
		switch needs := c.Program.Needs(); {
		case needs.Anything || needs.ClusterOnly:
		case needs.Packages != nil:
			return "package " + strings.Join(needs.Packages, " "), needs.Packages, (*cache.Catalog).InPackage
		default:
			return "type " + strings.Join(needs.Types, " "), needs.Types, (*cache.Catalog).WithType
		}
	}
	return "", []string{""}, func(from *cache.Catalog, _ string) (all []int32) {
		for id := range from.Len() {
			all = append(all, int32(id))
		}
		return all
	}
}

// fulfils reports whether a bundle makes a match hold.
func (w *world) fulfils(g *goal, n *node) bool {
	return n.Bundle != nil && !(g.spares && n.lenient) && (g.atom == nil || w.satisfies(g.atom, n))
}

// satisfies reports whether one bundle alone makes a constraint hold.
func (w *world) satisfies(c constraints.Constraint, n *node) bool {
	holds := func(k constraints.Constraint) bool { return w.satisfies(k, n) }
	switch c := c.(type) {
	case *constraints.Package:
		return n.pkg == c.Name && n.Version != nil && c.Range.Contains(*n.Version)
	case *constraints.All:
		return !slices.ContainsFunc(c.Constraints, func(k constraints.Constraint) bool { return !holds(k) })
	case *constraints.Any:
		return slices.ContainsFunc(c.Constraints, holds)
	case *constraints.Not:
		return !slices.ContainsFunc(c.Constraints, holds)
	}
	if w.err != nil {
		return false
	}
	if n.subject == nil {
		n.subject = constraints.NewSubject(n.Properties)
	}
	ok, err := w.rules.Match(w.ctx, c, n.subject)
	w.fail(err)
	return ok
}

// compare orders candidates of a dependency that a bundle of a catalog declares.
func (w *world) compare(a, b *node, own int) int {
	x, y := w.best(a), w.best(b)
	placed := func(n *node, p placing) bool { return n.in != nil || p.channel != "" }
	avoids := func(n *node, p placing) bool {
		return w.req.Policy.Deprecations == resolver.DeprecationsAvoid && placed(n, p) && w.deprecated(n, p.channel)
	}
	nearer := cmp.Compare(x.position, y.position)
	if w.req.Policy.Goal == resolver.Oldest {
		nearer = -nearer
	}
	unlisted := 0
	if !placed(a, x) && !placed(b, y) {
		unlisted = byVersion(a.Bundle, b.Bundle)
	}
	return cmp.Or(first(!avoids(a, x), !avoids(b, y)), first(a.in != nil, b.in != nil), first(placed(a, x), placed(b, y)),
		first(own >= 0 && a.cat == own, own >= 0 && b.cat == own), cmp.Compare(uint(a.cat), uint(b.cat)), // an unknown catalog comes last
		first(x.byDefault, y.byDefault), strings.Compare(a.Package, b.Package), strings.Compare(x.channel, y.channel), nearer, unlisted, cmp.Compare(a.ID, b.ID))
}

// placing is where a bundle stands in the order of its catalog.
type placing struct {
	channel   string
	byDefault bool
	position  int
}

// best is the best place of a bundle: of an installed one the channel that it came from.
func (w *world) best(n *node) placing {
	places := n.Places
	if len(places) == 0 {
		if n.in != nil {
			return placing{channel: n.in.Channel}
		}
		return placing{}
	}
	best := places[0]
	if w.req.Policy.Deprecations == resolver.DeprecationsAvoid && !n.Deprecated && !best.Channel.Package.Deprecated {
		for _, p := range slices.Backward(places) {
			if !p.Channel.Deprecated {
				best = p
			}
		}
	}
	return placing{best.Channel.Name, best.Channel.Default(), best.Position}
}

// deprecated reports whether an olm.deprecations blob names a bundle, its package or a channel.
func (w *world) deprecated(n *node, channel string) bool {
	for c := range w.cats {
		pkg := w.cats[c].Content.Package(n.Package)
		if pkg != nil && (n.cat == c || n.cat < 0 && pkg.Bundle(n.Name) != nil) {
			ch, b := pkg.Channel(channel), pkg.Bundle(n.Name)
			return pkg.Deprecated || ch != nil && ch.Deprecated || b != nil && b.Deprecated
		}
	}
	return false
}
