package resolver

import (
	"sync"

	"github.com/seed109e2655/resolute/properties"
)

// scratch is memory that problems of some size use one after the other: what is
// in it lives as long as its problem. A problem starts without, so that small
// ones neither wait for it nor clear what a large one left.
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

	queue  []decision
	trail  []choice
	chosen []nodeID
	in     []int32
	byPkg  []nodeID
	byGVK  []nodeID
}

// The sizes of a problem, in nodes, from which on it uses a scratch, and up to
// which that is kept for the next one: clearing it takes time as well.
const (
	scratchFrom = 64
	scratchMost = 1 << 14
)

// newScratches returns a place to get scratches from.
func newScratches() *sync.Pool {
	return &sync.Pool{New: func() any {
		return &scratch{
			index: make(map[nodeKey]nodeID), pkgs: make(map[string]int32),
			gvks: make(map[properties.GVK]int32), atoms: make(map[string]*atom),
		}
	}}
}

// grown moves a problem that has become larger into a scratch.
func (p *problem) grown() {
	if p.scratch != nil || p.explaining || p.config.scratches == nil {
		return
	}
	s := p.config.scratches.Get().(*scratch)
	p.scratch = s
	p.nodes = append(s.nodes[:0], p.nodes...)
	p.index = moved(p.index, s.index)
	p.pkgs = moved(p.pkgs, s.pkgs)
	p.gvks = moved(p.gvks, s.gvks)
	p.atoms = moved(p.atoms, s.atoms)
	p.atomSlab, p.listSlab = s.atomSlab, s.listSlab
	p.gvkList, p.reqList = s.gvkList[:0], s.reqList[:0] // what the old ones have stays where it is
	if st := p.deciding; st != nil {
		st.queue = append(s.queue[:0], st.queue...)
		st.trail = append(s.trail[:0], st.trail...)
		st.chosen = append(s.chosen[:0], st.chosen...)
		st.in = append(s.in[:0], st.in...)
		st.byPkg = append(s.byPkg[:0], st.byPkg...)
		st.byGVK = append(s.byGVK[:0], st.byGVK...)
	}
}

// moved puts all of a map into another one, which is empty.
func moved[K comparable, V any](from, to map[K]V) map[K]V {
	for k, v := range from { // in any order
		to[k] = v
	}
	return to
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
	if st := p.deciding; st != nil {
		s.queue, s.trail, s.chosen = emptied(st.queue), emptied(st.trail), emptied(st.chosen)
		s.in, s.byPkg, s.byGVK = emptied(st.in), emptied(st.byPkg), emptied(st.byGVK)
	}
	p.config.scratches.Put(s)
}

// emptied returns a list without items that holds on to nothing.
func emptied[T any](list []T) []T {
	clear(list[:cap(list)])
	return list[:0]
}
