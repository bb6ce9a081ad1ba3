package search

import (
	"sync"

	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Memory pools the scratch buffers of searches. It is safe for concurrent use.
type Memory struct{ pool sync.Pool }

// lists grow with the selected bundles.
type lists struct {
	Queue  []Decision
	Trail  []Choice
	Chosen []problem.NodeID
	in     []int32          // by node, see numberOf
	byPkg  []problem.NodeID // by package, NoNode if free
	byGVK  []problem.NodeID // by GVK, NoNode if free

	// assigned has the choices and the literals that they imply, in the order of assignment. An
	// implied bundle is in each solution with these choices, but not selected yet.
	assigned []assignment
	vars     []variable
	varOf    []int32 // by node: its variable + 1, 0 for none
}

// A search with at least largeSearch selected bundles uses pooled lists. Lists of a problem with
// more than maxReached reached bundles are not returned to the pool.
const (
	largeSearch = 32
	maxReached  = 1 << 14
)

// grow moves a search that has become large into pooled lists.
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

// Release returns the lists of a search and the tables of its problem to their pools. Neither may be
// used afterwards. An answer does not refer to them.
func (st *State) Release() {
	if s := st.scratch; s != nil && len(st.u.Nodes) <= maxReached {
		*s, st.scratch = lists{problem.Reset(st.Queue), problem.Reset(st.Trail), problem.Reset(st.Chosen),
			problem.Reset(st.in), problem.Reset(st.byPkg), problem.Reset(st.byGVK),
			problem.Reset(st.assigned), problem.Reset(st.vars), problem.Reset(st.varOf)}, nil
		st.memory.pool.Put(s)
	}
	st.u.Release()
}
