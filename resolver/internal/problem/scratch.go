package problem

import (
	"sync"

	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/internal/memory"
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

// scratch is such memory: what is in it lives as long as its problem. A problem
// starts without, so that small ones neither wait for it nor clear what a large one
// left.
type scratch struct {
	nodes    []Node
	index    map[nodeKey]NodeID
	pkgs     map[string]int32
	GVKs     map[properties.GVK]int32
	atoms    map[atomKey]*Atom
	atomSlab memory.Slab[Atom]
	listSlab memory.Slab[Candidates]
	gvkList  []int32
	reqList  []Requirement
}

// The sizes of a problem, in nodes, from which on it uses a scratch, and up to
// which that is kept for the next one: clearing it takes time as well.
const (
	scratchFrom = 64
	scratchMost = 1 << 14
)

// Grow moves a problem that has become large into a scratch.
func (p *Problem) Grow() {
	if p.scratch != nil || p.Explaining || p.Memory == nil || len(p.Nodes) < scratchFrom {
		return
	}
	s, ok := p.Memory.pool.Get().(*scratch)
	if !ok {
		s = &scratch{index: make(map[nodeKey]NodeID), pkgs: make(map[string]int32),
			GVKs: make(map[properties.GVK]int32), atoms: make(map[atomKey]*Atom)}
	}
	p.scratch = s
	p.Nodes = append(s.nodes[:0], p.Nodes...)
	p.index = memory.Moved(p.index, s.index)
	p.Pkgs = memory.Moved(p.Pkgs, s.pkgs)
	p.GVKs = memory.Moved(p.GVKs, s.GVKs)
	p.atoms = memory.Moved(p.atoms, s.atoms)
	p.atomSlab, p.listSlab = s.atomSlab, s.listSlab
	p.gvkList, p.reqList = s.gvkList[:0], s.reqList[:0] // what the old ones have stays where it is
}

// Release gives the scratch of a problem back, which nobody may use any more: an
// answer has nothing of it.
func (p *Problem) Release() {
	s := p.scratch
	if s == nil || len(p.Nodes) > scratchMost {
		return
	}
	p.scratch = nil
	s.nodes, s.gvkList, s.reqList = memory.Emptied(p.Nodes), memory.Emptied(p.gvkList), memory.Emptied(p.reqList)
	clear(p.index)
	clear(p.Pkgs)
	clear(p.GVKs)
	clear(p.atoms)
	s.atomSlab, s.listSlab = p.atomSlab, p.listSlab
	s.atomSlab.Reset()
	s.listSlab.Reset()
	p.Memory.pool.Put(s)
}
