package search

import (
	"sync"

	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Memory is where searches get memory to use one after the other. What is in it lives as
// long as its search.
type Memory struct{ pool sync.Pool }

// lists are what grows with what is chosen.
type lists struct {
	Queue  []Decision
	Trail  []Choice
	Chosen []problem.NodeID
	in     []int32          // by node, see numberOf
	byPkg  []problem.NodeID // by package, NoNode if free
	byGVK  []problem.NodeID // by GVK, NoNode if free

	// What follows from the choices, in the order in which it was found. That a bundle is
	// in each solution with them does not choose it.
	assigned []assignment
	vars     []variable
	varOf    []int32 // by node: its variable + 1, 0 for none
}

// The sizes of a search, in bundles that are chosen and in bundles that are reached,
// from which on it uses a scratch, and up to which that is kept for the next one.
const (
	largeSearch = 32
	mostReached = 1 << 14
)

// grow moves a search that has become large into a scratch.
func (st *State) grow() {
	if st.scratch != nil || st.memory == nil {
		return
	}
	s, ok := st.memory.pool.Get().(*lists)
	if !ok {
		s = &lists{}
	}
	st.lists, st.scratch = lists{append(s.Queue, st.Queue...), append(s.Trail, st.Trail...), append(s.Chosen, st.Chosen...),
		append(s.in, st.in...), append(s.byPkg, st.byPkg...), append(s.byGVK, st.byGVK...),
		append(s.assigned, st.assigned...), append(s.vars, st.vars...), append(s.varOf, st.varOf...)}, s
}

// Release gives the memory of a search and of its problem back, which nobody may use
// any more: an answer has nothing of it.
func (st *State) Release() {
	if s := st.scratch; s != nil && len(st.u.Nodes) <= mostReached {
		*s, st.scratch = lists{problem.Reset(st.Queue), problem.Reset(st.Trail), problem.Reset(st.Chosen),
			problem.Reset(st.in), problem.Reset(st.byPkg), problem.Reset(st.byGVK),
			problem.Reset(st.assigned), problem.Reset(st.vars), problem.Reset(st.varOf)}, nil
		st.memory.pool.Put(s)
	}
	st.u.Release()
}
