package sat

import (
	"context"
	"errors"
	"slices"
	"time"
)

// ErrSatisfiable is what Minimize returns when the assumptions it was given can
// hold together, so that there is no core to look for.
var ErrSatisfiable = errors.New("the assumptions can hold together, so there is no conflict to minimize")

// MinimizeOptions say how Minimize goes about it. The zero value is the default.
type MinimizeOptions struct {
	// Any takes any minimal core that is found soon: literals that a core was found
	// without are gone for good, and the others are tried one by one. The result then
	// depends on the cores that the solver happens to find. It pays for large cores,
	// most of which is needed.
	Any bool
	// Also, if it is set, may save solves. It is called when a literal was found to
	// be needed: the latest model has the other literals, which with this one
	// cannot hold. It returns those of the others of which it knows a model that
	// has all but them, so that they are needed too.
	Also func(needed Lit, others []Lit) []Lit
	// Last says that the Solver is not used afterwards. What was found to be needed can
	// become clauses then, which makes the solves shorter.
	Last bool
	// Observe, if it is set, is called after each solve with its status, the number
	// of its assumptions and the time it took.
	Observe func(status Status, assumptions int, took time.Duration)
}

// Minimize returns a minimal core among the given assumptions: literals that
// cannot hold together, while dropping any one of them leaves a set that can.
// Earlier literals are preferred to later ones: the result is what remains when
// the literals are gone through from the last to the first and each is dropped
// that is not needed. It is thereby a function of the clauses and the order of
// core alone. An empty result means that the clauses cannot hold in any case. The
// result keeps the order of core and belongs to the caller.
//
// It takes about one solve for each literal of the result when core comes from
// Failed, and some log₂(len(core)) for each where it is a guess. The solves
// change what Value and Failed report.
//
// When the context ends or a budget runs out, the error is that of Solve, and
// the result is the smallest core found so far: unsatisfiable, but not proven
// minimal. It is nil when not even that much is known.
func Minimize(ctx context.Context, s *Solver, core []Lit, opts MinimizeOptions) ([]Lit, error) {
	m := newMinimizer(s, core, opts)
	switch status, err := m.solve(ctx, len(m.core)); {
	case err != nil:
		return nil, err
	case status == Satisfiable:
		return nil, ErrSatisfiable
	}
	for {
		last := m.lastWitness()
		if last < 0 {
			break
		}
		if err := m.isolate(ctx, last+1); err != nil {
			return m.result(m.smallest), err
		}
	}
	return m.result(m.needed), nil
}

// minimizer is the state of one Minimize. It moves literals from the end of
// core to needed, or drops them, until the needed ones are a core alone. Some are
// known to be needed while they are still in core.
type minimizer struct {
	s    *Solver
	opts MinimizeOptions

	place   map[Lit]int // of each literal of the original core
	sure    []bool      // by place: it is in needed
	gone    []bool      // by place: a core without it was found, and will do
	core    []Lit       // what is still open
	needed  []Lit       // what every core within core and needed contains
	witness []Lit       // a core within core and needed; has all of needed
	// smallest is the smallest of all such so far.
	smallest []Lit
}

func newMinimizer(s *Solver, core []Lit, opts MinimizeOptions) *minimizer {
	m := &minimizer{s: s, opts: opts, place: make(map[Lit]int, len(core))}
	for _, l := range core {
		if _, again := m.place[l]; !again {
			m.place[l] = len(m.core)
			m.core = append(m.core, l)
		}
	}
	m.sure, m.gone = make([]bool, len(m.core)), make([]bool, len(m.core))
	return m
}

// solve asks whether the first n open literals and the needed ones can hold
// together, and keeps the core found when they cannot.
func (m *minimizer) solve(ctx context.Context, n int) (Status, error) {
	assumed, known := m.needed, []Lit(nil)
	if m.opts.Last {
		assumed, known = nil, m.needed
	}
	assumptions := slices.Concat(assumed, m.open(n))
	before, start := m.s.Solves(), time.Now()
	status, err := m.s.Solve(ctx, assumptions...)
	if m.opts.Observe != nil && m.s.Solves() > before {
		m.opts.Observe(status, len(assumptions), time.Since(start))
	}
	if status == Unsatisfiable {
		m.witness = append(m.s.Failed(), known...)
		if m.smallest == nil || len(m.witness) < len(m.smallest) {
			m.smallest = m.witness
		}
		if m.opts.Any { // what is not in the witness will do without
			for i := range m.gone {
				m.gone[i] = true
			}
			for _, l := range m.witness {
				m.gone[m.place[l]] = false
			}
		}
	}
	return status, err
}

// open returns those of the first n literals of core that are not known to be
// needed, nor gone.
func (m *minimizer) open(n int) []Lit {
	lits := make([]Lit, 0, n)
	for i, l := range m.core[:n] {
		if !m.sure[i] && !m.gone[i] {
			lits = append(lits, l)
		}
	}
	return lits
}

// lastWitness returns the last place of an open literal in the witness, or -1.
func (m *minimizer) lastWitness() int {
	last := -1
	for _, l := range m.witness {
		if i := m.place[l]; i < len(m.core) && !m.sure[i] {
			last = max(last, i)
		}
	}
	return last
}

// isolate finds the shortest beginning of the open literals that is a core
// together with the needed ones. Its last literal is needed too; those behind
// it are dropped. The beginning of length bad is known to be a core.
//
// It first believes the witness and tries to do without its last literal, then
// goes back in ever longer steps, and once it went too far, by halves.
func (m *minimizer) isolate(ctx context.Context, bad int) error {
	good, step, halving := -1, 1, false // the longest beginning known to be no core
	for bad-good > 1 {
		n := max(good+1, bad-step)
		if halving {
			n = good + (bad-good)/2
		}
		switch status, err := m.solve(ctx, n); {
		case err != nil:
			return err
		case status == Satisfiable:
			good, halving = n, true
		default:
			bad = m.lastWitness() + 1
			if !m.opts.Any {
				step *= 2
			}
		}
	}
	if bad == 0 {
		m.core = m.core[:0]
		return nil
	}
	found := m.core[bad-1]
	m.core = m.core[:bad-1]
	if m.opts.Also != nil {
		for _, l := range m.opts.Also(found, slices.Concat(m.needed, m.open(bad-1))) {
			if i, ok := m.place[l]; ok && i < bad-1 && !m.sure[i] {
				m.sure[i] = true
				m.need(l)
			}
		}
	}
	m.need(found)
	return nil
}

// need notes a literal that every core contains.
func (m *minimizer) need(l Lit) {
	if m.needed = append(m.needed, l); m.opts.Last {
		m.s.Add(l)
	}
}

// result returns literals in the order in which Minimize was asked about them.
func (m *minimizer) result(lits []Lit) []Lit {
	out := append([]Lit{}, lits...)
	slices.SortFunc(out, func(a, b Lit) int { return m.place[a] - m.place[b] })
	return out
}
