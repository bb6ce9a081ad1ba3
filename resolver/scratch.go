package resolver

import (
	"sync"

	"github.com/seed109e2655/resolute/properties"
)

// memory is where problems get memory to use one after the other.
type memory struct{ pool sync.Pool }

// scratch is such memory: what is in it lives as long as its problem. A problem
// starts without, so that small ones neither wait for it nor clear what a large one
// left.
type scratch struct {
	nodes    []node
	index    map[nodeKey]nodeID
	pkgs     map[string]int32
	gvks     map[properties.GVK]int32
	atoms    map[string]*atom
	atomSlab slab[atom]
	listSlab slab[candidates]
	gvkList  []int32
	reqList  []requirement
}

// The sizes of a problem, in nodes, from which on it uses a scratch, and up to
// which that is kept for the next one: clearing it takes time as well.
const (
	scratchFrom = 64
	scratchMost = 1 << 14
)

// grow moves a problem that has become large into a scratch.
func (p *problem) grow() {
	if p.scratch != nil || p.explaining || p.memory == nil || len(p.nodes) < scratchFrom {
		return
	}
	s, ok := p.memory.pool.Get().(*scratch)
	if !ok {
		s = &scratch{index: make(map[nodeKey]nodeID), pkgs: make(map[string]int32),
			gvks: make(map[properties.GVK]int32), atoms: make(map[string]*atom)}
	}
	p.scratch = s
	p.nodes = append(s.nodes[:0], p.nodes...)
	p.index = moved(p.index, s.index)
	p.pkgs = moved(p.pkgs, s.pkgs)
	p.gvks = moved(p.gvks, s.gvks)
	p.atoms = moved(p.atoms, s.atoms)
	p.atomSlab, p.listSlab = s.atomSlab, s.listSlab
	p.gvkList, p.reqList = s.gvkList[:0], s.reqList[:0] // what the old ones have stays where it is
}

// release gives the scratch of a problem back, which nobody may use any more: an
// answer has nothing of it.
func (p *problem) release() {
	s := p.scratch
	if s == nil || len(p.nodes) > scratchMost {
		return
	}
	p.scratch = nil
	s.nodes, s.gvkList, s.reqList = emptied(p.nodes), emptied(p.gvkList), emptied(p.reqList)
	clear(p.index)
	clear(p.pkgs)
	clear(p.gvks)
	clear(p.atoms)
	s.atomSlab, s.listSlab = p.atomSlab, p.listSlab
	s.atomSlab.reset()
	s.listSlab.reset()
	p.memory.pool.Put(s)
}
