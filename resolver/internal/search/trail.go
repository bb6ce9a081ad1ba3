package search

import (
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// literal is a variable or its negation: 2v, or 2v+1 if negated.
type literal int32

const noLiteral literal = -1

func literalOf(v int32) literal   { return literal(v << 1) }
func (l literal) not() literal    { return l ^ 1 }
func (l literal) positive() bool  { return l&1 == 0 }
func (l literal) variable() int32 { return int32(l >> 1) }

// variable is the proposition that a bundle is in the set, or that a bundle commits to an option.
type variable struct {
	node      problem.NodeID // the bundle, or the bundle of the option; NoNode for none
	option    bool
	mentioned bool  // a clause contains it, not negated
	at        int32 // number of its assignment, from 1; 0 if unassigned
}

// assignment is a true literal with its reason. The choices up to its decision level imply it;
// assignments at level 0 hold whatever is selected.
type assignment struct {
	literal literal
	level   int32
	seen    bool    // mark of the conflict analysis
	by      literal // this literal alone implies it, or
	clause  *clause // this clause does: its other literals are false; a choice has neither
}

// optionKey identifies an option of an `any` with commitments.
type optionKey struct {
	from  problem.NodeID
	goal  *problem.Goal
	index int
}

// literal returns the literal of a bundle.
func (st *State) literal(n problem.NodeID) literal {
	for len(st.varOf) <= int(n) {
		st.varOf = problem.Push(st.varOf, 0)
	}
	if st.varOf[n] == 0 {
		st.vars = problem.Push(st.vars, variable{node: n})
		st.varOf[n] = int32(len(st.vars))
	}
	return literalOf(st.varOf[n] - 1)
}

// optionLiteral returns the literal of the i-th option of a decision.
func (st *State) optionLiteral(d Decision, i int, o Option) literal {
	if len(o.Commits) == 0 {
		return st.literal(o.Node)
	}
	key := optionKey{d.From, d.Goal, i}
	v, ok := st.options[key]
	if !ok {
		if st.options == nil {
			st.options = make(map[optionKey]int32)
		}
		v = int32(len(st.vars))
		if st.proof != nil {
			st.proof.optionOf[v] = OptionOf{d.From, d.Req, d.Goal, i}
		}
		st.vars, st.options[key] = problem.Push(st.vars, variable{node: o.Node, option: true}), v
	}
	return literalOf(v)
}

// assignmentOf returns the assignment of a literal's variable, nil if it is unassigned.
func (st *State) assignmentOf(l literal) *assignment {
	if at := st.vars[l.variable()].at; at != 0 {
		return &st.assigned[at-1]
	}
	return nil
}

func (st *State) isTrue(l literal) bool {
	at := st.vars[l.variable()].at
	return at != 0 && st.assigned[at-1].literal == l
}

// implied reports whether the choices so far imply that a bundle is in the set.
func (st *State) implied(n problem.NodeID) bool {
	return int(n) < len(st.varOf) && st.varOf[n] != 0 && st.isTrue(literalOf(st.varOf[n]-1))
}

// excluded reports whether the choices so far imply that a bundle is not in the set.
func (st *State) excluded(n problem.NodeID) bool {
	return int(n) < len(st.varOf) && st.varOf[n] != 0 && st.isTrue(literalOf(st.varOf[n]-1).not())
}

// levelOf returns the decision level of a false literal.
func (st *State) levelOf(l literal) int32 { return st.assignmentOf(l).level }

// assign makes a literal true.
func (st *State) assign(a assignment) {
	v := &st.vars[a.literal.variable()]
	st.assigned = problem.Push(st.assigned, a)
	v.at = int32(len(st.assigned))
	if a.literal.positive() && !v.option {
		st.occupy(v.node)
	}
}

// imply makes a literal true because another one implies it; noLiteral if it always holds.
func (st *State) imply(l, by literal) {
	level := int32(0)
	if by != noLiteral {
		level = st.levelOf(by)
	}
	st.assign(assignment{literal: l, level: level, by: by})
}

// unassign removes all assignments above a decision level, from an index on. Assignments of lower
// levels that were made out of order stay, and are propagated again.
func (st *State) unassign(from int, level int32) {
	kept := st.kept[:0]
	for i := len(st.assigned) - 1; i >= from; i-- {
		a := &st.assigned[i]
		v := &st.vars[a.literal.variable()]
		v.at = 0
		if a.level <= level {
			kept = append(kept, *a)
		} else if a.literal.positive() && !v.option {
			st.vacate(v.node)
		}
	}
	clear(st.assigned[from:])
	st.assigned, st.next = st.assigned[:from], min(st.next, from)
	for i := len(kept) - 1; i >= 0; i-- {
		st.assigned = append(st.assigned, kept[i])
		st.vars[kept[i].literal.variable()].at = int32(len(st.assigned))
	}
	st.repeated += len(kept)
	clear(kept)
	st.kept = kept
}

// forget removes all variables and clauses of a state with an empty trail.
func (st *State) forget() {
	st.unassign(0, -1)
	for i := range st.vars {
		if v := &st.vars[i]; !v.option {
			st.varOf[v.node] = 0
		}
	}
	st.vars, st.options, st.clauses = st.vars[:0], nil, clauses{}
	st.root, st.deepest, st.reached, st.deadEnds, st.repeated, st.steps = 0, depth{}, 0, 0, 0, 0
}
