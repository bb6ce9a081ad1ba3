package resolver

import (
	"errors"

	"github.com/seed109e2655/resolute/internal/sat"
)

// errInternal says that the solver and the decisions disagree about a problem.
var errInternal = errors.New("internal error: the decisions and the solver disagree; please report the request")

// settle finds the best result set (section 6). It returns nil if there is none,
// or if problem.err stopped it.
func (p *problem) settle() *state {
	st, out := p.decideAll()
	if out != deadEnd {
		return p.settled(st, out)
	}
	f := p.encode(guardNothing)
	if f.solve() != sat.Satisfiable {
		return nil
	}
	f.purpose = SolveLocate
	proven := 0
	for out == deadEnd {
		if len(st.trail) <= proven {
			p.fail(errInternal)
			return nil
		}
		fails := f.firstFailing(st.trail, proven)
		if p.err != nil {
			return nil
		}
		bad := st.trail[fails]
		f.commit(st.trail[proven:fails])
		proven = fails
		st.seeBack(fails, RejectedBySolver)
		st.back(fails)
		st.pass(bad.opt)
		out = st.explore(st.run(bad.option+1), proven)
	}
	return p.settled(st, out)
}

// decideAll takes all decisions without a solver, as far as that leads.
func (p *problem) decideAll() (*state, outcome) {
	st := p.newState(shortLook)
	st.seeStart()
	return st, st.explore(st.run(0), 0)
}

func (p *problem) settled(st *state, out outcome) *state {
	if out != complete || p.err != nil {
		return nil
	}
	return st
}

// firstFailing finds the first choice of a trail that cannot be together with
// those before it. The first proven ones are known to be possible, and the whole
// trail is known not to be.
func (f *formula) firstFailing(trail []choice, proven int) int {
	lo, hi := proven, len(trail)
	lo = f.agreeing(trail, lo, hi)
	probe := hi // first hear which choices the solver blames, then halve
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
			f.p.fail(errInternal)
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

// commit makes choices final.
func (f *formula) commit(cs []choice) {
	for _, l := range f.assume(cs) {
		f.s.Add(l)
	}
}
