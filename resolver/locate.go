package resolver

import "github.com/seed109e2655/resolute/internal/sat"

// Possible reports whether there is a solution at all.
func (f *formula) Possible() bool {
	defer f.For(purposeLocate)
	return f.solve() == sat.Satisfiable
}

// FirstFailing finds the first choice of a trail that cannot be together with
// those before it. The first proven ones are known to be possible, and the whole
// trail is known not to be.
func (f *formula) FirstFailing(trail []choice, proven int) int {
	lo, hi := proven, len(trail)
	lo = f.agreeing(trail, lo, hi)
	probe := hi // first ask which choices the solver blames, then halve
	for hi-lo > 1 {
		switch f.solve(f.assume(trail[proven:probe])...) {
		case sat.Satisfiable:
			lo = f.agreeing(trail, probe, hi)
		case sat.Unsatisfiable:
			hi = f.lastBlamed(trail, proven, probe)
		default:
			return proven
		}
		if lo >= hi {
			f.p.fail(errDisagree)
			return proven
		}
		probe = (lo + hi) / 2
	}
	return hi - 1
}

// agreeing extends a possible prefix of a trail by the choices that the current
// model makes as well.
func (f *formula) agreeing(trail []choice, n, limit int) int {
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

// lastBlamed returns the length of the shortest prefix of a trail that holds all
// the choices that the solver found to clash.
func (f *formula) lastBlamed(trail []choice, from, to int) int {
	blamed := make(map[sat.Lit]bool)
	for _, l := range f.s.Failed() {
		blamed[l] = true
	}
	for ; to > from; to-- {
		for _, l := range f.assume(trail[to-1 : to]) {
			if blamed[l] {
				return to
			}
		}
	}
	return to
}

// assume lists the literals of choices.
func (f *formula) assume(cs []choice) []sat.Lit {
	lits := make([]sat.Lit, 0, len(cs))
	for _, c := range cs {
		if c.opt.node != noNode {
			lits = append(lits, f.lits[c.opt.node])
		}
		for _, g := range c.opt.commits {
			lits = append(lits, f.lit(g, c.from))
		}
	}
	return lits
}

// Commit makes choices final.
func (f *formula) Commit(cs []choice) {
	for _, l := range f.assume(cs) {
		f.s.Add(l)
	}
}
