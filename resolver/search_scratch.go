package resolver

import "sync"

// searchMemory is where searches get memory to use one after the other.
type searchMemory struct{ pool sync.Pool }

// searchScratch is such memory: what is in it lives as long as its search.
type searchScratch struct {
	queue  []decision
	trail  []choice
	chosen []nodeID
	in     []int32
	byPkg  []nodeID
	byGVK  []nodeID
}

// The sizes of a search, in bundles that are chosen and in bundles that are reached,
// from which on it uses a scratch, and up to which that is kept for the next one.
const (
	largeSearch = 32
	mostReached = 1 << 14
)

// grow moves a search that has become large into a scratch.
func (st *state) grow() {
	if st.scratch != nil || st.opts.Memory == nil {
		return
	}
	s, ok := st.opts.Memory.pool.Get().(*searchScratch)
	if !ok {
		s = &searchScratch{}
	}
	st.scratch = s
	st.queue = append(s.queue, st.queue...)
	st.trail = append(s.trail, st.trail...)
	st.chosen = append(s.chosen, st.chosen...)
	st.in = append(s.in, st.in...)
	st.byPkg = append(s.byPkg, st.byPkg...)
	st.byGVK = append(s.byGVK, st.byGVK...)
}

// Release gives the memory of a search and of its problem back, which nobody may use
// any more: an answer has nothing of it.
func (st *state) Release() {
	if s := st.scratch; s != nil && len(st.p.nodes) <= mostReached {
		st.scratch = nil
		s.queue, s.trail, s.chosen = emptied(st.queue), emptied(st.trail), emptied(st.chosen)
		s.in, s.byPkg, s.byGVK = emptied(st.in), emptied(st.byPkg), emptied(st.byGVK)
		st.opts.Memory.pool.Put(s)
	}
	st.p.release()
}
