package problem

import (
	"maps"
	"sync"

	"github.com/seed109e2655/resolute/properties"
)

// Memory is where problems get memory to use one after the other, and what was read before.
// It is safe for concurrent use.
type Memory struct {
	pool   sync.Pool
	lock   sync.Mutex
	ranges map[string]*Range // by their text, at most maxRanges
}

// maxRanges bounds the ranges that are remembered. Then all are forgotten.
const maxRanges = 256

// Range is [ParseRange], and remembers what it read. Nil remembers nothing.
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

// tables are what grows with the bundles that are reached. In memory that is used again they
// live as long as their problem. A problem starts without, so that small ones neither wait for
// it nor clear what a large one left.
type tables struct {
	Nodes    []Node
	index    map[nodeKey]NodeID
	Pkgs     map[string]int32
	GVKs     map[properties.GVK]int32
	gvkList  []int32 // what the GVKs of all nodes are parts of
	atoms    map[atomKey]*Atom
	apiAtoms []*Atom // by GVK, nil where none asks for it
	reqSlab  Slab[Requirement]
	atomSlab Slab[Atom]
	listSlab Slab[Candidates]
}

// The sizes of a problem, in nodes, from which on it uses a scratch, and up to
// which that is kept for the next one: clearing it takes time as well.
const (
	scratchFrom = 64
	scratchMost = 1 << 14
)

// Grow moves a problem that has become large into a scratch.
func (u *Universe) Grow() {
	if u.scratch != nil || u.KeepExcluded || u.Memory == nil || len(u.Nodes) < scratchFrom {
		return
	}
	s, ok := u.Memory.pool.Get().(*tables)
	if !ok {
		s = &tables{index: make(map[nodeKey]NodeID), Pkgs: make(map[string]int32),
			GVKs: make(map[properties.GVK]int32), atoms: make(map[atomKey]*Atom)}
	}
	s.Nodes = append(s.Nodes, u.Nodes...) // what other lists have stays where it is
	maps.Copy(s.index, u.index)
	maps.Copy(s.Pkgs, u.Pkgs)
	maps.Copy(s.GVKs, u.GVKs)
	maps.Copy(s.atoms, u.atoms)
	s.apiAtoms = append(s.apiAtoms, u.apiAtoms...)
	u.tables, u.scratch = *s, s
}

// Release gives the scratch of a problem back, which nobody may use any more: an
// answer has nothing of it.
func (u *Universe) Release() {
	s := u.scratch
	if s == nil || len(u.Nodes) > scratchMost {
		return
	}
	*s, u.scratch = u.tables, nil
	s.Nodes, s.gvkList, s.apiAtoms = Reset(s.Nodes), Reset(s.gvkList), Reset(s.apiAtoms)
	clear(s.index)
	clear(s.Pkgs)
	clear(s.GVKs)
	clear(s.atoms)
	s.reqSlab.Reset()
	s.atomSlab.Reset()
	s.listSlab.Reset()
	u.Memory.pool.Put(s)
}
