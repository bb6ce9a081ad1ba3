package graph

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
)

// reasons is a set of [EdgeReason].
type reasons uint8

const (
	byReplaces reasons = 1 << iota
	bySkips
	bySkipRange
)

// list returns the reasons in order.
func (r reasons) list() []EdgeReason {
	out := make([]EdgeReason, 0, 3)
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
	u := &Updates{pkg: p, channels: channels}
	done := polled(ctx)
	u.addNodes(u.names(opts, done), done)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	u.addInstalled(opts.Installed)
	u.rank()
	u.sort(done)
	u.ranges = newRanges(u.nodes)
	for i, c := range channels {
		for _, e := range c.chain {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if e.Candidate() {
				u.flows = append(u.flows, u.flow(i, e, done))
			}
		}
	}
	if ctx.Err() == nil {
		u.connect(done)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return u, nil
}

// polled returns a function that reports whether ctx has ended. It looks at ctx at the
// first of 4096 calls: names are many, and each takes little.
func polled(ctx context.Context) (done func() bool) {
	const checkEvery = 4096
	calls, ended := -1, false
	return func() bool {
		if calls++; calls%checkEvery == 0 && !ended {
			ended = ctx.Err() != nil
		}
		return ended
	}
}

// names returns the names of the nodes, sorted and once each.
func (u *Updates) names(opts UpdateOptions, done func() bool) []string {
	var out []string
	if !opts.ListedOnly {
		for _, b := range u.pkg.Bundles {
			out = append(out, b.Name)
		}
	}
	for _, in := range opts.Installed {
		out = append(out, in.Name)
	}
	bare := !opts.ListedOnly && !opts.bundlesOnly
	for _, c := range u.channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			if done() {
				return nil
			}
			if out = append(out, e.Name); bare && e.Name != "" {
				out = append(append(out, e.Replaces), e.Skips()...)
			}
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		if done() {
			return 0 // all are equal, and sorting ends soon
		}
		return strings.Compare(a, b)
	})
	if out = slices.Compact(out); len(out) > 0 && out[0] == "" {
		out = out[1:]
	}
	return out
}

// addNodes adds the nodes of sorted names.
func (u *Updates) addNodes(names []string, done func() bool) {
	none := u.newDetail()
	u.nodes = make([]node, len(names))
	for i, name := range names {
		if done() {
			return
		}
		u.nodes[i] = node{name: name, detail: none}
		b := u.pkg.Bundle(name)
		if b == nil {
			continue
		}
		d := u.newDetail()
		d.bundle, d.version, d.release = b, *b.Version, b.Release
		_, declared := b.Properties.Package()
		d.known = declared || !zero(*b.Version)
		u.nodes[i].detail = d
	}
}

// newDetail returns the information about a node of which only the name is known.
func (u *Updates) newDetail() *detail {
	return &detail{age: -1, rank: rank{channel: len(u.channels)}}
}

// addInstalled adds the versions of installed bundles that are not known otherwise.
func (u *Updates) addInstalled(list []Installed) {
	for _, in := range list {
		if i, ok := u.index(in.Name); ok && !u.nodes[i].known {
			d := *u.nodes[i].detail
			d.version, d.release, d.known = in.Version, in.Release, !zero(in.Version)
			u.nodes[i].detail = &d
		}
	}
}

// rank finds the best places of the candidates.
func (u *Updates) rank() {
	for channel, c := range u.channels {
		for position, b := range c.Candidates() {
			if i, ok := u.index(b.Name); ok && u.nodes[i].rank.channel == len(u.channels) {
				d := *u.nodes[i].detail
				d.rank = rank{channel, position}
				u.nodes[i].detail = &d
			}
		}
	}
}

// sort brings the nodes, which are in the order of their names, into the order of
// preference: candidates, then known versions, then names.
func (u *Updates) sort(done func() bool) {
	var front []node
	back := len(u.nodes)
	for i := len(u.nodes) - 1; i >= 0; i-- {
		if n := u.nodes[i]; n.known || n.rank.channel < len(u.channels) {
			front = append(front, n)
		} else {
			back--
			u.nodes[back] = n
		}
	}
	slices.SortFunc(front, func(a, b node) int {
		if done() {
			return 0
		}
		return cmp.Or(
			cmp.Compare(a.rank.channel, b.rank.channel),
			cmp.Compare(a.rank.position, b.rank.position),
			compareBool(b.known, a.known),
			b.newer(&a),
			strings.Compare(a.name, b.name),
		)
	})
	copy(u.nodes, front)
	u.sorted, u.front = back, make(map[string]int, back)
	for i := range back {
		u.front[u.nodes[i].name] = i
	}
}

// index returns the index of the node of a name.
func (u *Updates) index(name string) (int, bool) {
	if i, ok := u.front[name]; ok {
		return i, true
	}
	i, ok := slices.BinarySearchFunc(u.nodes[u.sorted:], name, func(n node, name string) int { return strings.Compare(n.name, name) })
	return u.sorted + i, ok
}

// flow returns the edges to an entry.
func (u *Updates) flow(channel int, e *Entry, done func() bool) flow {
	to, _ := u.index(e.Name)
	f := flow{to: int32(to), channel: int32(channel)}
	add := func(name string) {
		if i, ok := u.index(name); ok && i != to { // no bundle follows itself
			f.from = append(f.from, int32(i))
		}
	}
	add(e.Replaces)
	for _, s := range e.Skips() {
		if done() {
			return f
		}
		add(s)
	}
	slices.Sort(f.from)
	f.from = slices.Clip(slices.Compact(f.from))
	f.spans = u.ranges.spans(u.nodes, e.SkipRange())
	return f
}

// connect ties the nodes to the flows.
func (u *Updates) connect(done func() bool) {
	slices.SortStableFunc(u.flows, func(a, b flow) int {
		return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.channel, b.channel))
	})
	u.makeRoom(done)
	for i := range u.flows {
		f := &u.flows[i]
		to := &u.nodes[f.to]
		if to.count == 0 {
			to.first = int32(i)
		}
		to.count++
		e := u.channels[f.channel].Entry(to.name)
		for _, from := range f.from {
			if done() {
				return
			}
			n := &u.nodes[from]
			why := bySkips
			if n.name == e.Replaces {
				why = byReplaces
				if slices.Contains(e.Skips(), e.Replaces) {
					why |= bySkips
				}
			}
			u.byNames[n.end] = arc{int32(i), why}
			n.end++
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

// makeRoom gives each node the room for the flows that name it.
func (u *Updates) makeRoom(done func() bool) {
	for i := range u.flows {
		for _, from := range u.flows[i].from {
			if done() {
				return
			}
			u.nodes[from].end++
		}
	}
	total := int32(0)
	for i := range u.nodes {
		n := &u.nodes[i]
		n.begin, n.end, total = total, total, total+n.end
	}
	u.byNames = make([]arc, total)
}

// zero reports whether v is 0.0.0, that is, no version.
func zero(v semver.Version) bool { return v.Equals(semver.Version{}) }
