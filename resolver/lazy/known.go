package lazy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// known is what a session knows of one catalog.
type known struct {
	Catalog
	options  graph.Options
	packages map[string]*pkg // nil for one that does not exist
	answered map[string]bool // queries, by key
	content  *cache.Catalog  // of packages; nil if it is outdated

	needs           *needs // of the current problem: how many of its packages and queries are known
	listed, queried int

	bundles []graph.BundleDecl // scratch buffers of build
	entries []graph.EntryDecl
}

// pkg is a package of which some versions were read.
type pkg struct {
	name  string
	from  *Package
	read  map[string]*Details               // by name of the version
	facts map[string][]*properties.Property // of versions that were not read, by name
	built *graph.Package
	// shared means that a caller may have the built package, so that a change needs a copy.
	shared bool
}

// newPackage builds a listed package. The error says what is wrong with it.
func (k *known) newPackage(name string, from *Package) (*pkg, error) {
	p := &pkg{name: name, from: from}
	if len(from.Channels) == 0 {
		if message := sorted(from.Versions); message != "" {
			return nil, k.wrong(name, "", message)
		}
	}
	k.build(p)
	if len(p.built.Bundles) != len(from.Versions) {
		return nil, k.wrong(name, p.twice(), "the provider lists it twice")
	}
	return p, nil
}

// build builds a package of what is known of it.
func (k *known) build(p *pkg) {
	d := graph.PackageDecl{Name: p.name, Channels: p.from.Channels, Deprecations: p.from.Deprecations}
	d.Definitions = []graph.DefinitionDecl{{DefaultChannel: p.from.DefaultChannel, Flaws: p.from.Flaws}}
	d.Bundles = slices.Grow(k.bundles[:0], len(p.from.Versions))
	for i := range p.from.Versions {
		d.Bundles = append(d.Bundles, p.declare(i))
	}
	if len(p.from.Channels) == 0 && len(d.Bundles) > 0 {
		ch := graph.ChannelDecl{Name: cmp.Or(p.from.DefaultChannel, DefaultChannel), Entries: slices.Grow(k.entries[:0], len(d.Bundles))}
		for i := range d.Bundles {
			ch.Entries = append(ch.Entries, graph.EntryDecl{Name: d.Bundles[i].Name})
			if i > 0 {
				ch.Entries[i-1].Replaces = d.Bundles[i].Name
			}
		}
		d.Channels, d.Definitions[0].DefaultChannel, k.entries = []graph.ChannelDecl{ch}, ch.Name, ch.Entries
	}
	p.built, p.shared = graph.Build(d, k.options), false
	p.built.Problems = nil // no answer needs them; what quarantines stays
	for _, b := range p.built.Bundles {
		b.Barred = b.Barred || p.from.Versions[b.Order].Barred
	}
	clear(d.Bundles)
	k.bundles = d.Bundles
}

// declare declares version i as far as it is known.
func (p *pkg) declare(i int) graph.BundleDecl {
	v := &p.from.Versions[i]
	d := graph.BundleDecl{Name: v.name(p.name), Image: v.Image, Payload: v.Payload, Flaws: v.Flaws}
	read := p.read[d.Name]
	if read == nil {
		d.Version, d.Release, d.Properties = &v.Version, v.Release, properties.NewSet(p.facts[d.Name]...)
		return d
	}
	d.Requires, d.Properties, d.Compatibility, d.Metadata = read.Requires, read.Properties, read.Compatibility, read.Metadata
	d.Flaws = append(slices.Clip(d.Flaws), read.Flaws...)
	if _, ok := d.Properties.Package(); !ok && !p.nameless(v) {
		d.Properties = properties.NewSet(append([]*properties.Property{identity(p.name, v)}, slices.Collect(d.Properties.All())...)...)
	}
	if read.Payload != nil {
		d.Payload = read.Payload
	}
	return d
}

// name returns the name of a version of a package.
func (v *Version) name(pkg string) string {
	if v.Name == "" {
		return pkg + ".v" + v.Version.String()
	}
	return v.Name
}

// nameless reports whether a version is quarantined because its version is unknown.
func (p *pkg) nameless(v *Version) bool {
	return len(v.Flaws) > 0 && v.Version.Equals(semver.Version{})
}

