package graph

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// EdgeReason is the field of an entry by which an edge comes about: replaces or skips, which
// name the installed bundle, or skipRange, which holds its version.
type EdgeReason string

const (
	reasonReplaces  EdgeReason = "replaces"
	reasonSkips     EdgeReason = "skips"
	reasonSkipRange EdgeReason = "skipRange"
)

// Edge is one step of an upgrade: clusters with From can go to To.
type Edge struct {
	// From and To are names of bundles.
	From string `json:"from"`
	To   string `json:"to"`
	// Offers are the channels in which the edge is, the default channel first,
	// then by name; at least one.
	Offers []Offer `json:"offers"`
	// Barred is true if To has an olm.deprecated property: the edge is there,
	// but is never taken (section 3 of the semantics).
	Barred bool `json:"barred,omitempty"`
}

// Offer is an edge as one channel has it.
type Offer struct {
	// Channel is the name of the channel.
	Channel string `json:"channel"`
	// Reasons are why, in the order replaces, skips, skipRange; at least one.
	Reasons []EdgeReason `json:"reasons"`
}

// String returns the step on one line, for example
// "etcd.v0.9.0 → etcd.v0.9.2 (replaces in stable)".
func (e Edge) String() string {
	s := fmt.Sprintf("%s → %s (%s", text.Name(e.From), text.Name(e.To), strings.Join(text.Each(e.Offers, Offer.String), "; "))
	if e.Barred {
		s += "; barred, so it is never taken"
	}
	return s + ")"
}

// String returns "replaces, skipRange in stable".
func (o Offer) String() string {
	return joinReasons(o.Reasons) + " in " + text.Name(o.Channel)
}

// joinReasons lists reasons.
func joinReasons(reasons []EdgeReason) string {
	return strings.Join(text.Each(reasons, func(r EdgeReason) string { return string(r) }), ", ")
}

// Installed is a bundle that runs on a cluster, and that a catalog need not
// know any more.
type Installed struct {
	// Name is the name of the bundle.
	Name string
	// Version is its version, by which a skipRange can hold it. Where the
	// package has a bundle of that name, its version there counts instead. The
	// zero Version is an unknown one, which no skipRange contains.
	Version semver.Version
	// Release is its release, by which bundles of the same version are ordered.
	Release properties.Release
}

// UpdateOptions are the options of [NewUpdates]. The zero value is the default.
type UpdateOptions struct {
	// Channels limit the graph to channels of these names; none means all
	// channels of the package.
	Channels []string
	// Installed are bundles to consider besides those of the package.
	Installed []Installed
	// ListedOnly limits the graph to entries of its channels and to Installed: bundles
	// that no channel lists, and names that entries only replace or skip, are excluded.
	ListedOnly bool

	// bundlesOnly omits names that entries only replace or skip.
	bundlesOnly bool
}

// Updates is the update graph of a package, or of some of its channels: which
// bundle can be upgraded to which, and what follows from it. It is immutable
// and safe for concurrent use.
//
// Its nodes are all bundles of the package, the virtual nodes of its channels,
// every name that an entry replaces or skips, and the installed bundles given.
// An edge leads from a bundle to a candidate of a channel (section 2 of the
// semantics) whose replaces or skips names it or whose skipRange holds its
// version, as in [Channel.Successors]; a node without a bundle has no known
// version, and no skipRange contains it. A quarantined channel has no edges.
//
// Paths never step onto a barred bundle (olm.deprecated, section 3 of the
// semantics), because it is never newly chosen; they may start at one.
//
// Wherever several bundles are listed, those that a resolution prefers come
// first: candidates by their best place (section 2 of the semantics: default
// channel, then channel name, then nearer to the head), then all others, the
// higher version first, then by name.
type Updates struct {
	pkg      *Package
	channels []*Channel
	nodes    []node         // in the order of preference
	front    map[string]int // indexes of those before sorted
	sorted   int            // nodes from here on are in the order of their names
	flows    []flow
	byNames  []arc // the edges by replaces and skips, those of one node after those of another
	ranges   ranges
}

// node is a bundle, or the name of one. An entry may skip half a million names of which
// nothing else is known: these share one detail.
type node struct {
	name string
	*detail
	begin, end int32 // the flows that name it, in Updates.byNames
}

// detail is the information about a node.
type detail struct {
	version semver.Version
	release properties.Release
	known   bool    // version is
	bundle  *Bundle // nil if the package has none
	age     int32   // its place in the order of versions, or -1
	first   int32   // its own flows: those of Updates.flows from first on
	count   int32   // and so many
	rank    rank
}

// flow is all edges to a candidate in one channel. Those by name are kept one
// by one; those by a skipRange, of which there may be as many as versions, are
// kept as the spans of versions that it holds.
type flow struct {
	to, channel int32
	from        []int32 // what it names
	spans       []span
}

// arc is the edge by which a flow leads on from a node.
type arc struct {
	flow    int32
	reasons reasons
}

// rank is the best place of a candidate.
type rank struct{ channel, position int }

// NewUpdates returns the update graph of a package. It takes time that grows
// with the number of names and of comparisons in the channels, not with that of
// edges. The error is an [*UnknownChannelError] if the package lacks a channel
// of the options, or the cause of the end of ctx.
func NewUpdates(ctx context.Context, p *Package, opts UpdateOptions) (*Updates, error) {
	if p == nil {
		p = &Package{}
	}
	p = p.whole()
	channels, err := p.Select(opts.Channels)
	if err != nil {
		return nil, err
	}
	return newUpdates(ctx, p, channels, opts)
}

