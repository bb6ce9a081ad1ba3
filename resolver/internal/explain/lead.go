package explain

import "github.com/seed109e2655/resolute/resolver/internal/problem"

// findContexts follows the facts from what was asked for down through the
// candidates and what these require, each by its shortest way.
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

// alternatives reports whether two facts are about different ways to meet what was
// asked for.
func (d *describer) alternatives(a, b int) bool {
	to := d.bundlesOn(d.context[a])
	for pkg, n := range d.bundlesOn(d.context[b]) {
		if m, both := to[pkg]; both && m != n {
			return true
		}
	}
	return false
}

// lead is the last step of the way that leads to a fact: a bundle, which a fact
// before it is about. Ways share what they have in common, so that a fact far away
// costs no more than one nearby.
type lead struct {
	from   *lead // nil where the way begins
	pkg    int32
	bundle problem.NodeID
}

// bundlesOn returns the bundles on the way to a fact by package; of several of one
// package, the last. It does as much as there is work left.
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
