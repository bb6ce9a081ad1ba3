package graph

import (
	"slices"

	"github.com/blang/semver/v4"
)

// Clone returns a copy of the package with bundles of its own, whose IDs are
// -1, so that another catalog can take it. Properties, constraints and
// problems are immutable and shared. Pointers that [Build] always sets are set in the
// copy, so that a package made of literals can be used like a built one. The clone of nil is nil.
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
		own.Version = b.version()
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
		if e.Bundle != nil {
			e.Bundle = p.Bundle(e.Name)
		}
		if e.Position >= 0 && e.Position < len(chain) {
			chain[e.Position] = e
		}
	}
	c.chain = chain
}

// whole returns the package, or a clone of it if it is made of literals that lack pointers
// that Build always sets.
func (p *Package) whole() *Package {
	for _, b := range p.Bundles {
		if b == nil || b.Version == nil {
			return p.Clone()
		}
	}
	for _, c := range p.Channels {
		if c == nil || c.Package == nil {
			return p.Clone()
		}
	}
	return p
}

var noVersion semver.Version

// version returns the Version of the bundle, never nil.
func (b *Bundle) version() *semver.Version {
	if b.Version == nil {
		return &noVersion
	}
	return b.Version
}
