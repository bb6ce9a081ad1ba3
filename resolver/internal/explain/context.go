package explain

import "github.com/seed109e2655/resolute/resolver/internal/problem"

// findContexts sets the context of each fact. It walks breadth first from the roots through
// candidates and their requirements, so that each context is a shortest path.
func (d *describer) findContexts() {
	todo := make([]int, 0, len(d.keys))
	for i, k := range d.keys {
		if k.IsRoot() {
			d.context[i] = &lead{}
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 {
		from := d.context[todo[0]]
		list := d.candidates(todo[0])
		todo = todo[1:]
		for _, n := range list {
			if d.p.Budget.Step() {
				return
			}
			b := d.of(n)
			if b.reached || b.first == 0 {
				continue
			}
			b.reached = true
			step := &lead{from: from, pkg: d.u.Nodes[n].Pkg, bundle: n}
			for i := range d.constraintsOf(n) {
				d.context[i] = step
				todo = append(todo, i)
			}
		}
	}
}

// alternatives reports whether two facts belong to different alternatives: their contexts have
// different bundles of one package.
func (d *describer) alternatives(a, b int) bool {
	to := d.bundlesOn(d.context[a])
	for pkg, n := range d.bundlesOn(d.context[b]) {
		if m, both := to[pkg]; both && m != n {
			return true
		}
	}
	return false
}

// lead is the last step of the path from a root to a fact: a bundle that is a candidate of the
// fact before. Paths share their prefixes, so a distant fact costs no more memory than a near one.
type lead struct {
	from   *lead // nil at a root
	pkg    int32
	bundle problem.NodeID
}

// bundlesOn returns the bundles on a path by package; if a package occurs twice, the last one. It
// stops when the work budget is spent.
func (d *describer) bundlesOn(l *lead) map[int32]problem.NodeID {
	out := map[int32]problem.NodeID{}
	for ; l != nil && l.from != nil && d.work > 0; l = l.from {
		d.p.Budget.Step()
		d.work--
		if _, later := out[l.pkg]; !later {
			out[l.pkg] = l.bundle
		}
	}
	return out
}
