package sat

import "slices"

// quickMax is the maximum number of literals of the clauses for a solve
// without a backend. Most formulas that explain a conflict are smaller, and
// creating a backend takes longer than propagating them.
const quickMax = 2048

// quickWork limits the literals that a solve without a backend visits: about a
// millisecond.
const quickWork = 100_000

// quick is the state of a solve without a backend.
type quick struct {
	values []int8 // by variable: 1 true, -1 false, 0 unassigned
	causes []int  // by variable: the start of the implying clause, or -1
	trail  []Lit  // true literals in the order of assignment
	budget int    // remaining quickWork
}

// tryQuick tries to solve without a backend. The answer depends only on the
// clauses and the assumptions: it is Unsatisfiable only if the failed
// assumptions are the unique minimal core. Otherwise it may be Unknown.
func (s *Solver) tryQuick(assumptions []Lit) Status {
	q := &s.quick
	q.budget = quickWork
	status, core := q.solve(s.vars, s.pending, assumptions, 0)
	switch status {
	case Satisfiable:
		s.model = s.model[:0]
		for _, v := range q.values {
			s.model = append(s.model, v > 0)
		}
	case Unsatisfiable:
		for _, l := range core {
			if without, _ := q.solve(s.vars, s.pending, assumptions, l); without != Satisfiable {
				return Unknown
			}
		}
		s.recordFailed(assumptions, core)
	}
	return status
}

// solve assumes all assumptions but one and propagates. If a clause is
// violated, the answer is Unsatisfiable with the responsible assumptions.
// Otherwise, while some clause would be violated if all unassigned variables
// were false, it makes a literal of that clause true and propagates again. The
// result is a model, or Unknown because a choice was wrong.
func (q *quick) solve(vars int, clauses, assumptions []Lit, without Lit) (Status, []Lit) {
	q.values = append(q.values[:0], make([]int8, vars+1)...)
	q.causes = append(q.causes[:0], make([]int, vars+1)...)
	q.trail = q.trail[:0]
	for _, l := range assumptions {
		if l != without && q.value(l) < 0 {
			return Unknown, nil
		}
		if l != without {
			q.set(l, -1)
		}
	}
	for chosen := false; ; chosen = true {
		choice, failed := q.propagate(clauses)
		switch {
		case q.budget < 0, failed >= 0 && chosen:
			return Unknown, nil
		case failed >= 0:
			return Unsatisfiable, q.failedAssumptions(clauses, failed)
		case choice == 0:
			return Satisfiable, nil
		}
		q.set(choice, -1)
	}
}

// value is 1 for a true literal, -1 for a false one, 0 for an unassigned one.
func (q *quick) value(l Lit) int8 {
	if l < 0 {
		return -q.values[-l]
	}
	return q.values[l]
}

// set makes a literal true because of a clause, or as an assumption or choice
// if cause is -1.
func (q *quick) set(l Lit, cause int) {
	if q.value(l) != 0 {
		return
	}
	q.trail, q.causes[l.Var()], q.values[l.Var()] = append(q.trail, l), cause, 1
	if l < 0 {
		q.values[-l] = -1
	}
}

// propagate scans clauses, each ended by 0, to a fixpoint. It returns a
// literal of a clause that would be violated if all unassigned variables were
// false, or 0, and the start of a violated clause, or -1. It stops early if
// the work is exhausted.
func (q *quick) propagate(clauses []Lit) (choice Lit, failed int) {
	for known := -1; known < len(q.trail) && q.budget >= 0; {
		q.budget -= len(clauses)
		known, choice = len(q.trail), 0
		for at := 0; at < len(clauses); at++ {
			start, met, open, first := at, false, 0, Lit(0)
			for ; clauses[at] != 0; at++ {
				l := clauses[at]
				switch v := q.value(l); {
				case v > 0:
					met = true
				case v == 0:
					if open++; first >= 0 && (first == 0 || l < 0) {
						first = l // preferably a negative one
					}
				}
			}
			switch {
			case met:
			case open == 0:
				return 0, start
			case open == 1:
				q.set(first, start)
			case choice == 0 && first > 0:
				choice = first
			}
		}
	}
	return choice, -1
}

// failedAssumptions returns the assumptions that imply the violation of a clause.
func (q *quick) failedAssumptions(clauses []Lit, failed int) (core []Lit) {
	is := make([]bool, len(q.values))
	note := func(start int) {
		for _, l := range clauses[start:] {
			if l == 0 {
				return
			}
			is[l.Var()] = true
		}
	}
	note(failed)
	for _, l := range slices.Backward(q.trail) {
		switch cause := q.causes[l.Var()]; {
		case !is[l.Var()]:
		case cause < 0:
			core = append(core, l)
		default:
			note(cause)
		}
	}
	return core
}
