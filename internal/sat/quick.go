package sat

import "slices"

// quickMost is how many literals the clauses may have, all together, for a solve to be tried
// without a backend. Most formulas that explain a conflict have fewer, and making a backend
// takes longer than to see what follows from so few.
const quickMost = 2048

// quickWork is how many literals a solve without a backend may look at, over and over: about
// a millisecond.
const quickWork = 100_000

// quick is how far a solve without a backend has come.
type quick struct {
	values []int8 // by variable: 1 for true, -1 for false, 0 as long as it is open
	causes []int  // by variable: the start of the clause that left no other value, or -1
	trail  []Lit  // what holds, in the order in which that was found
	left   int    // of quickWork
}

// quickly tries to answer without a backend. What it says depends on the clauses and the
// assumptions alone: it names the assumptions that failed only if these are the one minimal
// core, of which none can be left out for the others to hold. Otherwise it is Unknown.
func (s *Solver) quickly(assumptions []Lit) Status {
	q := &s.quick
	q.left = quickWork
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

// solve takes all assumptions but one and what follows from them (unit propagation). Where a
// clause cannot hold then, the answer is Unsatisfiable, with assumptions that rule it out.
// Otherwise, as long as a clause would not hold if all that is open were false, it has a
// literal of that clause hold, and goes on. In the end there is a model, or the answer is
// Unknown, since a choice was wrong.
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
		case q.left < 0, failed >= 0 && chosen:
			return Unknown, nil
		case failed >= 0:
			return Unsatisfiable, q.blame(clauses, failed)
		case choice == 0:
			return Satisfiable, nil
		}
		q.set(choice, -1)
	}
}

// value is 1 for a literal that holds, -1 for one that does not, and 0 for one that is open.
func (q *quick) value(l Lit) int8 {
	if l < 0 {
		return -q.values[-l]
	}
	return q.values[l]
}

// set has a literal hold, because of a clause or, if that is -1, because it is taken to.
func (q *quick) set(l Lit, cause int) {
	if q.value(l) != 0 {
		return
	}
	q.trail, q.causes[l.Var()], q.values[l.Var()] = append(q.trail, l), cause, 1
	if l < 0 {
		q.values[-l] = -1
	}
}

// propagate goes through clauses, each ended by 0, until nothing more follows. It returns a
// literal of a clause that would not hold if all that is open were false, 0 if there is
// none, and the start of a clause that cannot hold any more, -1 if there is none. It ends
// early where too much has been looked at.
func (q *quick) propagate(clauses []Lit) (choice Lit, failed int) {
	for known := -1; known < len(q.trail) && q.left >= 0; {
		q.left -= len(clauses)
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
						first = l // a negative one, if there is any
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

// blame returns the assumptions from which it follows that a clause cannot hold.
func (q *quick) blame(clauses []Lit, failed int) (core []Lit) {
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
