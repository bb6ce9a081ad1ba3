package explain

import (
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// findContexts follows the facts from what was asked for down through the
// candidates and what these require, each by its shortest way.
func (d *describer) findContexts() {
	d.context = make(map[formula.Fact]*lead, len(d.keys))
	var todo []formula.Fact
	for _, k := range d.keys {
		if k.IsRoot() {
			d.context[k] = &lead{}
			todo = append(todo, k)
		}
	}
	for len(todo) > 0 {
		k := todo[0]
		todo = todo[1:]
		for _, n := range d.candidates(k) {
			if d.p.Tick(); d.p.Stopped() {
				return
			}
			for i := range d.p.Requirements(n) {
				next := formula.Fact{Kind: formula.FactConstraint, A: int32(n), B: int32(i)}
				if _, known := d.index[next]; !known || d.context[next] != nil {
					continue
				}
				d.context[next] = &lead{from: d.context[k], pkg: d.p.Nodes[n].Pkg, bundle: n}
				todo = append(todo, next)
			}
		}
	}
}

// alternatives reports whether two facts are about different ways to meet what was
// asked for.
func (d *describer) alternatives(a, b formula.Fact) bool {
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
		d.p.Tick()
		d.work--
		if _, later := out[l.pkg]; !later {
			out[l.pkg] = l.bundle
		}
	}
	return out
}
