package graph

import "github.com/seed109e2655/resolute/constraints"

// Candidate returns what the rules of a policy see of a bundle of the package, in the catalog with
// a key. The package may be nil.
func (p *Package) Candidate(b *Bundle, catalog string) *constraints.Candidate {
	c := &constraints.Candidate{Package: b.Package, Name: b.Name, Version: b.version().String(), Release: string(b.Release), Catalog: catalog,
		Image: b.Image, Deprecated: b.Deprecated || b.Barred, Properties: b.Properties, Metadata: b.Metadata}
	if p == nil {
		return c
	}
	c.Deprecated = c.Deprecated || p.Deprecated
	for _, ch := range p.Channels {
		if ch.Entry(b.Name) != nil {
			c.Channels = append(c.Channels, ch.Name)
		}
	}
	return c
}
