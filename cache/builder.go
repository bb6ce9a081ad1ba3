package cache

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// Builder builds a catalog from rows, such as those of a database, one for each entry of a
// channel. It never fails: whatever is wrong with the rows becomes a problem of the catalog and
// quarantines what cannot be used, as in a catalog that is read from files. The same rows in
// the same order give the same catalog.
//
// The zero Builder is ready to use. It is not safe for concurrent use.
type Builder struct {
	// Options are passed to [graph.Build] for each package.
	Options graph.Options

	interner properties.Interner
	packages []*builderPackage // in order of their first row
	byName   map[string]*builderPackage
	problems []graph.Problem
}

// builderPackage is a package whose rows are being added.
type builderPackage struct {
	decl     graph.PackageDecl
	channels map[string]int // indexes in decl.Channels, by name
	bundles  map[string]int // indexes in decl.Bundles of the first declarations, by name
}

// Add adds a row: an entry of a channel of a package, and the bundle that it lists.
//
//   - isDefault marks the channel as the default channel of the package; one of its rows is
//     enough. If several channels are marked, the package is declared more than once and is
//     quarantined (packageDuplicate).
//   - An empty channel adds a bundle that no channel lists; the entry is ignored.
//   - A bundle without a name adds an entry alone. The bundle may be declared by another row;
//     if none declares it, the entry is virtual.
//   - A bundle in several channels is repeated in the row of each. The first declaration
//     counts, its payload included; one that differs in image, properties, compatibility or
//     constraints is an error (bundleDuplicate), which quarantines the bundle.
//   - A row without a package is ignored and reported (packageInvalid).
//
// The builder keeps entry and bundle: do not modify their slices afterwards.
func (b *Builder) Add(pkg, channel string, isDefault bool, entry graph.EntryDecl, bundle graph.BundleDecl) {
	if pkg == "" {
		b.problems = append(b.problems, graph.Problem{Severity: graph.SeverityError, Code: "packageInvalid", Catalog: b.Options.Catalog,
			Channel: channel, Bundle: entry.Name, File: bundle.Pos.File, Line: bundle.Pos.Line,
			Message: fmt.Sprintf("the row of %q has no package and is ignored: name its package", entry.Name)})
		return
	}
	p := b.pkg(pkg)
	if channel != "" {
		p.addEntry(channel, isDefault, entry, bundle.Pos)
	}
	if bundle.Name != "" {
		p.addBundle(bundle)
	}
}

// Deprecate adds an entry of an olm.deprecations blob of the package.
func (b *Builder) Deprecate(pkg string, d graph.DeprecationDecl) {
	p := b.pkg(pkg)
	p.decl.Deprecations = append(p.decl.Deprecations, d)
}

// Properties parses a JSON array of properties, as [properties.Parse] does, for
// [graph.BundleDecl]. Each invalid property is dropped and becomes a flaw (propertyInvalid),
// which quarantines the bundle that has it. Equal properties of different bundles share memory.
func (b *Builder) Properties(data []byte) (properties.Set, []graph.Flaw) {
	set, err := properties.Parse(data)
	var flaws []graph.Flaw
	for _, err := range unjoin(err) {
		f := graph.Flaw{Code: "propertyInvalid", Message: fmt.Sprintf("the %s has an invalid property: %v", cmp.Or(b.Options.Terms.Bundle, "bundle"), err)}
		if invalid := (*properties.Error)(nil); errors.As(err, &invalid) {
			f.Property = invalid.Type
		}
		flaws = append(flaws, f)
	}
	list := make([]*properties.Property, 0, set.Len())
	for p := range set.All() {
		list = append(list, b.interner.Intern(p))
	}
	return b.interner.Set(list...), flaws
}

// unjoin returns the errors that [errors.Join] joined.
func unjoin(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// Build returns the catalog of all rows so far. More rows may be added afterwards; a catalog
// that was returned does not change.
func (b *Builder) Build() *Catalog {
	packages := make([]*graph.Package, len(b.packages))
	for i, p := range b.packages {
		d := p.decl
		if len(d.Definitions) == 0 {
			d.Definitions = []graph.DefinitionDecl{{Pos: p.pos()}}
		}
		packages[i] = graph.Build(d, b.Options)
	}
	return NewCatalog(packages, b.problems)
}

// pkg returns the package of that name, a new one if there is none yet.
func (b *Builder) pkg(name string) *builderPackage {
	p := b.byName[name]
	if p == nil {
		p = &builderPackage{decl: graph.PackageDecl{Name: name}, channels: map[string]int{}, bundles: map[string]int{}}
		if b.byName == nil {
			b.byName = map[string]*builderPackage{}
		}
		b.byName[name] = p
		b.packages = append(b.packages, p)
	}
	return p
}

// addEntry adds an entry to a channel, a new one if there is none of that name yet.
func (p *builderPackage) addEntry(channel string, isDefault bool, entry graph.EntryDecl, pos graph.Pos) {
	i, ok := p.channels[channel]
	if !ok {
		i = len(p.decl.Channels)
		p.channels[channel] = i
		p.decl.Channels = append(p.decl.Channels, graph.ChannelDecl{Name: channel, Pos: pos})
	}
	c := &p.decl.Channels[i]
	c.Entries = append(c.Entries, entry)
	marked := func(d graph.DefinitionDecl) bool { return d.DefaultChannel == channel }
	if isDefault && !slices.ContainsFunc(p.decl.Definitions, marked) {
		p.decl.Definitions = append(p.decl.Definitions, graph.DefinitionDecl{DefaultChannel: channel, Pos: pos})
	}
}

// addBundle adds a bundle, unless an equal one is there already.
func (p *builderPackage) addBundle(d graph.BundleDecl) {
	i, ok := p.bundles[d.Name]
	if !ok {
		p.bundles[d.Name] = len(p.decl.Bundles)
	} else if sameBundle(&p.decl.Bundles[i], &d) {
		return
	}
	p.decl.Bundles = append(p.decl.Bundles, d)
}

// sameBundle reports whether two declarations of a bundle agree.
func sameBundle(a, b *graph.BundleDecl) bool {
	return a.Image == b.Image && a.Properties.Equal(b.Properties) && a.Compatibility.Equal(b.Compatibility) &&
		slices.Equal(a.Flaws, b.Flaws) && slices.EqualFunc(a.Requires, b.Requires, sameConstraint)
}

// pos returns where the package is first declared.
func (p *builderPackage) pos() graph.Pos {
	switch {
	case len(p.decl.Channels) > 0:
		return p.decl.Channels[0].Pos
	case len(p.decl.Bundles) > 0:
		return p.decl.Bundles[0].Pos
	}
	return graph.Pos{}
}

// sameConstraint reports whether two constraints are equal.
func sameConstraint(a, b constraints.Constraint) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Key() == b.Key()
}