// sorted returns what is wrong with the order of versions.
func sorted(list []Version) string {
	for i := range max(0, len(list)-1) {
		a, b := &list[i], &list[i+1]
		switch c := properties.CompareVersions(a.Version, a.Release, b.Version, b.Release); {
		case c == 0:
			return fmt.Sprintf("the provider lists version %s twice", b.Version)
		case c < 0:
			return fmt.Sprintf("the provider lists version %s after the lower %s; versions have to come highest first", b.Version, a.Version)
		}
	}
	return ""
}

// twice returns a name that two versions have, or the first version without a valid name.
func (p *pkg) twice() string {
	seen := make(map[string]bool)
	for i := range p.from.Versions {
		name := p.declare(i).Name
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}

// wrong returns the error of an answer that cannot be used.
func (k *known) wrong(pkg, version, message string) error {
	return &ProviderError{Catalog: k.Key, Package: pkg, Version: version, Message: message}
}

// own makes sure that no caller has the built package.
func (p *pkg) own() {
	if p.shared {
		p.built, p.shared = p.built.Clone(), false
	}
}

// unread returns the version of a name that exists and was not read, or nil.
func (k *known) unread(of Ref) *graph.Bundle {
	p := k.packages[of.Package]
	if p == nil {
		return nil
	}
	if b := p.built.Bundle(of.Name); b != nil && b.Unread {
		return b
	}
	return nil
}

// add adds the contents of a version.
func (k *known) add(of Ref, d *Details) {
	p := k.packages[of.Package]
	p.own()
	k.content = nil
	if p.read == nil {
		p.read = make(map[string]*Details)
	}
	p.read[of.Name] = d
	b := p.built.Bundle(of.Name)
	alone := graph.PackageDecl{Name: of.Package, Definitions: []graph.DefinitionDecl{{}}, Bundles: []graph.BundleDecl{p.declare(int(b.Order))}}
	read := graph.Build(alone, k.options).Bundles[0]
	if read.Quarantine != nil && b.Quarantine == nil { // it leaves its channels
		k.build(p)
		return
	}
	b.Unread, b.Properties, b.Constraints, b.Compatibility, b.Metadata, b.Payload = false, read.Properties, read.Constraints, read.Compatibility, read.Metadata, read.Payload
	b.Barred = b.Barred || read.Barred
}

// provide adds a property that the answer to a query tells of a version that was not read.
func (k *known) provide(of Ref, property *properties.Property) {
	if k.unread(of) == nil || property == nil {
		return
	}
	p := k.packages[of.Package]
	facts := p.facts[of.Name]
	if slices.Contains(facts, property) {
		return
	}
	p.own()
	if k.content = nil; p.facts == nil {
		p.facts = make(map[string][]*properties.Property)
	}
	p.facts[of.Name] = append(facts, property)
	p.built.Bundle(of.Name).Properties = properties.NewSet(p.facts[of.Name]...)
}

// catalog returns a catalog of what is known.
func (k *known) catalog() *cache.Catalog {
	if k.content != nil {
		return k.content
	}
	names := slices.Sorted(maps.Keys(k.packages))
	list := make([]*graph.Package, 0, len(names))
	for _, name := range names {
		p := k.packages[name]
		if p == nil {
			continue
		}
		p.own()
		for _, b := range p.built.Bundles {
			b.ID = -1 // no other catalog that is in use has it
		}
		list = append(list, p.built)
	}
	k.content = cache.NewCatalog(list, nil)
	return k.content
}

// share makes later changes copy what the catalog has.
func (k *known) share() {
	for _, p := range k.packages {
		if p != nil {
			p.shared = true
		}
	}
}

// named returns the versions of a name among the listed packages.
func (k *known) named(name string) []Ref {
	var out []Ref
	for _, p := range k.packages {
		if p != nil && p.built.Bundle(name) != nil {
			out = append(out, Ref{p.name, name})
		}
	}
	slices.SortFunc(out, func(a, b Ref) int { return strings.Compare(a.Package, b.Package) })
	return out
}

// versions lists the versions of a package.
func (k *known) versions(pkg string) []Ref {
	p := k.packages[pkg]
	if p == nil {
		return nil
	}
	out := make([]Ref, len(p.built.Bundles))
	for i, b := range p.built.Bundles {
		out[i] = Ref{pkg, b.Name}
	}
	return out
}
