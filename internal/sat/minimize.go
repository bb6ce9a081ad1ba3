package sat

import (
	"context"
	"errors"
	"slices"
	"time"
)

// ErrSatisfiable is returned by Minimize if the assumptions are satisfiable,
// so that there is no core.
var ErrSatisfiable = errors.New("the assumptions are satisfiable: there is no conflict to minimize")

// MinimizeOptions configure Minimize. The zero value is the default.
type MinimizeOptions struct {
	// Any accepts any minimal core that is found quickly: literals outside a
	// found core are dropped for good, and the others are tried one by one.
	// The result then depends on the cores that the solver finds. It is faster
	// for large cores that are mostly minimal.
	Any bool
	// Also, if set, may save solves. Minimize calls it with a necessary
	// literal: the latest model satisfies the others, which conflict with this
	// one. It returns those of the others that are necessary for the same
	// reason, because a model satisfies all but them.
	Also func(needed Lit, others []Lit) []Lit
	// Last means that the Solver is not used afterwards. Necessary literals
	// may then become clauses, which shortens the solves.
	Last bool
	// Observe, if set, is called after each solve with its status, its number
	// of assumptions and its duration.
	Observe func(status Status, assumptions int, took time.Duration)
}

// Minimize returns a minimal core among the given assumptions: unsatisfiable
// literals, of which every proper subset is satisfiable. It prefers earlier
// literals: it considers the literals from last to first and drops each one
// that is not needed. The result therefore depends only on the clauses and the
// order of core. An empty result means that the clauses alone are
// unsatisfiable. The result keeps the order of core and belongs to the caller.
//
// It takes about one solve for each literal of the result if core comes from
// Failed, and about log₂(len(core)) for each otherwise. The solves change the
// results of Value and Failed.
//
// If the context ends or a budget is exhausted, the error is that of Solve,
// and the result is the smallest core found so far: unsatisfiable, but not
// proven minimal. It is nil if no core is known.
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
// core to needed, or drops them, until needed is a core. Some literals of core
// may already be known to be needed.
type minimizer struct {
	s    *Solver
	opts MinimizeOptions

	index   map[Lit]int // of each literal of the original core
	needs   []bool      // by index: whether it is in needed
	dropped []bool      // by index: outside a found core, so dropped
	core    []Lit       // undecided literals
	needed  []Lit       // in every core within core and needed
	witness []Lit       // a core within core and needed; has all of needed
	// smallest is the smallest core so far.
	smallest []Lit
}

func newMinimizer(s *Solver, core []Lit, opts MinimizeOptions) *minimizer {
	m := &minimizer{s: s, opts: opts, index: make(map[Lit]int, len(core))}
	for _, l := range core {
		if _, again := m.index[l]; !again {
			m.index[l] = len(m.core)
			m.core = append(m.core, l)
		}
	}
	m.needs, m.dropped = make([]bool, len(m.core)), make([]bool, len(m.core))
	return m
}

// solve solves with the first n undecided literals and the needed ones, and
// records the core if unsatisfiable.
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
		if m.opts.Any { // literals outside the witness are not needed
			for i := range m.dropped {
				m.dropped[i] = true
			}
			for _, l := range m.witness {
				m.dropped[m.index[l]] = false
			}
		}
	}
	return status, err
}

// open returns those of the first n literals of core that are neither known to
// be needed nor dropped.
func (m *minimizer) open(n int) []Lit {
	lits := make([]Lit, 0, n)
	for i, l := range m.core[:n] {
		if !m.needs[i] && !m.dropped[i] {
			lits = append(lits, l)
		}
	}
	return lits
}

// lastWitness returns the index of the last open literal in the witness, or
// -1.
func (m *minimizer) lastWitness() int {
	last := -1
	for _, l := range m.witness {
		if i := m.index[l]; i < len(m.core) && !m.needs[i] {
			last = max(last, i)
		}
	}
	return last
}

// isolate finds the shortest prefix of the open literals that is a core
// together with the needed ones. Its last literal is needed too, and the ones
// after it are dropped. The prefix of length bad is known to be a core.
//
// It first tries to drop the last literal of the witness, then steps back by
// growing distances, and bisects after it went too far.
func (m *minimizer) isolate(ctx context.Context, bad int) error {
	good, step, halving := -1, 1, false // the longest prefix known not to be a core
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
			if i, ok := m.index[l]; ok && i < bad-1 && !m.needs[i] {
				m.needs[i] = true
				m.need(l)
			}
		}
	}
	m.need(found)
	return nil
}

// need records a literal that every core contains.
func (m *minimizer) need(l Lit) {
	if m.needed = append(m.needed, l); m.opts.Last {
		m.s.Add(l)
	}
}

// result returns literals in the order given to Minimize.
func (m *minimizer) result(lits []Lit) []Lit {
	out := append([]Lit{}, lits...)
	slices.SortFunc(out, func(a, b Lit) int { return m.index[a] - m.index[b] })
	return out
}
