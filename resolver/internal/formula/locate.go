package formula

import (
	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Possible reports whether there is a solution at all.
func (f *Formula) Possible() bool {
	defer func() { f.Purpose = trace.PurposeLocate }()
	return f.Solve() == sat.Satisfiable
}

// FirstFailing implements search.Solver. It probes the failed assumptions first, then bisects.
func (f *Formula) FirstFailing(trail []search.Choice, proven int) int {
	lo, hi := proven, len(trail)
	lo = f.agreeing(trail, lo, hi)
	probe := hi // the first call yields failed assumptions, the next ones bisect
	for hi-lo > 1 {
		switch f.Solve(f.assume(trail[proven:probe])...) {
		case sat.Satisfiable:
			lo = f.agreeing(trail, probe, hi)
		case sat.Unsatisfiable:
			hi = f.lastFailed(trail, proven, probe)
		default:
			return proven
		}
		if lo >= hi {
			f.p.Budget.Fail(search.ErrDisagree)
			return proven
		}
		probe = (lo + hi) / 2
	}
	return hi - 1
}

// agreeing extends a satisfiable prefix of a trail by the choices that the current model agrees with.
func (f *Formula) agreeing(trail []search.Choice, n, limit int) int {
	for n < limit-1 {
		for _, l := range f.assume(trail[n : n+1]) {
			if !f.s.Value(l) {
				return n
			}
		}
		n++
	}
	return n
}

// lastFailed returns the length of the shortest prefix of a trail that contains all failed
// assumptions.
func (f *Formula) lastFailed(trail []search.Choice, from, to int) int {
	failed := make(map[sat.Lit]bool)
	for _, l := range f.s.Failed() {
		failed[l] = true
	}
	for ; to > from; to-- {
		for _, l := range f.assume(trail[to-1 : to]) {
			if failed[l] {
				return to
			}
		}
	}
	return to
}

// assume lists the literals of choices.
func (f *Formula) assume(cs []search.Choice) []sat.Lit {
	lits := make([]sat.Lit, 0, len(cs))
	for _, c := range cs {
		if c.Picked.Node != problem.NoNode {
			lits = append(lits, f.Literal[c.Picked.Node])
		}
		for _, g := range c.Picked.Commits {
			lits = append(lits, f.lit(g, c.From, false))
		}
	}
	return lits
}

// Commit makes choices final.
func (f *Formula) Commit(cs []search.Choice) {
	for _, l := range f.assume(cs) {
		f.s.Add(l)
	}
}
