package graph

import (
	"slices"
	"strings"
)

// Package is an operator in a catalog: its channels and its bundles. It is
// immutable and safe for concurrent use.
type Package struct {
	// Name is the name of the package.
	Name string
	// DefaultChannel is the name of the default channel as declared. It may be
	// empty, and no channel need have it.
	DefaultChannel string
	// Channels are the channels, the default channel first, then by name.
	Channels []*Channel
	// Bundles are the bundles by name, in no channel or quarantined ones
	// included.
	Bundles []*Bundle
	// Deprecated is true if an olm.deprecations blob names the package;
	// Deprecation is the message given there, which may be empty.
	Deprecated  bool
	Deprecation string
	// Quarantine is the first problem for which nothing of the package can be
	// chosen, or nil.
	Quarantine *Problem
	// Problems are the problems of the package and of its channels and bundles, in
	// the order of [Problem.Compare].
	Problems []Problem
	// Pos is where the package is defined.
	Pos Pos
}

// Channel returns the channel of that name, or nil.
func (p *Package) Channel(name string) *Channel {
	rest := p.Channels
	if len(rest) > 0 && rest[0].Name == name {
		return rest[0]
	}
	if len(rest) > 0 && rest[0].Default() {
		rest = rest[1:] // the others are sorted
	}
	i, ok := slices.BinarySearchFunc(rest, name, func(c *Channel, name string) int { return strings.Compare(c.Name, name) })
	if !ok {
		return nil
	}
	return rest[i]
}

// Bundle returns the bundle of that name, or nil.
func (p *Package) Bundle(name string) *Bundle {
	i, ok := p.find(name)
	if !ok {
		return nil
	}
	return p.Bundles[i]
}

// find returns the index in Bundles of the bundle of that name.
func (p *Package) find(name string) (int, bool) {
	return slices.BinarySearchFunc(p.Bundles, name, func(b *Bundle, name string) int {
		return strings.Compare(b.Name, name)
	})
}

// Select returns the channels of those names in the order of the package, or all if there
// are no names. The error is an [*UnknownChannelError] for the first that it lacks.
func (p *Package) Select(names []string) ([]*Channel, error) {
	if len(names) == 0 {
		return p.Channels, nil
	}
	wanted := make(map[string]bool, len(names))
	for _, n := range names {
		if wanted[n] = true; p.Channel(n) == nil {
			return nil, &UnknownChannelError{Package: p.Name, Channel: n, Known: channelNames(p)}
		}
	}
	return slices.DeleteFunc(slices.Clone(p.Channels), func(c *Channel) bool { return !wanted[c.Name] }), nil
}
