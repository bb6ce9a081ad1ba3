package straight

import (
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/memory"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// cluster is what is installed at one point of a road.
type cluster struct {
	members  []problem.NodeID        // in the order in which they came, those that left included
	count    int                     // of those that are there
	in       []*graph.Channel        // by node: the channel it is followed in, nil if it is not there
	had      [kinds][]problem.NodeID // by place: who has it
	restless []problem.NodeID        // that are to move in the next round, if they are there
	moves    []move                  // of the latest round
	todo     []problem.NodeID        // whose requirements are to be looked at

	settled []int32 // by node: the settling that it came in, or that was the latest when it came
	turn    int32

	reached []int32 // by node: the last walk that came by
	walk    int32
}

// move is a bundle that leaves, with the channel that it is followed in.
type move struct {
	from problem.NodeID
	in   *graph.Channel
}

// leave empties the cluster.
func (c *cluster) leave(p *problem.Problem, known []bundle) {
	for _, n := range c.members {
		if c.in[n] != nil {
			c.take(p, n, &known[n])
		}
	}
	c.members, c.restless, c.todo = c.members[:0], c.restless[:0], c.todo[:0]
}

// take takes a member away, out of as many of its places as it has.
func (c *cluster) take(p *problem.Problem, n problem.NodeID, b *bundle) {
	c.in[n] = nil
	c.count--
	c.free(place{ofName, b.name}, n)
	c.free(place{ofPackage, p.Nodes[n].Pkg}, n)
	for _, g := range p.Nodes[n].GVKs {
		c.free(place{ofAPI, g}, n)
	}
}

// free frees a place if a bundle has it.
func (c *cluster) free(at place, n problem.NodeID) {
	if c.has(at) == n {
		c.had[at.kind][at.id] = problem.NoNode
	}
}

// has returns who has a place, NoNode if nobody does.
func (c *cluster) has(at place) problem.NodeID {
	if list := c.had[at.kind]; int(at.id) < len(list) {
		return list[at.id]
	}
	return problem.NoNode
}

// give has a bundle have a place, and reports whether it is free.
func (c *cluster) give(at place, n problem.NodeID) bool {
	if has := c.has(at); has != problem.NoNode {
		return has == n
	}
	list := &c.had[at.kind]
	for len(*list) <= int(at.id) {
		*list = memory.Push(*list, problem.NoNode)
	}
	(*list)[at.id] = n
	return true
}

// add adds a bundle, and reports whether it is plain and has all of its places. Where not,
// the road ends.
func (r *Roads) add(n problem.NodeID, ch *graph.Channel) bool {
	b := r.of(n)
	for len(r.in) <= int(n) {
		r.in, r.settled = memory.Push(r.in, nil), memory.Push(r.settled, 0)
	}
	if !b.plain || ch == nil || r.in[n] != nil {
		return false
	}
	r.in[n], r.settled[n] = ch, r.turn
	r.members = memory.Push(r.members, n)
	r.count++
	if !r.give(place{ofName, b.name}, n) || !r.give(place{ofPackage, r.p.Nodes[n].Pkg}, n) {
		return false
	}
	for _, g := range r.p.Nodes[n].GVKs {
		if !r.give(place{ofAPI, g}, n) {
			return false
		}
	}
	if r.next(n, ch) != n {
		r.restless = append(r.restless, n)
	}
	r.todo = memory.Push(r.todo, n)
	return true
}

// round goes on by one round. It reports whether that changes anything, and whether every
// first choice holds; what the subscription owns may become something else.
func (r *Roads) round(owned *problem.NodeID) (changes, ok bool) {
	r.moves = r.moves[:0]
	for _, n := range r.restless {
		if ch := r.in[n]; ch != nil {
			r.moves = append(r.moves, move{n, ch})
		}
	}
	r.restless = r.restless[:0]
	for _, m := range r.moves {
		r.take(r.p, m.from, &r.bundles[m.from])
	}
	for _, m := range r.moves {
		to := r.next(m.from, m.in)
		if *owned == m.from {
			*owned = to
		}
		if r.p.Tick(); !r.add(to, m.in) {
			return true, false
		}
	}
	for _, m := range r.moves {
		r.ask(place{ofPackage, r.p.Nodes[m.from].Pkg})
		for _, g := range r.p.Nodes[m.from].GVKs {
			if at := (place{ofAPI, g}); r.has(at) == problem.NoNode {
				r.ask(at)
			}
		}
	}
	before := len(r.members)
	ok = r.settle()
	return len(r.moves) > 0 || len(r.members) > before, ok
}

// ask has the requirements of all members looked at that want something of a place.
func (r *Roads) ask(at place) {
	if int(at.id) >= len(r.needers[at.kind]) {
		return
	}
	for _, n := range r.needers[at.kind][at.id] {
		if r.p.Tick(); int(n) < len(r.in) && r.in[n] != nil {
			r.todo = memory.Push(r.todo, n)
		}
	}
}

// settle adds what the members lack, always the best candidate, and what that lacks. It
// reports whether all of it can be added. Where several are asked at the same time that
// were there before, it must not matter which of them is asked first.
func (r *Roads) settle() bool {
	r.turn++
	alone := len(r.todo) <= 1
	for i := 0; i < len(r.todo); i++ {
		n := r.todo[i]
		if r.in[n] == nil { // it was asked before it moved
			continue
		}
		for k := range r.bundles[n].wants {
			if r.p.Tick(); r.p.Stopped() {
				return false
			}
			w := &r.bundles[n].wants[k]
			switch m := r.has(w.slot); {
			case m == problem.NoNode:
				if best := r.first(n, k); best == problem.NoNode || !r.add(best, r.of(best).home) {
					return false
				}
			case w.drawn && m == w.first: // it is what would be chosen
			case !r.p.Matches(w.atom, m):
				return false
			case !alone && m != n && r.settled[m] == r.turn && m != r.first(n, k):
				return false
			}
		}
	}
	r.todo = r.todo[:0]
	return true
}
