package graph

import (
	"iter"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/properties"
)

// Channel is a stream of versions of a package, ordered from its head down
// the replaces chain (section 2 of the semantics). It is immutable and safe
// for concurrent use.
type Channel struct {
	// Name is the name of the channel, unique in its package.
	Name string
	// Package is the package that the channel belongs to.
	Package *Package
	// Entries are the entries in the order in which they are declared.
	Entries []Entry
	// Deprecated is true if an olm.deprecations blob names the channel;
	// Deprecation is the message given there, which may be empty.
	Deprecated  bool
	Deprecation string
	// Quarantine is the first problem that makes the channel itself
	// unusable, or nil. See [Channel.Quarantined].
	Quarantine *Problem
	// Pos is where the channel is declared.
	Pos Pos

	chain    []*Entry     // from the head down; empty if quarantined
	byName   []int32      // indexes of Entries, by name
	declared *ChannelDecl // while Build works
}

// Entry is one entry of a channel.
type Entry struct {
	// Name is the name of the bundle that it lists.
	Name string
	// Replaces names the entry that this one replaces, or is empty. The
	// channel need not have it.
	Replaces string
	// Bundle is the bundle, or nil for a virtual node: an entry whose bundle
	// the catalog lacks. A quarantined bundle is here, but is no candidate.
	Bundle *Bundle
	// Position is the distance from the head along the chain, or -1 off it.
	Position int

	skips *skips // nil for most entries
}

// skips is what an entry skips, and what skips it.
type skips struct {
	names    []string
	versions properties.Range
	by       string
}

// Skips returns the names that the entry skips, as declared. Do not modify the list: it is
// shared.
func (e *Entry) Skips() []string {
	if e.skips == nil {
		return nil
	}
	return e.skips.names
}

// SkipRange returns the range of versions that the entry skips. It is zero if the entry has
// no range, or an invalid one.
func (e *Entry) SkipRange() properties.Range {
	if e.skips == nil {
		return properties.Range{}
	}
	return e.skips.versions
}

// SkippedBy returns the name of the first other entry that skips this one, or "".
func (e *Entry) SkippedBy() string {
	if e.skips == nil {
		return ""
	}
	return e.skips.by
}

// Candidate reports whether the entry is a candidate: it is on the chain, no other entry skips it,
// and its bundle exists and is not quarantined. Whether the bundle is excluded from new selections
// ([Bundle.Barred]) does not matter.
func (e *Entry) Candidate() bool {
	return e.Position >= 0 && e.SkippedBy() == "" && e.Bundle != nil && e.Bundle.Quarantine == nil
}

// Quarantined returns the problem for which the channel has no candidates: its own, or else that of
// its package, or nil.
func (c *Channel) Quarantined() *Problem {
	if c.Quarantine == nil && c.Package != nil {
		return c.Package.Quarantine
	}
	return c.Quarantine
}

// Default reports whether it is the default channel of its package.
func (c *Channel) Default() bool { return c.Package != nil && c.Name == c.Package.DefaultChannel }

// Head returns the one entry that no other entry replaces or skips, or nil if
// the channel or its package is quarantined.
func (c *Channel) Head() *Entry {
	if len(c.chain) == 0 {
		return nil
	}
	return c.chain[0]
}

// Chain returns the entries from the head down the replaces chain, virtual
// and skipped ones included; none if the channel or its package is
// quarantined. The slice is shared: do not modify it.
func (c *Channel) Chain() []*Entry { return c.chain }

// Candidates returns the candidates of the channel with their positions, nearest to the head first
// (see [Entry.Candidate]).
func (c *Channel) Candidates() iter.Seq2[int, *Bundle] {
	return func(yield func(int, *Bundle) bool) {
		for _, e := range c.chain {
			if e.Candidate() && !yield(e.Position, e.Bundle) {
				return
			}
		}
	}
}

// Entry returns the entry of that name, or nil. Where a quarantined channel
// has several of one name, it is the first.
func (c *Channel) Entry(name string) *Entry {
	i, ok := c.find(name)
	if !ok {
		return nil
	}
	return &c.Entries[i]
}

// find returns the index in Entries of the first entry of that name.
func (c *Channel) find(name string) (int, bool) {
	i, ok := slices.BinarySearchFunc(c.byName, name, func(i int32, name string) int {
		return strings.Compare(c.Entries[i].Name, name)
	})
	if !ok {
		return 0, false
	}
	return int(c.byName[i]), true
}

// Successors returns the candidates to which an installed bundle of that name
// and version can be upgraded in one step, nearest to the head first: those
// whose replaces or skips names it, or whose skipRange holds its version. The
// bundle itself is never among them, whatever its skipRange says.
func (c *Channel) Successors(name string, v semver.Version) []*Entry {
	var out []*Entry
	for _, e := range c.chain {
		if e.Candidate() && e.Name != name && e.Upgrades(name, v) {
			out = append(out, e)
		}
	}
	return out
}

// Upgrades reports whether the entry has an edge from a bundle of that name and
// version: its replaces or skips names it, or its skipRange holds the version.
func (e *Entry) Upgrades(name string, v semver.Version) bool {
	return name != "" && (e.Replaces == name || slices.Contains(e.Skips(), name)) || e.SkipRange().Contains(v)
}
