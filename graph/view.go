package graph

import "slices"

// View is a channel as plain data, in the shape of the JSON that a program
// prints of an update graph. It marshals with encoding/json; what is empty is
// absent, but for the fields that are always there.
type View struct {
	// Package and Channel are names, Head is the head of the channel, or empty
	// if it is quarantined.
	Package string `json:"package"`
	Channel string `json:"channel"`
	Head    string `json:"head"`
	// Entries are those on the chain, from the head down, then those off it,
	// the higher version first, then by name.
	Entries []ViewEntry `json:"entries"`
	// Problems are those of the channel and of the bundles in it, and those of
	// the package as a whole.
	Problems []Problem `json:"problems"`
	// Deprecations are those of the package, the channel and the bundles in
	// it, in this order.
	Deprecations []ViewDeprecation `json:"deprecations,omitempty"`
}

// ViewEntry is an entry of a [View].
type ViewEntry struct {
	// Bundle is the name of the bundle, Version its version, or empty where
	// that is unknown.
	Bundle  string `json:"bundle"`
	Version string `json:"version"`
	// Release tells it from other bundles of the same version.
	Release string `json:"release,omitempty"`
	// Position is the distance from the head along the chain, absent off it.
	Position *int `json:"position,omitempty"`
	// Skipped tells that another entry skips this one; SkippedBy which.
	Skipped   bool   `json:"skipped,omitempty"`
	SkippedBy string `json:"skippedBy,omitempty"`
	// Virtual tells that the catalog lacks the bundle, Quarantined, Barred
	// (olm.deprecated) and Deprecated (olm.deprecations) that it is so marked.
	Virtual     bool `json:"virtual,omitempty"`
	Quarantined bool `json:"quarantined,omitempty"`
	Barred      bool `json:"barred,omitempty"`
	Deprecated  bool `json:"deprecated,omitempty"`
	// Stranded tells that the entry is neither on the chain nor skipped,
	// DeadEnd that the head cannot be reached from it.
	Stranded bool `json:"stranded,omitempty"`
	DeadEnd  bool `json:"deadEnd,omitempty"`
	// Successors are the bundles to which it can be upgraded in one step in
	// this channel, nearest to the head first, as in [Channel.Successors].
	Successors []string `json:"successors"`
	// Edges tell for each successor why it is one.
	Edges []ViewEdge `json:"edges,omitempty"`
}

// ViewEdge is an edge to a successor.
type ViewEdge struct {
	// To is the successor.
	To string `json:"to"`
	// Reasons are why it is one.
	Reasons []Reason `json:"reasons"`
}

// ViewDeprecation is what an olm.deprecations blob says.
type ViewDeprecation struct {
	// Schema is what is deprecated: [SchemaPackage], [SchemaChannel] or
	// [SchemaBundle]; Name is its name.
	Schema string `json:"schema"`
	Name   string `json:"name"`
	// Message is the message given, or empty.
	Message string `json:"message,omitempty"`
}

// View returns the channel as plain data.
func (c *Channel) View() View {
	v := View{Channel: c.Name, Entries: []ViewEntry{}, Problems: []Problem{}}
	if head := c.Head(); head != nil {
		v.Head = head.Name
	}
	u := c.Updates()
	dead := make(map[string]bool)
	for _, d := range u.DeadEnds() {
		dead[d.Bundle] = true
	}
	for _, e := range c.inOrder(u) {
		entry := c.viewEntry(e, u)
		entry.DeadEnd = dead[e.Name]
		v.Entries = append(v.Entries, entry)
	}
	if p := c.Package; p != nil {
		v.Package = p.Name
		for _, x := range p.Problems {
			if x.Channel == c.Name || x.Channel == "" && (x.Bundle == "" || c.Entry(x.Bundle) != nil) {
				v.Problems = append(v.Problems, x)
			}
		}
		if p.Deprecated {
			v.Deprecations = append(v.Deprecations, ViewDeprecation{SchemaPackage, p.Name, p.Deprecation})
		}
	}
	if c.Deprecated {
		v.Deprecations = append(v.Deprecations, ViewDeprecation{SchemaChannel, c.Name, c.Deprecation})
	}
	for _, e := range c.inOrder(u) {
		if b := e.Bundle; b != nil && b.Deprecated {
			v.Deprecations = append(v.Deprecations, ViewDeprecation{SchemaBundle, b.Name, b.Deprecation})
		}
	}
	return v
}

// inOrder returns the entries on the chain, then the others in the order of
// the graph.
func (c *Channel) inOrder(u *Updates) []*Entry {
	out := slices.Clone(c.chain)
	for i := range c.Entries {
		if e := &c.Entries[i]; e.Position < 0 {
			out = append(out, e)
		}
	}
	rest := out[len(c.chain):]
	slices.SortStableFunc(rest, func(a, b *Entry) int { return u.order(a.Name) - u.order(b.Name) })
	return out
}

// order returns the number of a node, or one above all for an unknown name.
func (u *Updates) order(name string) int {
	if i, ok := u.byName[name]; ok {
		return i
	}
	return len(u.nodes)
}

// viewEntry returns an entry as plain data.
func (c *Channel) viewEntry(e *Entry, u *Updates) ViewEntry {
	v := ViewEntry{
		Bundle: e.Name, Skipped: e.SkippedBy != "", SkippedBy: e.SkippedBy, Virtual: e.Bundle == nil,
		Stranded: c.Standing(e).Kind == StandingStranded, Successors: []string{},
	}
	if i, ok := u.byName[e.Name]; ok {
		n := &u.nodes[i]
		v.Version, v.Release = n.text(), string(n.release)
	}
	if e.Position >= 0 {
		position := e.Position
		v.Position = &position
	}
	if b := e.Bundle; b != nil {
		v.Quarantined, v.Barred, v.Deprecated = b.Quarantine != nil, b.Barred, b.Deprecated
	}
	for _, edge := range u.Successors(e.Name) {
		v.Successors = append(v.Successors, edge.To)
		v.Edges = append(v.Edges, ViewEdge{edge.To, edge.Offers[0].Reasons})
	}
	return v
}
