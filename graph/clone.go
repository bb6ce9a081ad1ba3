package graph

import "slices"

// Clone returns a copy of the package with bundles of its own, whose IDs are
// -1, so that another catalog can take it. Properties, constraints and
// problems are immutable and shared.
func (p *Package) Clone() *Package {
	c := *p
	bundles := make([]Bundle, len(p.Bundles))
	c.Bundles = make([]*Bundle, len(p.Bundles))
	for i, b := range p.Bundles {
		bundles[i] = *b
		bundles[i].ID = -1
		bundles[i].Places = slices.Clone(b.Places)
		c.Bundles[i] = &bundles[i]
	}
	channels := make([]Channel, len(p.Channels))
	c.Channels = make([]*Channel, len(p.Channels))
	moved := make(map[*Channel]*Channel, len(p.Channels))
	for i, ch := range p.Channels {
		channels[i] = *ch
		channels[i].Package = &c
		channels[i].Entries = slices.Clone(ch.Entries)
		channels[i].rebind(&c)
		c.Channels[i] = &channels[i]
		moved[ch] = &channels[i]
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
	n := 0
	for i := range c.Entries {
		e := &c.Entries[i]
		if e.Bundle != nil {
			e.Bundle = p.Bundle(e.Name)
		}
		if e.Position >= 0 {
			n++
		}
	}
	c.chain = make([]*Entry, n)
	for i := range c.Entries {
		if e := &c.Entries[i]; e.Position >= 0 {
			c.chain[e.Position] = e
		}
	}
}
