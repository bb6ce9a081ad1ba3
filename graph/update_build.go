package graph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/properties"
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
		out = append(out, ReasonReplaces)
	}
	if r&bySkips != 0 {
		out = append(out, ReasonSkips)
	}
	if r&bySkipRange != 0 {
		out = append(out, ReasonSkipRange)
	}
	return out
}

// extra is a bundle besides those of the package.
type extra struct {
	name    string
	version semver.Version
	release properties.Release
	known   bool // version is
}

// extrasOf returns installed bundles as extras.
func extrasOf(installed []Installed) []extra {
	out := make([]extra, len(installed))
	for i, in := range installed {
		out[i] = extra{in.Name, in.Version, in.Release, !zero(in.Version)}
	}
	return out
}

// newUpdates builds the graph of some channels of a package.
func newUpdates(p *Package, channels []*Channel, extras []extra) *Updates {
	u := &Updates{pkg: p, channels: channels, all: len(channels) == len(p.Channels), byName: make(map[string]int, len(p.Bundles))}
	for _, b := range p.Bundles {
		u.node(b.Name)
	}
	for i, c := range channels {
		u.enter(i, c)
	}
	for _, x := range extras {
		if x.name == "" {
			continue
		}
		n := u.node(x.name)
		n.given = true
		if !n.known {
			n.version, n.release, n.known = x.version, x.release, x.known
		}
	}
	u.sort()
	for i, c := range channels {
		u.connect(i, c)
	}
	for i := range u.nodes {
		byEnd := func(a, b arc) int { return cmp.Or(cmp.Compare(a.other, b.other), cmp.Compare(a.channel, b.channel)) }
		slices.SortFunc(u.nodes[i].out, byEnd)
		slices.SortFunc(u.nodes[i].in, byEnd)
	}
	return u
}

// node returns the node of that name, which it adds if it is not there. The
// pointer is good until the next call.
func (u *Updates) node(name string) *node {
	if i, ok := u.byName[name]; ok {
		return &u.nodes[i]
	}
	n := node{name: name, rank: rank{channel: len(u.channels)}}
	if b := u.pkg.Bundle(name); b != nil {
		n.bundle, n.version, n.release = b, b.Version, b.Release
		_, declared := b.Properties.Package()
		n.known = declared || !zero(b.Version)
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
		u.node(e.Name).listed = true
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

// connect adds the edges of a channel.
func (u *Updates) connect(channel int, c *Channel) {
	for _, e := range c.chain {
		if !e.Candidate() {
			continue
		}
		to := u.byName[e.Name]
		from := make(map[int]reasons)
		if e.Replaces != "" {
			from[u.byName[e.Replaces]] |= byReplaces
		}
		for _, s := range e.Skips {
			if s != "" {
				from[u.byName[s]] |= bySkips
			}
		}
		if !e.SkipRange.IsZero() {
			for i := range u.nodes {
				if n := &u.nodes[i]; n.known && e.SkipRange.Contains(n.version) {
					from[i] |= bySkipRange
				}
			}
		}
		delete(from, to) // no bundle follows itself
		for i, r := range from {
			u.nodes[i].out = append(u.nodes[i].out, newArc(to, channel, r))
			u.nodes[to].in = append(u.nodes[to].in, newArc(i, channel, r))
		}
	}
}

// zero tells whether v is 0.0.0, which stands for no version.
func zero(v semver.Version) bool { return v.Equals(semver.Version{}) }
