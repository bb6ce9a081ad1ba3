package search

import (
	"math"
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// clause is a disjunction of literals that holds in every solution. It is generated when a look finds
// an option impossible or a decision has no option left, or learned from a conflict. The first two
// literals are watched.
type clause struct {
	literals  []literal
	about     literal    // the literal that it was generated for
	rejection *rejection // why it was generated, if there is an observer
	step      int32      // its number in the proof, from 1; 0 for none
	next      int        // where rewatch resumes in a long clause
}

// clauses are those of a search.
type clauses struct {
	literals int                   // total number in all clauses
	watches  [][]*clause           // by literal: the clauses that watch it
	byPlace  [2][][]problem.NodeID // by package, by API: bundles that clauses mention
}

// add watches a clause of two literals or more. It watches literals that are not false, else those
// of the highest levels. The first literal stays first if it is not false.
func (st *State) add(c *clause) {
	if len(c.literals) < 2 {
		return
	}
	st.literals += len(c.literals)
	for i := range 2 {
		best := i
		for k := i; k < len(c.literals) && st.rank(c.literals[best]) < math.MaxInt32; k++ {
			if st.rank(c.literals[k]) > st.rank(c.literals[best]) {
				best = k
			}
		}
		c.literals[i], c.literals[best] = c.literals[best], c.literals[i]
		st.watch(c.literals[i], c)
	}
	for _, l := range c.literals {
		if v := &st.vars[l.variable()]; l.positive() && !v.mentioned {
			v.mentioned = true
			st.mention(v)
		}
	}
}

// rank returns the level of a false literal, and the maximum for others.
func (st *State) rank(l literal) int32 {
	if a := st.assignmentOf(l); a != nil && a.literal != l {
		return a.level
	}
	return math.MaxInt32
}

func (st *State) watch(l literal, c *clause) {
	for len(st.watches) <= int(l) {
		st.watches = problem.Push(st.watches, nil)
	}
	st.watches[l] = append(st.watches[l], c)
}

// mention registers a bundle by its places, so that propagation excludes it once another bundle
// has one of them.
func (st *State) mention(v *variable) {
	if v.option {
		return
	}
	nd := &st.u.Nodes[v.node]
	note := func(table int, place int32) {
		list := &st.byPlace[table]
		for len(*list) <= int(place) {
			*list = problem.Push(*list, nil)
		}
		(*list)[place] = append((*list)[place], v.node)
	}
	note(0, nd.Pkg)
	for _, g := range nd.GVKs {
		note(1, g)
	}
}

// propagate does unit propagation. It returns a violated clause, or nil.
func (st *State) propagate() *clause {
	for st.next < len(st.assigned) {
		l := st.assigned[st.next].literal
		st.next++
		if st.step() {
			return nil
		}
		if l.positive() {
			if conflict := st.propagatePlaces(l); conflict != nil {
				return conflict
			}
		}
		if conflict := st.propagateClauses(l.not()); conflict != nil {
			return conflict
		}
	}
	return nil
}

// propagatePlaces excludes the bundles that clauses mention and that share a place with a bundle of
// the set. For an option it implies the bundle of the option.
func (st *State) propagatePlaces(l literal) *clause {
	v := st.vars[l.variable()]
	if v.option {
		if v.node == problem.NoNode {
			return nil
		}
		return st.propagateBinary(l, st.literal(v.node))
	}
	if st.Has(v.node) && len(st.watches) == 0 {
		return nil // no clause mentions a bundle, and a look has checked the choice
	}
	if _, by, clashes := st.clash(v.node); clashes {
		if by == problem.NoNode {
			return violated(l.not())
		}
		return violated(l.not(), st.literal(by).not())
	}
	nd := &st.u.Nodes[v.node]
	if conflict := st.excludeRivals(l, 0, nd.Pkg); conflict != nil {
		return conflict
	}
	for _, g := range nd.GVKs {
		if conflict := st.excludeRivals(l, 1, g); conflict != nil {
			return conflict
		}
	}
	return nil
}

func (st *State) excludeRivals(l literal, table int, place int32) *clause {
	if int(place) >= len(st.byPlace[table]) {
		return nil
	}
	n := st.vars[l.variable()].node
	for _, m := range st.byPlace[table][place] {
		if m != n && !st.p.Assumptions.MayCoexist(n, m) {
			if conflict := st.propagateBinary(l, st.literal(m).not()); conflict != nil {
				return conflict
			}
		}
	}
	return nil
}

// violated returns a clause that is only analyzed, not added.
func violated(literals ...literal) *clause { return &clause{literals: literals, about: noLiteral} }

// propagateBinary propagates the implication of one literal by another.
func (st *State) propagateBinary(l, implied literal) *clause {
	switch a := st.assignmentOf(implied); {
	case a == nil:
		st.imply(implied, l)
	case a.literal != implied:
		return violated(l.not(), implied)
	}
	return nil
}

// propagateClauses propagates the clauses that watch a literal which became false.
func (st *State) propagateClauses(falsified literal) *clause {
	if int(falsified) >= len(st.watches) {
		return nil
	}
	list := st.watches[falsified]
	kept := list[:0]
	for i, c := range list {
		if c.literals[0] == falsified {
			c.literals[0], c.literals[1] = c.literals[1], falsified
		}
		first := st.assignmentOf(c.literals[0])
		if first != nil && first.literal == c.literals[0] || st.rewatch(c) {
			if c.literals[1] == falsified {
				kept = append(kept, c)
			}
			continue
		}
		kept = append(kept, c)
		if first != nil {
			kept = append(kept, list[i+1:]...)
			st.watches[falsified] = kept
			return c
		}
		level := int32(0)
		for _, l := range c.literals[1:] {
			level = max(level, st.levelOf(l))
		}
		st.assign(assignment{literal: c.literals[0], level: level, by: noLiteral, clause: c})
	}
	clear(list[len(kept):])
	st.watches[falsified] = kept
	return nil
}

// rewatch replaces the second watched literal of a clause, which is false, by one that is not. It
// reports whether there is one. It resumes at the latest replacement, so that a long clause is not
// scanned from its beginning each time.
func (st *State) rewatch(c *clause) bool {
	possible := func(l literal) bool {
		a := st.assignmentOf(l)
		return a == nil || a.literal == l
	}
	from := max(c.next, 2)
	at := from + slices.IndexFunc(c.literals[from:], possible)
	if at < from {
		if at = 2 + slices.IndexFunc(c.literals[2:from], possible); at < 2 {
			return false
		}
	}
	c.next = at
	c.literals[1], c.literals[at] = c.literals[at], c.literals[1]
	st.watch(c.literals[1], c)
	return true
}
