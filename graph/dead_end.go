package graph

import (
	"context"
	"slices"
)

// DeadEnd is a version from which the head of a channel cannot be reached.
type DeadEnd struct {
	// Bundle is its name. Furthest is the version nearest to the head that upgrades from it
	// lead to, or Bundle again where they lead nowhere nearer.
	Bundle, Furthest string
}

// DeadEnds returns the versions from which the head of the channel cannot be
// reached: every entry but the head from which no path inside the channel ends
// there. Skipped, quarantined and virtual entries count, because a cluster may
// still run them. A quarantined channel has no head, and so no dead ends; its
// problem says it all. They come as all bundles of [Updates] do.
//
// The error is the cause of the end of ctx.
func (c *Channel) DeadEnds(ctx context.Context) ([]DeadEnd, error) {
	if c.Head() == nil {
		return nil, nil
	}
	u, err := newUpdates(ctx, c.Package, []*Channel{c}, UpdateOptions{ListedOnly: true})
	if err != nil {
		return nil, err
	}
	furthest, err := u.furthest(ctx, c)
	if err != nil {
		return nil, err
	}
	head, _ := u.index(c.Head().Name)
	var out []DeadEnd
	for i := range u.nodes {
		if name := u.nodes[i].name; furthest[i] != head && c.Entry(name) != nil {
			out = append(out, DeadEnd{name, u.nodes[furthest[i]].name})
		}
	}
	return out, nil
}

// furthest returns for each node the one nearest to the head of the only channel
// of the graph that can be reached from it, or the node itself. The error is the cause of
// the end of ctx.
func (u *Updates) furthest(ctx context.Context, c *Channel) ([]int, error) {
	done := polled(ctx)
	out := slices.Repeat([]int{-1}, len(u.nodes))
	s := newSources(u)
	// The nearest to the head come first, so that a node is done when it is met
	// for the first time: whatever leads there by way of it is done as well.
	for _, e := range c.chain {
		goal, _ := u.index(e.Name)
		if e != c.Head() && (out[goal] >= 0 || !e.Candidate()) {
			continue
		}
		out[goal] = goal
		for queue := []int{goal}; len(queue) > 0; {
			at := queue[0]
			queue = queue[1:]
			s.visit(at, func(from int) bool {
				if out[from] < 0 {
					out[from] = goal
					queue = append(queue, from)
				}
				return true
			})
			if done() {
				return nil, context.Cause(ctx)
			}
		}
	}
	for i := range out {
		if out[i] < 0 {
			out[i] = i
		}
	}
	return out, nil
}
