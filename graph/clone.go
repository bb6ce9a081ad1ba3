package graph

import (
	"slices"

	"github.com/blang/semver/v4"
)

// Clone returns a copy of the package with bundles of its own, whose IDs are
// -1, so that another catalog can take it. Properties, constraints and
// problems are immutable and shared. Pointers that [Build] never leaves nil are
// set in the copy, so that a package from literals can be used as one that was built.
// The clone of nil is nil.
func (p *Package) Clone() *Package {
	if p == nil {
		return nil
	}
	c := *p
	bundles := make([]Bundle, 0, len(p.Bundles)) // never grows
	c.Bundles = make([]*Bundle, 0, len(p.Bundles))
	for _, b := range p.Bundles {
		if b == nil {
			continue
		}
		bundles = append(bundles, *b)
		own := &bundles[len(bundles)-1]
		own.ID = -1
		own.Places = slices.Clone(b.Places)
		own.Version, own.Common = b.version(), b.common()
		c.Bundles = append(c.Bundles, own)
	}
	channels := make([]Channel, 0, len(p.Channels)) // never grows
	c.Channels = make([]*Channel, 0, len(p.Channels))
	moved := make(map[*Channel]*Channel, len(p.Channels))
	for _, ch := range p.Channels {
		if ch == nil {
			continue
		}
		channels = append(channels, *ch)
		own := &channels[len(channels)-1]
		own.Package = &c
		own.Entries = slices.Clone(ch.Entries)
		own.rebind(&c)
		c.Channels = append(c.Channels, own)
		moved[ch] = own
	}
	for i := range bundles {
		for j := range bundles[i].Places {
			bundles[i].Places[j].Channel = moved[bundles[i].Places[j].Channel]
		}
	}
	return &c
}

// rebind points a copied channel at the bundles of its new package, and its
// chain at its own entries.
func (c *Channel) rebind(p *Package) {
	chain := make([]*Entry, len(c.chain))
	for i := range c.Entries {
		e := &c.Entries[i]
		e.Skipping = e.skipping()
		if e.Bundle != nil {
			e.Bundle = p.Bundle(e.Name)
		}
		if e.Position >= 0 && e.Position < len(chain) {
			chain[e.Position] = e
		}
	}
	c.chain = chain
}

// whole returns the package, or a clone of it if it comes from literals that lack what
// Build always sets.
func (p *Package) whole() *Package {
	for _, b := range p.Bundles {
		if b == nil || b.Version == nil || b.Common == nil {
			return p.Clone()
		}
	}
	for _, c := range p.Channels {
		if c == nil || c.Package == nil || slices.ContainsFunc(c.Entries, func(e Entry) bool { return e.Skipping == nil }) {
			return p.Clone()
		}
	}
	return p
}

// noCommon and noVersion are what a bundle from a literal may lack.
var (
	noCommon  Common
	noVersion semver.Version
)

// common returns the Common of the bundle, never nil.
func (b *Bundle) common() *Common {
	if b.Common == nil {
		return &noCommon
	}
	return b.Common
}

// version returns the Version of the bundle, never nil.
func (b *Bundle) version() *semver.Version {
	if b.Version == nil {
		return &noVersion
	}
	return b.Version
}

// skipping returns the Skipping of the entry, never nil.
func (e *Entry) skipping() *Skipping {
	if e.Skipping == nil {
		return &noSkipping
	}
	return e.Skipping
}
