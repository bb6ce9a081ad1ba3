package graph

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
)

// reasons is a set of [Reason].
type reasons uint8

const (
	byReplaces reasons = 1 << iota
	bySkips
	bySkipRange
)

// list returns the reasons in order.
func (r reasons) list() []Reason {
	out := make([]Reason, 0, 3)
	if r&byReplaces != 0 {
		out = append(out, reasonReplaces)
	}
	if r&bySkips != 0 {
		out = append(out, reasonSkips)
	}
	if r&bySkipRange != 0 {
		out = append(out, reasonSkipRange)
	}
	return out
}

// newUpdates builds the graph of some channels of a package. The error is the
// cause of the end of ctx.
func newUpdates(ctx context.Context, p *Package, channels []*Channel, opts UpdateOptions) (*Updates, error) {
	u := &Updates{pkg: p, channels: channels, byName: map[string]int{}}
	if !opts.ListedOnly {
		for _, b := range p.Bundles {
			u.node(b.Name)
		}
	}
	for i, c := range channels {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		u.enter(i, c)
	}
	for _, in := range opts.Installed {
		if in.Name == "" {
			continue
		}
		if n := u.node(in.Name); !n.known {
			n.version, n.release, n.known = in.Version, in.Release, !zero(in.Version)
		}
	}
	u.sort()
	u.ranges = newRanges(u.nodes)
	for i, c := range channels {
		for _, e := range c.chain {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if e.Candidate() {
				u.flows = append(u.flows, u.flow(i, e))
			}
		}
	}
	u.connect()
	return u, nil
}

// node returns the node of that name, which it adds if it is not there. The
// pointer is good until the next call.
func (u *Updates) node(name string) *node {
	if i, ok := u.byName[name]; ok {
		return &u.nodes[i]
	}
	n := node{name: name, age: -1, rank: rank{channel: len(u.channels)}}
	if b := u.pkg.Bundle(name); b != nil {
		n.bundle, n.version, n.release = b, *b.Version, b.Release
		_, declared := b.Properties.Package()
		n.known = declared || !zero(*b.Version)
	}
	u.byName[name] = len(u.nodes)
	u.nodes = append(u.nodes, n)
	return &u.nodes[len(u.nodes)-1]
}

// enter adds what a channel names, and ranks its candidates.
func (u *Updates) enter(channel int, c *Channel) {
	for i := range c.Entries {
		e := &c.Entries[i]
		if e.Name == "" {
			continue
		}
		u.node(e.Name)
		if e.Replaces != "" {
			u.node(e.Replaces)
		}
		for _, s := range e.Skips {
			if s != "" {
				u.node(s)
			}
		}
	}
	for position, b := range c.Candidates() {
		if n := u.node(b.Name); n.rank.channel == len(u.channels) {
			n.rank = rank{channel, position}
		}
	}
}

// sort brings the nodes into the order of preference.
func (u *Updates) sort() {
	slices.SortFunc(u.nodes, func(a, b node) int {
		return cmp.Or(
			cmp.Compare(a.rank.channel, b.rank.channel),
			cmp.Compare(a.rank.position, b.rank.position),
			compareBool(b.known, a.known),
			b.newer(&a),
			strings.Compare(a.name, b.name),
		)
	})
	for i := range u.nodes {
		u.byName[u.nodes[i].name] = i
	}
}

// flow returns the edges to an entry.
func (u *Updates) flow(channel int, e *Entry) flow {
	f := flow{to: int32(u.byName[e.Name]), channel: int32(channel)}
	if e.Replaces != "" {
		f.from = append(f.from, int32(u.byName[e.Replaces]))
	}
	for _, s := range e.Skips {
		if s != "" {
			f.from = append(f.from, int32(u.byName[s]))
		}
	}
	slices.Sort(f.from)
	f.from = slices.DeleteFunc(slices.Compact(f.from), func(i int32) bool { return i == f.to }) // no bundle follows itself
	f.spans = u.ranges.spans(u.nodes, e.SkipRange)
	return f
}

// connect ties the nodes to the flows.
func (u *Updates) connect() {
	slices.SortStableFunc(u.flows, func(a, b flow) int {
		return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.channel, b.channel))
	})
	for i := range u.flows {
		f := &u.flows[i]
		to := &u.nodes[f.to]
		if to.count == 0 {
			to.first = int32(i)
		}
		to.count++
		e := u.channels[f.channel].Entry(to.name)
		skips := make(map[string]bool, len(e.Skips))
		for _, s := range e.Skips {
			skips[s] = true
		}
		for _, from := range f.from {
			n := &u.nodes[from]
			var why reasons
			if n.name == e.Replaces {
				why |= byReplaces
			}
			if skips[n.name] {
				why |= bySkips
			}
			n.named = append(n.named, arc{int32(i), why})
		}
		tree := u.ranges.open
		if to.barred() {
			tree = u.ranges.barred
		}
		for _, s := range f.spans {
			u.ranges.add(tree, int32(i), s)
		}
	}
}

// zero reports whether v is 0.0.0, which stands for no version.
func zero(v semver.Version) bool { return v.Equals(semver.Version{}) }
