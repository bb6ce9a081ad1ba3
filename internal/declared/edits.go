package declared

import "slices"

// Edits are the removals that shrink catalogs, by kind.
type Edits struct{ Packages, Bundles, Channels, Entries, Edges, Notes []func() }

// Add lists the removals of a catalog. It does not edit bundle properties.
func (c *CatalogOf[B]) Add(e *Edits) {
	if c.Priority != 0 {
		e.Notes = append(e.Notes, func() { c.Priority = 0 })
	}
	for k := range c.Packages {
		e.Packages = append(e.Packages, Cut(&c.Packages, k))
		c.Packages[k].add(e)
	}
}

// Cut removes an item from a list.
func Cut[T any](list *[]T, i int) func() {
	return func() { *list = slices.Delete(*list, i, i+1) }
}

func (p *PackageOf[B]) add(e *Edits) {
	for i := range p.Bundles {
		e.Bundles = append(e.Bundles, func() { p.removeBundle(i) })
	}
	for i := range p.Channels {
		e.Channels = append(e.Channels, func() { p.removeChannel(i) })
		p.Channels[i].add(e)
	}
	for i := range p.Deprecations {
		e.Notes = append(e.Notes, Cut(&p.Deprecations, i))
	}
}

// add lists the removals of entries, with and without joining their
// neighbours, and of replaces and skips.
func (c *Channel) add(e *Edits) {
	for i := range c.Entries {
		entry, name := &c.Entries[i], c.Entries[i].Name
		e.Entries = append(e.Entries, func() { c.splice(name) }, func() { c.removeEntry(name) })
		if entry.Replaces != "" {
			e.Edges = append(e.Edges, func() { entry.Replaces = "" })
		}
		if entry.SkipRange != "" {
			e.Edges = append(e.Edges, func() { entry.SkipRange = "" })
		}
		for k := range entry.Skips {
			e.Edges = append(e.Edges, Cut(&entry.Skips, k))
		}
	}
}

// removeBundle removes a bundle and reconnects its replacement to its
// predecessor.
func (p *PackageOf[B]) removeBundle(i int) {
	name := p.Bundles[i].Called()
	p.Bundles = slices.Delete(p.Bundles, i, i+1)
	if p.Bundle(name) == nil {
		for k := range p.Channels {
			p.Channels[k].splice(name)
		}
	}
}

// removeChannel removes a channel. If it is the default, another one becomes
// the default.
func (p *PackageOf[B]) removeChannel(i int) {
	name := p.Channels[i].Name
	p.Channels = slices.Delete(p.Channels, i, i+1)
	if p.DefaultChannel == name && p.Channel(name) == nil && len(p.Channels) > 0 {
		p.DefaultChannel = p.Channels[0].Name
	}
}

// splice removes an entry from a channel and joins its neighbours.
func (c *Channel) splice(name string) {
	replaces := ""
	if e := c.Entry(name); e != nil && e.Replaces != name {
		replaces = e.Replaces
	}
	c.removeEntry(name)
	for i := range c.Entries {
		e := &c.Entries[i]
		if e.Replaces == name {
			e.Replaces = replaces
			if replaces == e.Name {
				e.Replaces = ""
			}
		}
		e.Skips = slices.DeleteFunc(e.Skips, func(s string) bool { return s == name })
	}
}

func (c *Channel) removeEntry(name string) {
	c.Entries = slices.DeleteFunc(c.Entries, func(e Entry) bool { return e.Name == name })
}
