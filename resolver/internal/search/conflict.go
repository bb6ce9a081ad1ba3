package search

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/argument"
)

// maxLiterals is the maximum number of literals in all clauses of a search. Beyond it the solver is
// used.
const maxLiterals = 1 << 24

// shortJump is the maximum number of levels between the asserting level and the conflict level that
// a backtrack always keeps: they would mostly be decided the same way again. If there are more, the
// search backjumps to the asserting level once that pays: assignments out of order are propagated
// again at each conflict, and the backjump costs no more than what was propagated again since the
// latest one. It also waits for the next decision to succeed, since a chain of conflicts ends one
// level at a time.
const shortJump = 8

// resolve takes decisions until all are satisfied, there is no solution, or too many conflicts have
// made no progress. It starts with the option at index from of the next decision, and learns a
// clause from each conflict. The first proven choices are final.
func (st *State) resolve(from, proven int) Outcome {
	st.root, st.jump = int32(proven), 0
	for {
		out, conflict := st.run(from)
		if conflict == nil {
			return out
		}
		for conflict != nil {
			if st.progress(); st.deadEnds >= st.maxDeadEnds || st.literals > maxLiterals {
				return deadEnd
			}
			st.deadEnds++
			if conflict, from = st.learn(conflict); from < 0 {
				return hopeless
			}
		}
	}
}

// refute continues after the solver has found an option impossible, given the proven choices.
func (st *State) refute(option literal, from, proven int) Outcome {
	if st.assignmentOf(option) != nil {
		st.p.Budget.Fail(ErrDisagree)
		return aborted
	}
	st.assign(assignment{literal: option.not(), level: int32(proven), by: noLiteral})
	if st.propagate() != nil {
		return hopeless
	}
	return st.resolve(from, proven)
}

// progress resets the count of conflicts once the trail is longer than ever before, and reduces it
// by one for each new variable.
func (st *State) progress() {
	if len(st.Trail) > st.deepest.decided {
		st.deepest, st.deadEnds = depth{len(st.Trail), len(st.Queue) - st.head}, 0
	}
	if n := len(st.vars); n > st.reached {
		st.reached, st.deadEnds = n, max(0, st.deadEnds-(n-st.reached))
	}
}

// learn learns a clause from a conflict and backtracks: it undoes the conflict level, and records a
// backjump to the asserting level if that is far away. The learned clause has one literal of the
// conflict level, which it implies from then on. learn returns the next conflict, or nil, and the
// option with which the decision of the undone level continues, negative if there is no solution. The
// options before are still false.
func (st *State) learn(conflict *clause) (*clause, int) {
	level := int32(0)
	for _, l := range conflict.literals {
		level = max(level, st.levelOf(l))
	}
	if level <= st.root {
		st.log(violated(), conflict.literals, conflict)
		return nil, -1
	}
	c := st.analyze(conflict, level)
	st.log(c, conflict.literals, conflict)
	asserted := st.root
	for _, l := range c.literals[1:] {
		asserted = max(asserted, st.levelOf(l))
	}
	option := st.undo(int(level-1), c.literals[0])
	st.add(c)
	st.assign(assignment{literal: c.literals[0], level: asserted, by: noLiteral, clause: c})
	next := st.propagate()
	st.jump = 0
	if far := int(level - 1 - asserted); next == nil && far > shortJump && far <= st.repeated {
		st.jump, st.repeated = asserted+1, 0
	}
	return next, option
}

// undo undoes a level and those above it. It rejects the choice of that level if the implied literal
// negates it. It returns the option with which the decision of the level continues.
func (st *State) undo(level int, implied literal) int {
	bad, why := st.Trail[level], argument.Rejection("")
	if implied != noLiteral && st.assigned[bad.assigned].literal == implied.not() {
		why = argument.RejectedByDeadEnd
	}
	if st.back(level, why); why != "" {
		st.addRejected(bad.Picked)
		bad.Option++
	}
	return bad.Option
}

// analyze finds the first unique implication point of a conflict: the latest assignment of the
// conflict level that all paths of implications from the choice of that level to the conflict pass
// through. It returns the learned clause, whose first literal negates that assignment.
func (st *State) analyze(conflict *clause, level int32) *clause {
	learned := []literal{noLiteral}
	pending, touched := 0, st.resolved[:0]
	resolve := func(l literal) {
		at := st.vars[l.variable()].at - 1
		a := &st.assigned[at]
		if a.seen || a.level <= st.root {
			return
		}
		a.seen = true
		touched = append(touched, at)
		if a.level == level {
			pending++
		} else {
			learned = append(learned, l)
		}
	}
	for _, l := range conflict.literals {
		resolve(l)
	}
	for i := len(st.assigned) - 1; ; i-- {
		a := &st.assigned[i]
		if !a.seen || a.level != level {
			continue
		}
		if pending--; pending == 0 {
			learned[0] = a.literal.not()
			break
		}
		a.antecedents(resolve)
	}
	rest := slices.DeleteFunc(learned[1:], st.redundant)
	for _, at := range touched {
		st.assigned[at].seen = false
	}
	st.resolved = touched
	return &clause{literals: learned[:1+len(rest)], about: noLiteral}
}

// redundant reports whether the other literals of a learned clause imply that a literal is false.
func (st *State) redundant(l literal) bool {
	a := st.assignmentOf(l)
	if a.by == noLiteral && a.clause == nil {
		return false
	}
	redundant := true
	a.antecedents(func(l literal) {
		b := st.assignmentOf(l)
		redundant = redundant && (b.seen || b.level <= st.root)
	})
	return redundant
}

// antecedents yields the false literals that imply an assignment.
func (a *assignment) antecedents(yield func(literal)) {
	if a.by != noLiteral {
		yield(a.by.not())
	}
	if a.clause == nil {
		return
	}
	for _, l := range a.clause.literals {
		if l != a.literal {
			yield(l)
		}
	}
}
