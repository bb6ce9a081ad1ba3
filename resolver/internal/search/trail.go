package search

import (
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// literal is a variable, or its negation: twice its number, and one more if negated.
type literal int32

// noLiteral is no literal.
const noLiteral literal = -1

func literalOf(v int32) literal   { return literal(v << 1) }
func (l literal) not() literal    { return l ^ 1 }
func (l literal) positive() bool  { return l&1 == 0 }
func (l literal) variable() int32 { return int32(l >> 1) }

// variable says that a bundle is in the set, or that a bundle commits to an option.
type variable struct {
	node      problem.NodeID // of the bundle, or the one that the option adds; NoNode for none
	option    bool
	mentioned bool  // a clause has it, not negated
	at        int32 // 0 while it has no value, else the place of its assignment from 1
}

// assignment is a literal that is true, and why. What is assigned at a level follows from the
// choices up to that level; level 0 holds whatever is chosen.
type assignment struct {
	literal literal
	level   int32
	seen    bool    // used by one analysis
	by      literal // it follows from this literal alone, or
	clause  *clause // all other literals of this clause are false; a choice has neither
}

// optionKey is an option of an `any` that commits to something.
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

// assignmentOf returns the assignment of a literal, nil if it has none.
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

// implied reports whether a bundle is in each solution with the choices so far.
func (st *State) implied(n problem.NodeID) bool {
	return int(n) < len(st.varOf) && st.varOf[n] != 0 && st.isTrue(literalOf(st.varOf[n]-1))
}

// excluded reports whether a bundle was found to be in no solution with the choices so far.
func (st *State) excluded(n problem.NodeID) bool {
	return int(n) < len(st.varOf) && st.varOf[n] != 0 && st.isTrue(literalOf(st.varOf[n]-1).not())
}

// levelOf is the level of a literal that is false.
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

// imply makes a literal true that follows from another one alone; noLiteral for one that
// holds in any case.
func (st *State) imply(l, by literal) {
	level := int32(0)
	if by != noLiteral {
		level = st.levelOf(by)
	}
	st.assign(assignment{literal: l, level: level, by: by})
}

// unassign takes all assignments of higher levels back. What was found late and follows from
// earlier choices stays, and is propagated again.
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
	clear(kept)
	st.kept = kept
}

// forget removes all variables and clauses, of a state without choices.
func (st *State) forget() {
	st.unassign(0, -1)
	for i := range st.vars {
		if v := &st.vars[i]; !v.option {
			st.varOf[v.node] = 0
		}
	}
	st.vars, st.options, st.clauses = st.vars[:0], nil, clauses{}
	st.root, st.deepest, st.reached, st.deadEnds = 0, depth{}, 0, 0
}
