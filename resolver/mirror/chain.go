package mirror

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// chain is a channel as oc-mirror sees it: names that others replace or skip have
// nodes as well, entries of their own or not.
type chain struct {
	nodes map[string]*link
	head  *link
}

// link is a node of a chain.
type link struct {
	name     string
	replaces *link
	skips    []*link
}

// newChain makes the chain of a channel. The error says what keeps oc-mirror from
// following it.
func newChain(ctx context.Context, ch *graph.Channel) (*chain, error) {
	if len(ch.Entries) == 0 {
		return nil, errors.New("it has no entries")
	}
	c := &chain{nodes: make(map[string]*link, len(ch.Entries))}
	node := func(name string) *link {
		if c.nodes[name] == nil {
			c.nodes[name] = &link{name: name}
		}
		return c.nodes[name]
	}
	incoming := make(map[*link]map[*link]bool)
	arrow := func(from, to *link) {
		if incoming[to] == nil {
			incoming[to] = make(map[*link]bool)
		}
		incoming[to][from] = true
	}
	seen := make(map[string]bool, len(ch.Entries))
	for i := range ch.Entries {
		e := &ch.Entries[i]
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case seen[e.Name]:
			return nil, fmt.Errorf("it lists %s twice, and oc-mirror refuses that", text.Name(e.Name))
		case e.Replaces == e.Name:
			return nil, fmt.Errorf("%s replaces itself, and oc-mirror refuses that", text.Name(e.Name))
		case slices.Contains(e.Skips, e.Name):
			return nil, fmt.Errorf("%s skips itself, and oc-mirror refuses that", text.Name(e.Name))
		}
		seen[e.Name] = true
		n := node(e.Name)
		if e.Replaces != "" {
			n.replaces = node(e.Replaces)
			arrow(n, n.replaces)
		}
		for _, s := range e.Skips {
			n.skips = append(n.skips, node(s))
			arrow(n, node(s))
		}
	}
	var heads []string
	for i := range ch.Entries {
		if n := c.nodes[ch.Entries[i].Name]; len(incoming[n]) == 0 {
			heads = append(heads, n.name)
			c.head = n
		}
	}
	switch {
	case len(heads) == 0:
		return nil, errors.New("it has no head, and oc-mirror refuses that")
	case len(heads) > 1:
		slices.Sort(heads)
		return nil, fmt.Errorf("it has several heads, and oc-mirror refuses that (multiple channel heads found): %s", text.Short(text.Names(heads), 10))
	}
	if c.cycle(ctx, incoming) {
		return nil, errors.New("its entries replace each other in a circle, and oc-mirror refuses that")
	}
	return c, nil
}

// cycle reports whether some nodes are left if all are taken away, from the head on,
// that no other leads to.
func (c *chain) cycle(ctx context.Context, incoming map[*link]map[*link]bool) bool {
	queue := []*link{c.head}
	for len(queue) > 0 && ctx.Err() == nil {
		n := queue[0]
		queue = queue[1:]
		next := n.skips
		if n.replaces != nil {
			next = append(slices.Clone(n.skips), n.replaces)
		}
		for _, to := range next {
			if incoming[to] == nil {
				continue
			}
			delete(incoming[to], n)
			if len(incoming[to]) == 0 {
				delete(incoming, to)
				queue = append(queue, to)
			}
		}
	}
	return len(incoming) > 0
}

// cut cuts the chain to a range of versions. It returns the names of all that is kept,
// and of that on the chain which is not in the range.
func (c *chain) cut(ctx context.Context, in *semver.Constraints, versions map[string]*semver.Version) (kept map[string]bool, outside []string) {
	var line []*link
	for n := c.head; n != nil; n = n.replaces {
		line = append(line, n)
	}
	inside := func(n *link) bool {
		v := versions[n.name]
		return v != nil && ctx.Err() == nil && in.Check(v)
	}
	// How many different bundles in the range stand at or below each node.
	seen, counts := make(map[string]bool), make([]int, len(line))
	count := 0
	for i, n := range slices.Backward(line) {
		for _, b := range append([]*link{n}, n.skips...) {
			if !seen[b.name] && inside(b) {
				seen[b.name] = true
				count++
			}
		}
		counts[i] = count
	}
	first, end := 0, len(line)
	for i := range line {
		if counts[i] >= counts[first] {
			first = i
		}
		if counts[i] == 0 {
			end = i
			break
		}
	}
	kept = make(map[string]bool)
	if counts[0] == 0 {
		return kept, nil
	}
	for _, n := range line[first:end] {
		if !inside(n) {
			outside = append(outside, n.name)
		}
		kept[n.name] = true
		for _, s := range n.skips {
			if inside(s) {
				kept[s.name] = true
			}
		}
	}
	return kept, outside
}
