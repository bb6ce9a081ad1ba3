package problem

import (
	"maps"
	"slices"
	"sync"

	"github.com/seed109e2655/resolute/properties"
)

// Memory pools the scratch buffers of problems, and caches parsed ranges. It is safe for concurrent
// use.
type Memory struct {
	pool   sync.Pool
	lock   sync.Mutex
	ranges map[string]*Range // by text, at most maxRanges
}

// maxRanges is the maximum number of cached ranges. At the limit the cache is emptied.
const maxRanges = 256

// Range is [ParseRange] with a cache. It does not cache if m is nil.
func (m *Memory) Range(text string) (*Range, error) {
	if m == nil || text == "" {
		return ParseRange(text)
	}
	m.lock.Lock()
	r := m.ranges[text]
	m.lock.Unlock()
	if r != nil {
		return r, nil
	}
	r, err := ParseRange(text)
	if err != nil {
		return nil, err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.ranges == nil || len(m.ranges) == maxRanges {
		m.ranges = make(map[string]*Range)
	}
	m.ranges[text] = r
	return r, nil
}

// tables grow with the bundles that are reached. Pooled tables live as long as their problem. A
// problem starts without them, so that small problems neither wait for the pool nor clear the
// tables of a large one.
type tables struct {
	Nodes    []Node
	index    map[nodeKey]NodeID
	Pkgs     map[string]int32
	GVKs     map[properties.GVK]int32
	gvkList  []int32 // backing array of the GVKs of all nodes
	atoms    map[atomKey]*Atom
	apiAtoms []*Atom // by GVK, nil if no constraint requires it
}

// A problem with at least scratchMin nodes uses pooled tables. Tables with more than scratchMax
// nodes are not returned to the pool, because clearing them takes time too.
const (
	scratchMin = 64
	scratchMax = 1 << 14
)

// Grow moves a problem that has become large into pooled tables.
func (u *Universe) Grow() {
	if u.scratch != nil || u.KeepExcluded || u.Memory == nil || len(u.Nodes) < scratchMin {
		return
	}
	s, ok := u.Memory.pool.Get().(*tables)
	if !ok {
		s = &tables{index: make(map[nodeKey]NodeID), Pkgs: make(map[string]int32),
			GVKs: make(map[properties.GVK]int32), atoms: make(map[atomKey]*Atom)}
	}
	s.Nodes = append(s.Nodes, u.Nodes...)
	maps.Copy(s.index, u.index)
	maps.Copy(s.Pkgs, u.Pkgs)
	maps.Copy(s.GVKs, u.GVKs)
	maps.Copy(s.atoms, u.atoms)
	s.apiAtoms = append(s.apiAtoms, u.apiAtoms...)
	u.tables, u.scratch = *s, s
}

// Release returns the tables of a problem to the pool. The problem must not be used afterwards. An
// answer does not refer to it.
func (u *Universe) Release() {
	s := u.scratch
	if s == nil || len(u.Nodes) > scratchMax {
		return
	}
	*s, u.scratch = u.tables, nil
	s.Nodes, s.gvkList, s.apiAtoms = Reset(s.Nodes), Reset(s.gvkList), Reset(s.apiAtoms)
	clear(s.index)
	clear(s.Pkgs)
	clear(s.GVKs)
	clear(s.atoms)
	u.Memory.pool.Put(s)
}

// Push appends to a list that may grow large. It doubles the capacity where append adds a quarter,
// so that fewer reallocations leave less garbage.
func Push[T any](list []T, v T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(len(list), 4))
	}
	return append(list, v)
}

// Reset returns an empty list with the same capacity, and clears references to the old items.
func Reset[T any](list []T) []T {
	clear(list[:cap(list)])
	return list[:0]
}
