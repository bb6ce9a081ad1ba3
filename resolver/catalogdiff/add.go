package catalogdiff

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// Addition is a bundle to add to a catalog, with its channels and upgrade edges.
type Addition struct {
	// Package names its package, which may be new.
	Package string
	// Bundle is the bundle, read from its olm.bundle blob. It may be part of another catalog.
	Bundle *graph.Bundle
	// Pos locates the bundle in findings; the zero Pos means where it is declared.
	Pos graph.Pos
	// Channels are the channels to add it to; missing ones are created. At least one is required.
	Channels []string
	// DefaultChannel becomes the default channel of the package. If empty, a new package uses the
	// first of Channels.
	DefaultChannel string
	// Replaces, Skips and SkipRange are the fields of its entries. If all are empty, the version
	// determines the position, as in opm's semver mode: the bundle replaces the entry of the next
	// lower version, and the entries that replaced that one replace the new bundle.
	Replaces  string
	Skips     []string
	SkipRange string
}

// AdditionError reports that a bundle cannot be added to a catalog.
type AdditionError struct {
	// Bundle and Package are those of the addition.
	Bundle, Package string
	// Reason states the obstacle, and what to do.
	Reason string
}

// Error implements error.
func (e *AdditionError) Error() string {
	return fmt.Sprintf("%s cannot be added to package %s: %s", text.Name(e.Bundle), text.Name(e.Package), e.Reason)
}

// Add returns a catalog without and with added bundles, in order, for [Compare]. Both are built
// from the same declarations, so that they differ only in the additions; the problems of the
// second one include those of an addition. The catalog itself does not change.
//
// The error is an [*AdditionError].
func Add(content *cache.Catalog, additions ...Addition) (without, with *cache.Catalog, err error) {
	decls := make(map[string]*graph.PackageDecl)
	for i := range additions {
		a := &additions[i]
		d := decls[a.Package]
		if d == nil {
			d = &graph.PackageDecl{Name: a.Package}
			if p := content.Package(a.Package); p != nil {
				*d = p.Decl()
			}
			decls[a.Package] = d
		}
		if err := a.addTo(d); err != nil {
			return nil, nil, err
		}
	}
	var before, after []*graph.Package
	for p := range content.Packages() {
		if decls[p.Name] == nil {
			before, after = append(before, p), append(after, p)
			continue
		}
		before = append(before, graph.Build(p.Decl(), graph.Options{}))
	}
	for _, a := range additions {
		if d := decls[a.Package]; d != nil {
			after = append(after, graph.Build(*d, graph.Options{}))
			delete(decls, a.Package)
		}
	}
	rest := outside(content)
	return cache.NewCatalog(before, rest), cache.NewCatalog(after, slices.Clone(rest)), nil
}

// outside returns the problems of a catalog outside its packages.
func outside(content *cache.Catalog) []graph.Problem {
	inside := make(map[graph.Problem]int)
	for p := range content.Packages() {
		for _, x := range p.Problems {
			inside[x]++
		}
	}
	var out []graph.Problem
	for _, x := range content.Problems() {
		if inside[x] > 0 {
			inside[x]--
			continue
		}
		out = append(out, x)
	}
	return out
}

func (a *Addition) addTo(d *graph.PackageDecl) error {
	fail := func(reason string) error {
		name := ""
		if a.Bundle != nil {
			name = a.Bundle.Name
		}
		return &AdditionError{name, a.Package, reason}
	}
	switch {
	case a.Bundle == nil || a.Bundle.Name == "" || a.Package == "":
		return fail("the bundle and its package need names")
	case a.Bundle.Version == nil:
		return fail("the bundle is not part of a package; read it from its blob")
	case len(a.Channels) == 0:
		return fail("no channel is named; name one in its annotations, or after @")
	case slices.ContainsFunc(d.Bundles, func(b graph.BundleDecl) bool { return b.Name == a.Bundle.Name }):
		return fail("the catalog already has a bundle of this name; give the new one another name and version")
	}
	if len(d.Definitions) == 0 {
		d.Definitions = []graph.DefinitionDecl{{DefaultChannel: a.Channels[0], Pos: a.pos()}}
	}
	d.Definitions[0].DefaultChannel = cmp.Or(a.DefaultChannel, d.Definitions[0].DefaultChannel)
	for _, name := range a.Channels {
		i := slices.IndexFunc(d.Channels, func(ch graph.ChannelDecl) bool { return ch.Name == name })
		if i < 0 {
			i = len(d.Channels)
			d.Channels = append(d.Channels, graph.ChannelDecl{Name: name, Pos: a.pos()})
		}
		a.enter(&d.Channels[i], d.Bundles)
	}
	own := a.Bundle.Decl()
	own.Pos = a.pos()
	d.Bundles = append(d.Bundles, own)
	return nil
}

// pos locates the bundle in findings.
func (a *Addition) pos() graph.Pos {
	return cmp.Or(a.Pos, a.Bundle.Pos())
}

func (a *Addition) enter(ch *graph.ChannelDecl, bundles []graph.BundleDecl) {
	e := graph.EntryDecl{Name: a.Bundle.Name, Replaces: a.Replaces, Skips: slices.Clone(a.Skips), SkipRange: a.SkipRange}
	ch.Entries = slices.Clone(ch.Entries)
	if a.Replaces == "" && len(a.Skips) == 0 && a.SkipRange == "" {
		a.place(&e, ch, bundles)
	}
	ch.Entries = append(ch.Entries, e)
}

// place inserts the entry of the bundle into a channel by its version.
func (a *Addition) place(e *graph.EntryDecl, ch *graph.ChannelDecl, bundles []graph.BundleDecl) {
	type placed struct {
		*graph.EntryDecl
		version properties.Package
	}
	var all, lower []placed
	for i := range ch.Entries {
		p := placed{EntryDecl: &ch.Entries[i]}
		at := slices.IndexFunc(bundles, func(b graph.BundleDecl) bool { return b.Name == p.Name })
		if at < 0 {
			continue
		}
		var known bool
		if p.version, known = bundles[at].Properties.Package(); !known {
			continue
		}
		all = append(all, p)
		if properties.CompareVersions(p.version.Version, p.version.Release, *a.Bundle.Version, a.Bundle.Release) < 0 {
			lower = append(lower, p)
		}
	}
	byVersion := func(p, q placed) int { return p.version.CompareVersion(q.version) }
	switch {
	case len(lower) > 0:
		e.Replaces = slices.MaxFunc(lower, byVersion).Name
		for i := range ch.Entries {
			if above := &ch.Entries[i]; above.Replaces == e.Replaces {
				above.Replaces = e.Name
			}
		}
	case len(all) > 0:
		if lowest := slices.MinFunc(all, byVersion); lowest.Replaces == "" {
			lowest.Replaces = e.Name
		}
	}
}
