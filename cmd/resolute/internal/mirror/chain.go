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

// chain is a channel as oc-mirror sees it: names that entries replace or skip are part of it,
// whether they are entries or not.
type chain struct {
	channel *graph.Channel
	only    map[string]bool // the considered entries; nil for all
	head    string
}

// entry returns the channel's entry of a name, or one without edges if it has none.
func (c *chain) entry(name string) *graph.Entry {
	if e := c.channel.Entry(name); e != nil && (c.only == nil || c.only[name]) {
		return e
	}
	return &graph.Entry{}
}

// newChain returns the chain of a channel, for some of its entries or, with nil, for all. The error
// is the reason for which oc-mirror refuses it.
func newChain(ctx context.Context, ch *graph.Channel, only map[string]bool) (*chain, error) {
	incoming := make(map[string]map[string]bool)
	seen := make(map[string]bool, len(ch.Entries))
	for i := range ch.Entries {
		e := &ch.Entries[i]
		if only != nil && !only[e.Name] {
			continue
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case seen[e.Name]:
			return nil, fmt.Errorf("it lists %s twice, and oc-mirror refuses that", text.Name(e.Name))
		case e.Replaces == e.Name:
			return nil, fmt.Errorf("%s replaces itself, and oc-mirror refuses that", text.Name(e.Name))
		case slices.Contains(e.Skips(), e.Name):
			return nil, fmt.Errorf("%s skips itself, and oc-mirror refuses that", text.Name(e.Name))
		}
		seen[e.Name] = true
		for _, to := range below(e) {
			if incoming[to] == nil {
				incoming[to] = make(map[string]bool)
			}
			incoming[to][e.Name] = true
		}
	}
	if len(seen) == 0 {
		return nil, errors.New("it has no entries")
	}
	var heads []string
	for name := range seen { // sorted below
		if len(incoming[name]) == 0 {
			heads = append(heads, name)
		}
	}
	slices.Sort(heads)
	switch {
	case len(heads) == 0:
		return nil, errors.New("it has no head, and oc-mirror refuses that")
	case len(heads) > 1:
		return nil, fmt.Errorf("it has several heads, and oc-mirror refuses that (multiple channel heads found): %s", text.Short(text.Names(heads), 10))
	}
	c := &chain{ch, only, heads[0]}
	if c.cycle(ctx, incoming) {
		return nil, errors.New("its entries replace each other in a circle, and oc-mirror refuses that")
	}
	return c, nil
}

// below returns the names that an entry skips or replaces.
func below(e *graph.Entry) []string {
	if e.Replaces == "" {
		return e.Skips()
	}
	return append(slices.Clone(e.Skips()), e.Replaces)
}

// cycle reports whether names remain after repeatedly removing, from the head on, all without
// incoming edges.
func (c *chain) cycle(ctx context.Context, incoming map[string]map[string]bool) bool {
	for queue := []string{c.head}; len(queue) > 0 && ctx.Err() == nil; queue = queue[1:] {
		for _, to := range below(c.entry(queue[0])) {
			if incoming[to] == nil {
				continue
			}
			delete(incoming[to], queue[0])
			if len(incoming[to]) == 0 {
				delete(incoming, to)
				queue = append(queue, to)
			}
		}
	}
	return len(incoming) > 0
}

// cut cuts the chain to a range of versions. It returns the kept names, and those outside the
// range.
func (c *chain) cut(ctx context.Context, in *semver.Constraints, versions map[string]*semver.Version) (kept map[string]bool, outside []string) {
	var line []string
	for name := c.head; name != ""; name = c.entry(name).Replaces {
		line = append(line, name)
	}
	inside := func(name string) bool {
		v := versions[name]
		return v != nil && ctx.Err() == nil && in.Check(v)
	}
	// The number of distinct bundles in the range at or below each node.
	seen, counts := make(map[string]bool), make([]int, len(line))
	count := 0
	for i, name := range slices.Backward(line) {
		for _, b := range append([]string{name}, c.entry(name).Skips()...) {
			if !seen[b] && inside(b) {
				seen[b] = true
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
	for _, name := range line[first:end] {
		if !inside(name) {
			outside = append(outside, name)
		}
		kept[name] = true
		for _, s := range c.entry(name).Skips() {
			if inside(s) {
				kept[s] = true
			}
		}
	}
	return kept, outside
}