// UnknownChannelError reports that a package has no channel of a name.
type UnknownChannelError struct {
	// Package and Channel are the requested names.
	Package, Channel string
	// Known are the channels that the package has.
	Known []string
}

// Error returns a sentence.
func (e *UnknownChannelError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("package %s has no channel %s; it has no channels", text.Name(e.Package), text.Name(e.Channel))
	}
	return fmt.Sprintf("package %s has no channel %s; it has %s", text.Name(e.Package), text.Name(e.Channel), few(e.Known))
}

// Bundles returns the names of all nodes of the graph.
func (u *Updates) Bundles() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range u.nodes {
			if !yield(u.nodes[i].name) {
				return
			}
		}
	}
}

// Successors returns the outgoing edges of a bundle, in the order of
// preference. A name that the graph lacks has no edges.
func (u *Updates) Successors(name string) []Edge {
	from, ok := u.index(name)
	if !ok {
		return nil
	}
	return slices.Collect(u.edgesFrom(from))
}

// From returns the edges of [Updates.Successors] one at a time: there may be as
// many as versions.
func (u *Updates) From(name string) iter.Seq[Edge] {
	return func(yield func(Edge) bool) {
		if from, ok := u.index(name); ok {
			u.edgesFrom(from)(yield)
		}
	}
}

// Targets returns the targets of the edges from a bundle, without barred ones and without the
// details of [Updates.From].
func (u *Updates) Targets(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from, ok := u.index(name)
		if !ok {
			return
		}
		last := int32(-1)
		for a := range u.arcsFrom(from) {
			to := u.flows[a.flow].to
			if to != last && !u.nodes[to].barred() && !yield(u.nodes[to].name) {
				return
			}
			last = to
		}
	}
}

// Next returns the edge from a bundle that a resolution prefers: the first that
// does not lead to a barred bundle. ok is false if no edge does.
func (u *Updates) Next(name string) (e Edge, ok bool) {
	from, known := u.index(name)
	if !known {
		return Edge{}, false
	}
	var same []arc
	for a := range u.arcs(from, u.ranges.open) {
		to := u.flows[a.flow].to
		if len(same) > 0 && u.flows[same[0].flow].to != to {
			break
		}
		if !u.nodes[to].barred() {
			same = append(same, a)
		}
	}
	if len(same) == 0 {
		return Edge{}, false
	}
	return u.edge(from, same), true
}

// Edge returns the edge between two bundles. ok is false if there is no such edge.
func (u *Updates) Edge(from, to string) (e Edge, ok bool) {
	i, known := u.index(from)
	k, also := u.index(to)
	if !known || !also {
		return Edge{}, false
	}
	arcs := u.between(i, k)
	if len(arcs) == 0 {
		return Edge{}, false
	}
	return u.edge(i, arcs), true
}

// Count returns how many edges lead on from a bundle, those of several channels
// counted one by one.
func (u *Updates) Count(name string) int {
	i, ok := u.index(name)
	if !ok {
		return 0
	}
	n := &u.nodes[i]
	count := 0
	for _, a := range u.named(n) {
		if !u.flows[a.flow].holds(n.age) {
			count++
		}
	}
	for place := range u.ranges.places(n.age) {
		count += len(u.ranges.open[place]) + len(u.ranges.barred[place])
	}
	for k := n.first; k < n.first+n.count; k++ {
		if u.flows[k].holds(n.age) {
			count-- // no bundle follows itself
		}
	}
	return count
}

// Version returns the version and release of a bundle of the graph. known is
// false if nothing says which they are.
func (u *Updates) Version(name string) (v semver.Version, r properties.Release, known bool) {
	i, ok := u.index(name)
	if !ok {
		return v, r, false
	}
	n := &u.nodes[i]
	return n.version, n.release, n.known
}

// edgesFrom returns the edges from a node, those of several channels merged.
func (u *Updates) edgesFrom(from int) iter.Seq[Edge] {
	return func(yield func(Edge) bool) {
		var same []arc // to one node
		for a := range u.arcsFrom(from) {
			if len(same) > 0 && u.flows[same[0].flow].to != u.flows[a.flow].to {
				if !yield(u.edge(from, same)) {
					return
				}
				same = same[:0]
			}
			same = append(same, a)
		}
		if len(same) > 0 {
			yield(u.edge(from, same))
		}
	}
}

// edge makes an edge of the arcs between two nodes.
func (u *Updates) edge(from int, arcs []arc) Edge {
	to := &u.nodes[u.flows[arcs[0].flow].to]
	e := Edge{From: u.nodes[from].name, To: to.name, Barred: to.barred(), Offers: make([]Offer, len(arcs))}
	for i, a := range arcs {
		e.Offers[i] = Offer{Channel: u.channels[u.flows[a.flow].channel].Name, Reasons: a.reasons.list()}
	}
	return e
}

// named returns the flows that name a node, by replaces or skips.
func (u *Updates) named(n *node) []arc { return u.byNames[n.begin:n.end] }

// barred reports whether the node is excluded from new selections.
func (n *node) barred() bool { return n.bundle != nil && n.bundle.Barred }

// newer orders nodes whose version is known: 1 if n is newer, -1 if o is.
func (n *node) newer(o *node) int {
	return properties.CompareVersions(n.version, n.release, o.version, o.release)
}
