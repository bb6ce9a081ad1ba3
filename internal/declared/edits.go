package declared

import "slices"

// Edits are what can be left out of catalogs, by kinds, for package shrink.
type Edits struct{ Packages, Bundles, Channels, Entries, Edges, Notes []func() }

// Add lists what can be left out of a catalog. What is said of bundles is not among it.
func (c *CatalogOf[B]) Add(e *Edits) {
	if c.Priority != 0 {
		e.Notes = append(e.Notes, func() { c.Priority = 0 })
	}
	for k := range c.Packages {
		e.Packages = append(e.Packages, Cut(&c.Packages, k))
		c.Packages[k].add(e)
	}
}

// Cut leaves an item out of a list.
func Cut[T any](list *[]T, i int) func() {
	return func() { *list = slices.Delete(*list, i, i+1) }
}

func (p *PackageOf[B]) add(e *Edits) {
	for i := range p.Bundles {
		e.Bundles = append(e.Bundles, func() { p.leaveOutBundle(i) })
	}
	for i := range p.Channels {
		e.Channels = append(e.Channels, func() { p.leaveOutChannel(i) })
		p.Channels[i].add(e)
	}
	for i := range p.Deprecations {
		e.Notes = append(e.Notes, Cut(&p.Deprecations, i))
	}
}

// add lists the entries of a channel, with and without joining the ends, and what they
// say they replace and skip.
func (c *Channel) add(e *Edits) {
	for i := range c.Entries {
		entry, name := &c.Entries[i], c.Entries[i].Name
		e.Entries = append(e.Entries, func() { c.splice(name) }, func() { c.leaveOut(name) })
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

// leaveOutBundle leaves a bundle out; what replaced it replaces what it replaced.
func (p *PackageOf[B]) leaveOutBundle(i int) {
	name := p.Bundles[i].Called()
	p.Bundles = slices.Delete(p.Bundles, i, i+1)
	if p.Bundle(name) == nil {
		for k := range p.Channels {
			p.Channels[k].splice(name)
		}
	}
}

// leaveOutChannel leaves a channel out. Another one becomes the default if need be.
func (p *PackageOf[B]) leaveOutChannel(i int) {
	name := p.Channels[i].Name
	p.Channels = slices.Delete(p.Channels, i, i+1)
	if p.DefaultChannel == name && p.Channel(name) == nil && len(p.Channels) > 0 {
		p.DefaultChannel = p.Channels[0].Name
	}
}

// splice takes an entry out of a channel and joins the ends.
func (c *Channel) splice(name string) {
	replaces := ""
	if e := c.Entry(name); e != nil && e.Replaces != name {
		replaces = e.Replaces
	}
	c.leaveOut(name)
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

func (c *Channel) leaveOut(name string) {
	c.Entries = slices.DeleteFunc(c.Entries, func(e Entry) bool { return e.Name == name })
}
