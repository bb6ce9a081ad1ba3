package certificate

import (
	"cmp"
	"slices"
)

// choices lists the options of an `any`, best first. An option is the bundle that it selects, or if it
// commits to more, a node of its own whose goals are what it commits to.
func (w *world) choices(g *goal, of *node) []*node {
	key := pending{of: of, goal: g}
	list, known := w.options[key]
	if !known {
		for _, o := range w.ways(g, of.cat) {
			n := o.pick
			if len(o.commits) > 0 {
				n = &node{of: of, pick: o.pick, goals: o.commits, compiled: true}
			}
			list = append(list, n)
		}
		w.options[key] = list
	}
	return list
}

// way is a way to make a goal hold: the bundle that it selects, nil for none, and the goals that it
// commits to, the innermost first.
type way struct {
	pick    *node
	commits []*goal
}

// ways lists the ways to make a goal hold (step 3 of section 6): those that need nothing first, then by
// preference.
func (w *world) ways(g *goal, own int) (list []way) {
	switch {
	case g.needsNothing():
		return []way{{commits: []*goal{g}}}
	case g.kind == match:
		for _, n := range g.list {
			if w.fulfils(g, n) {
				list = append(list, way{pick: n})
			}
		}
	case g.kind == anyOf:
		for _, k := range g.kids {
			list = append(list, w.ways(k, own)...)
		}
		slices.SortStableFunc(list, func(a, b way) int {
			if a.pick == nil || b.pick == nil {
				return first(a.pick == nil, b.pick == nil)
			}
			return w.compare(a.pick, b.pick, own)
		})
	default: // an `all` has those of its first match, else `any`; each commits to all of it
		lead := slices.MinFunc(g.kids, func(a, b *goal) int { return cmp.Compare(a.kind, b.kind) })
		for _, o := range w.ways(lead, own) {
			list = append(list, way{o.pick, append(slices.Clip(o.commits), g)})
		}
	}
	return list
}

// needsNothing reports whether a goal is a prohibition, or several.
func (g *goal) needsNothing() bool {
	return g.kind == ban || g.kind == allOf && !slices.ContainsFunc(g.kids, func(k *goal) bool { return !k.needsNothing() })
}
