package lazy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// known is what a session knows of one catalog.
type known struct {
	Catalog
	options  graph.Options
	packages map[string]*pkg // nil for one that does not exist
	answers  map[string][]Ref
	content  *cache.Catalog // of packages; nil if it is outdated
}

// pkg is a package of which some versions were read.
type pkg struct {
	decl  graph.PackageDecl // its bundles are in the order of the provider's versions
	from  *Package
	built *graph.Package
	// shared means that a caller may have the built package, so that a change needs a copy.
	shared bool
}

// newPackage builds a listed package. The error says what is wrong with it.
func (k *known) newPackage(name string, from *Package) (*pkg, error) {
	p := &pkg{from: from, decl: graph.PackageDecl{Name: name, Channels: from.Channels, Deprecations: from.Deprecations}}
	p.decl.Definitions = []graph.DefinitionDecl{{DefaultChannel: from.DefaultChannel, Flaws: from.Flaws}}
	p.decl.Bundles = make([]graph.BundleDecl, len(from.Versions))
	for i := range from.Versions {
		v := &from.Versions[i]
		identity, err := p.identity(v)
		if err != nil {
			return nil, k.wrong(name, v.Name, err.Error())
		}
		d := graph.BundleDecl{Name: v.Name, Image: v.Image, Payload: v.Payload, Properties: identity, Flaws: v.Flaws}
		if d.Name == "" {
			d.Name = name + ".v" + v.Version.String()
		}
		p.decl.Bundles[i] = d
	}
	if len(from.Channels) == 0 {
		if message := p.oneChannel(); message != "" {
			return nil, k.wrong(name, "", message)
		}
	}
	p.build(k.options)
	if len(p.built.Bundles) != len(p.decl.Bundles) {
		return nil, k.wrong(name, p.twice(), "the provider lists it twice")
	}
	return p, nil
}

// wrong returns the error of an answer that cannot be used.
func (k *known) wrong(pkg, version, message string) error {
	return &ProviderError{Catalog: k.Key, Package: pkg, Version: version, Message: message}
}

// identity returns the property olm.package of a version; none for a quarantined one whose version
// is unknown.
func (p *pkg) identity(v *Version) (properties.Set, error) {
	zero := v.Version.Major|v.Version.Minor|v.Version.Patch == 0 && len(v.Version.Pre)+len(v.Version.Build) == 0
	if zero && len(v.Flaws) > 0 {
		return properties.Set{}, nil
	}
	if v.Release != "" {
		return identityOf(p.decl.Name, v)
	}
	property, err := properties.NewPackage(p.decl.Name, &v.Version)
	if err != nil {
		return properties.Set{}, err
	}
	return properties.NewSet(property), nil
}

// oneChannel gives the package one channel of all versions. It returns what is wrong with their
// order.
func (p *pkg) oneChannel() string {
	versions, bundles := p.from.Versions, p.decl.Bundles
	channel := graph.ChannelDecl{Name: p.from.DefaultChannel, Entries: make([]graph.EntryDecl, len(bundles))}
	if channel.Name == "" {
		channel.Name, p.decl.Definitions[0].DefaultChannel = DefaultChannel, DefaultChannel
	}
	for i := range bundles {
		channel.Entries[i].Name = bundles[i].Name
		if i == 0 {
			continue
		}
		channel.Entries[i-1].Replaces = bundles[i].Name
		a, b := &versions[i-1], &versions[i]
		switch c := properties.CompareVersions(a.Version, a.Release, b.Version, b.Release); {
		case c == 0:
			return fmt.Sprintf("the provider lists version %s twice", b.Version)
		case c < 0:
			return fmt.Sprintf("the provider lists version %s after the lower %s; versions have to come highest first", b.Version, a.Version)
		}
	}
	if len(bundles) > 0 {
		p.decl.Channels = []graph.ChannelDecl{channel}
	}
	return ""
}

// twice returns a name that two versions have.
func (p *pkg) twice() string {
	seen := make(map[string]bool)
	for i := range p.decl.Bundles {
		if name := p.decl.Bundles[i].Name; seen[name] {
			return name
		}
		seen[p.decl.Bundles[i].Name] = true
	}
	return ""
}

// build builds the package of its declarations.
func (p *pkg) build(opts graph.Options) {
	was := p.built
	p.built, p.shared = graph.Build(p.decl, opts), false
	for i, b := range p.built.Bundles {
		b.Unread = was == nil || was.Bundles[i].Unread
		b.Barred = b.Barred || p.from.Versions[b.Order].Barred
	}
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

// read adds the contents of a version.
func (k *known) read(of Ref, d *Details) {
	p := k.packages[of.Package]
	p.own()
	k.content = nil
	b := p.built.Bundle(of.Name)
	decl := &p.decl.Bundles[b.Order]
	identity, _ := p.identity(&p.from.Versions[b.Order]) // which was valid
	decl.Requires, decl.Properties, decl.Compatibility, decl.Metadata = d.Requires, d.Properties, d.Compatibility, d.Metadata
	decl.Flaws = append(slices.Clip(decl.Flaws), d.Flaws...)
	if _, ok := d.Properties.Package(); !ok {
		decl.Properties = properties.NewSet(append([]*properties.Property{identity.At(0)}, slices.Collect(d.Properties.All())...)...)
	}
	if d.Payload != nil {
		decl.Payload = d.Payload
	}
	b.Unread = false
	alone := graph.Build(graph.PackageDecl{Name: of.Package, Definitions: []graph.DefinitionDecl{{}}, Bundles: []graph.BundleDecl{*decl}}, k.options).Bundles[0]
	if alone.Quarantine != nil && b.Quarantine == nil { // it leaves its channels
		p.build(k.options)
		return
	}
	b.Properties, b.Constraints, b.Compatibility, b.Metadata, b.Payload = alone.Properties, alone.Constraints, alone.Compatibility, alone.Metadata, alone.Payload
	b.Barred = b.Barred || alone.Barred
}

// provide adds a property that the answer to a query tells of a version that was not read.
func (k *known) provide(of Ref, property *properties.Property) {
	b := k.unread(of)
	if b == nil || property == nil {
		return
	}
	p := k.packages[of.Package]
	p.own()
	b, k.content = p.built.Bundle(of.Name), nil
	b.Properties = properties.NewSet(append(slices.Collect(b.Properties.All()), property)...)
	p.decl.Bundles[b.Order].Properties = b.Properties
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
			out = append(out, Ref{p.decl.Name, name})
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
