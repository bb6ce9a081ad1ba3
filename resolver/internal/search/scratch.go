package search

import (
	"github.com/seed109e2655/resolute/resolver/internal/memory"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

import "sync"

// Memory is where searches get memory to use one after the other.
type Memory struct{ pool sync.Pool }

// scratch is such memory: what is in it lives as long as its search.
type scratch struct {
	queue  []Decision
	trail  []Choice
	chosen []problem.NodeID
	in     []int32
	byPkg  []problem.NodeID
	byGVK  []problem.NodeID
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
	s, ok := st.memory.pool.Get().(*scratch)
	if !ok {
		s = &scratch{}
	}
	st.scratch = s
	st.Queue = append(s.queue, st.Queue...)
	st.Trail = append(s.trail, st.Trail...)
	st.Chosen = append(s.chosen, st.Chosen...)
	st.in = append(s.in, st.in...)
	st.byPkg = append(s.byPkg, st.byPkg...)
	st.byGVK = append(s.byGVK, st.byGVK...)
}

// Release gives the memory of a search and of its problem back, which nobody may use
// any more: an answer has nothing of it.
func (st *State) Release() {
	if s := st.scratch; s != nil && len(st.p.Nodes) <= mostReached {
		st.scratch = nil
		s.queue, s.trail, s.chosen = memory.Emptied(st.Queue), memory.Emptied(st.Trail), memory.Emptied(st.Chosen)
		s.in, s.byPkg, s.byGVK = memory.Emptied(st.in), memory.Emptied(st.byPkg), memory.Emptied(st.byGVK)
		st.memory.pool.Put(s)
	}
	st.p.Release()
}
