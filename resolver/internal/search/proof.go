package search

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Derived is a clause of a proof: unit propagation refutes the negation of its literals, given the
// problem and the clauses before it. The last clause of an unsatisfiable problem is empty.
type Derived struct {
	Literals []Literal
	Hints    []Hint
}

// Literal is the proposition that a bundle is in the set, or that a bundle commits to an option, or
// the negation.
type Literal struct {
	Node    problem.NodeID
	Option  *OptionOf // nil for the bundle itself
	Negated bool
}

// OptionOf identifies an option of an `any` with commitments.
type OptionOf struct {
	From  problem.NodeID
	Req   int32
	Goal  *problem.Goal
	Index int
}

// Hint is one step of unit propagation.
type Hint struct {
	Clause  int     // the number of a clause from 1, which implies a literal; 0 for none
	Refuted Literal // if neither other field is set: a literal that its own constraints or commitments refute
	Demands bool    // some demand has no candidate left
}

// proofLog collects the clauses of a search, each with the hints that make checking it linear.
type proofLog struct {
	clauses []logged
	at      []int32 // by variable: the latest walk that visited it
	walk    int32

	optionOf map[int32]OptionOf // by variable
}

type logged struct {
	literals []literal
	hints    []hint
}

// hint is the number of a clause; if negative, -(v+1) for a variable v that its requirements refute;
// or 0 for the demands.
type hint int32

// log numbers a clause and records its derivation: the steps that make the literals because false,
// then the violated clause, if there is one, and more hints.
func (st *State) log(c *clause, because []literal, conflict *clause, more ...hint) {
	if st.proof == nil {
		return
	}
	if conflict != nil && conflict.step > 0 && len(conflict.literals) == len(c.literals) &&
		!slices.ContainsFunc(c.literals, func(l literal) bool { return !slices.Contains(conflict.literals, l) }) {
		c.step = conflict.step // it is the same clause
		return
	}
	hints := st.derive(because, c.literals)
	if conflict != nil && conflict.step > 0 {
		hints = append(hints, hint(conflict.step))
	}
	st.proof.clauses = append(st.proof.clauses, logged{slices.Clone(c.literals), append(hints, more...)})
	c.step = int32(len(st.proof.clauses))
}

// derive lists the steps that make some falsified literals false, given the choices and other false
// literals.
func (st *State) derive(falsified, given []literal) []hint {
	w := st.proof
	for len(w.at) < len(st.vars) {
		w.at = append(w.at, 0)
	}
	w.walk++
	for _, l := range given {
		w.at[l.variable()] = w.walk
	}
	var hints []hint
	for _, l := range falsified {
		hints = st.deriveOne(l, hints)
	}
	return hints
}

func (st *State) deriveOne(l literal, hints []hint) []hint {
	v := l.variable()
	a := st.assignmentOf(l)
	if st.proof.at[v] == st.proof.walk || a == nil {
		return hints
	}
	st.proof.at[v] = st.proof.walk
	a.antecedents(func(l literal) { hints = st.deriveOne(l, hints) })
	switch c := a.clause; {
	case c == nil:
	case c.about == a.literal.not():
		hints = append(append(hints, st.proof.clauses[c.step-1].hints...), -hint(v+1))
	default:
		hints = append(hints, hint(c.step))
	}
	return hints
}

// Proof has the learned clauses of a search that are needed.
type Proof struct {
	Clauses []Derived
	// Choices has, for each choice of the trail, the options that were rejected before it.
	Choices [][]Rejected
}

// Rejected is an option that a decision rejected: it contradicts the choices before.
type Rejected struct {
	Literal Literal
	Hints   []Hint
}

// Proof returns the proof of a logged search that is complete, or hopeless: without a solution.
func (st *State) Proof(hopeless bool) Proof {
	var out Proof
	var rejections [][]hint
	for _, c := range st.Trail {
		d := st.Queue[c.Decision]
		opts := st.OptionsOf(d)
		var list []Rejected
		for i := range c.Option {
			o, ok := opts.At(i)
			if !ok {
				break
			}
			l := st.optionLiteral(d, i, o)
			hints := st.derive([]literal{l}, nil)
			if k := len(hints) - 1; k >= 0 && hints[k] == -hint(l.variable()+1) {
				hints = hints[:k] // the checker tries this step anyway
			}
			list = append(list, Rejected{Literal: st.named(l)})
			rejections = append(rejections, hints)
		}
		out.Choices = append(out.Choices, list)
	}
	number := st.needed(rejections, hopeless)
	for i, c := range st.proof.clauses {
		if number[i+1] > 0 {
			d := Derived{Hints: st.hints(c.hints, number)}
			for _, l := range c.literals {
				d.Literals = append(d.Literals, st.named(l))
			}
			out.Clauses = append(out.Clauses, d)
		}
	}
	for _, list := range out.Choices {
		for i := range list {
			list[i].Hints = st.hints(rejections[0], number)
			rejections = rejections[1:]
		}
	}
	return out
}

// needed numbers, from 1, the clauses that hints use directly or indirectly, and the last clause if
// requested. Other clauses get 0.
func (st *State) needed(rejections [][]hint, last bool) []int {
	number := make([]int, len(st.proof.clauses)+1)
	mark := func(hints []hint) {
		for _, h := range hints {
			if h > 0 {
				number[h] = 1
			}
		}
	}
	for _, hints := range rejections {
		mark(hints)
	}
	if last {
		number[len(number)-1] = 1
	}
	for i, c := range slices.Backward(st.proof.clauses) {
		if number[i+1] > 0 {
			mark(c.hints)
		}
	}
	n := 0
	for i := range number {
		if i > 0 && number[i] > 0 {
			n++
			number[i] = n
		}
	}
	return number
}

func (st *State) hints(list []hint, number []int) []Hint {
	var out []Hint
	for _, h := range list {
		switch {
		case h > 0:
			out = append(out, Hint{Clause: number[h]})
		case h < 0:
			out = append(out, Hint{Refuted: st.named(literalOf(int32(-h - 1)))})
		default:
			out = append(out, Hint{Demands: true})
		}
	}
	return out
}

// named translates a literal.
func (st *State) named(l literal) Literal {
	v := &st.vars[l.variable()]
	out := Literal{Node: v.node, Negated: !l.positive()}
	if v.option {
		key := st.proof.optionOf[l.variable()]
		out.Option = &key
	}
	return out
}

// ChoiceLiteral returns the literal of the i-th choice of the trail.
func (st *State) ChoiceLiteral(i int) Literal {
	c := st.Trail[i]
	return st.named(st.optionLiteral(st.Queue[c.Decision], c.Option, c.Picked))
}
