package draw

import (
	"context"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

// Channel is a channel as plain data, in the JSON form of the command line's update graph.
// Optional empty fields are omitted.
type Channel struct {
	// Package and Channel are names. Head is the head of the channel, or empty if it is
	// quarantined.
	Package string `json:"package"`
	Channel string `json:"channel"`
	Head    string `json:"head"`
	// Entries are those on the replaces chain, head first, then the others by descending
	// version, then by name.
	Entries []Entry `json:"entries"`
	// Problems are those of the channel, of its bundles, and of the package as a whole.
	Problems []graph.Problem `json:"problems"`
	// Deprecations are those of the package, the channel and its bundles, in this order.
	Deprecations []Deprecation `json:"deprecations,omitempty"`
}

// Entry is an entry of a [Channel].
type Entry struct {
	// Bundle is the name of the bundle. Version is its version, or empty if unknown.
	Bundle  string `json:"bundle"`
	Version string `json:"version"`
	// Release distinguishes bundles of the same version.
	Release string `json:"release,omitempty"`
	// Position is the distance from the head along the chain, absent off it.
	Position *int `json:"position,omitempty"`
	// Skipped is true if another entry, SkippedBy, skips this one.
	Skipped   bool   `json:"skipped,omitempty"`
	SkippedBy string `json:"skippedBy,omitempty"`
	// Virtual is true if the catalog lacks the bundle. Quarantined, Barred (olm.deprecated) and
	// Deprecated (olm.deprecations) are marks of the bundle.
	Virtual     bool `json:"virtual,omitempty"`
	Quarantined bool `json:"quarantined,omitempty"`
	Barred      bool `json:"barred,omitempty"`
	Deprecated  bool `json:"deprecated,omitempty"`
	// Stranded is true if the entry is neither on the chain nor skipped. DeadEnd is true if the
	// head is unreachable from it.
	Stranded bool `json:"stranded,omitempty"`
	DeadEnd  bool `json:"deadEnd,omitempty"`
	// Successors are the bundles reachable by one upgrade in this channel, nearest to the head
	// first, as in [graph.Channel.Successors], at most 100; MoreSuccessors is the number of
	// others.
	Successors     []string `json:"successors"`
	MoreSuccessors int      `json:"moreSuccessors,omitempty"`
	// Edges has the reasons of each successor.
	Edges []Edge `json:"edges,omitempty"`
}

// Edge is an edge to a successor.
type Edge struct {
	// To is the successor.
	To string `json:"to"`
	// Reasons are the reasons of the edge.
	Reasons []graph.EdgeReason `json:"reasons"`
}

// Deprecation is an entry of an olm.deprecations blob.
type Deprecation struct {
	// Schema is the kind of the deprecated object: [graph.SchemaPackage], [graph.SchemaChannel]
	// or [graph.SchemaBundle]. Name is its name.
	Schema string `json:"schema"`
	Name   string `json:"name"`
	// Message is the message, or empty.
	Message string `json:"message,omitempty"`
}

// Data returns the channels of a package as plain data. It uses only the option Channels. The
// error is an [*graph.UnknownChannelError], or the cause of the end of ctx.
func Data(ctx context.Context, p *graph.Package, o Options) ([]Channel, error) {
	pic, err := newParts(ctx, p, Options{Channels: o.Channels})
	if err != nil {
		return nil, err
	}
	found := problemsOf(pic.pkg)
	var out []Channel
	if err := pic.each(ctx, func(_ int, p *part) { out = append(out, p.data(ctx, pic.pkg, found)) }); err != nil {
		return nil, err
	}
	return out, nil
}

// about is the subject of a problem: a channel, a bundle of any channel, or the package.
type about struct{ channel, bundle string }

// problemsOf returns the indexes of a package's problems by their subjects.
func problemsOf(p *graph.Package) map[about][]int {
	out := make(map[about][]int)
	for i, x := range p.Problems {
		of := about{channel: x.Channel}
		if x.Channel == "" {
			of.bundle = x.Bundle
		}
		out[of] = append(out[of], i)
	}
	return out
}

// problems returns the problems of a channel, of its bundles and of the package.
func (p *part) problems(pkg *graph.Package, found map[about][]int) []graph.Problem {
	at := slices.Concat(found[about{}], found[about{channel: p.channel.Name}])
	for name := range p.first {
		at = append(at, found[about{bundle: name}]...)
	}
	slices.Sort(at)
	out := []graph.Problem{}
	for _, i := range slices.Compact(at) { // names may be empty
		out = append(out, pkg.Problems[i])
	}
	return out
}

func (p *part) data(ctx context.Context, pkg *graph.Package, found map[about][]int) Channel {
	c := p.channel
	v := Channel{Package: pkg.Name, Channel: c.Name, Entries: []Entry{}, Problems: p.problems(pkg, found)}
	if head := c.Head(); head != nil {
		v.Head = head.Name
	}
	if pkg.Deprecated {
		v.Deprecations = append(v.Deprecations, Deprecation{graph.SchemaPackage, pkg.Name, pkg.Deprecation})
	}
	if c.Deprecated {
		v.Deprecations = append(v.Deprecations, Deprecation{graph.SchemaChannel, c.Name, c.Deprecation})
	}
	stuck := p.stuck()
	for _, e := range picture.Each(ctx, p.inOrder()) {
		entry := p.entry(*e)
		entry.DeadEnd = stuck[entry.Bundle]
		v.Entries = append(v.Entries, entry)
		if b := (*e).Bundle; b != nil && b.Deprecated {
			v.Deprecations = append(v.Deprecations, Deprecation{graph.SchemaBundle, b.Name, b.Deprecation})
		}
	}
	return v
}

// inOrder returns the entries on the chain, then the others in graph order.
func (p *part) inOrder() []*graph.Entry {
	c := p.channel
	out := slices.Clone(c.Chain())
	on := len(out)
	for i := range c.Entries {
		if e := &c.Entries[i]; e.Position < 0 {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out[on:], func(a, b *graph.Entry) int { return p.order(a.Name) - p.order(b.Name) })
	return out
}

func (p *part) entry(e *graph.Entry) Entry {
	v := Entry{
		Bundle: e.Name, Skipped: e.SkippedBy() != "", SkippedBy: e.SkippedBy(), Virtual: e.Bundle == nil,
		Stranded: p.channel.Standing(e).Stranded, Successors: []string{},
	}
	if version, release, known := p.updates.Version(e.Name); known {
		v.Version, v.Release = version.String(), string(release)
	}
	if e.Position >= 0 {
		position := e.Position
		v.Position = &position
	}
	if b := e.Bundle; b != nil {
		v.Quarantined, v.Barred, v.Deprecated = b.Quarantine != nil, b.Barred, b.Deprecated
	}
	for edge := range p.updates.From(e.Name) {
		if len(v.Successors) == maxEdges {
			v.MoreSuccessors = p.updates.Count(e.Name) - maxEdges
			break
		}
		v.Successors = append(v.Successors, edge.To)
		v.Edges = append(v.Edges, Edge{edge.To, edge.Offers[0].Reasons})
	}
	return v
}
