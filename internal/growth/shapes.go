package growth

import (
	"fmt"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// World is a catalog and a request.
type World struct {
	Packages []*graph.Package
	Catalog  *cache.Catalog
	Previous *cache.Catalog // the same without the last bundle of each package
	Request  resolver.Request
	Files    *Files // once they were written
}

// maker makes a world of packages.
type maker struct {
	t     require.TestingT
	decls map[string]*graph.PackageDecl
	order []string
	world World
}

// pkg returns the declaration of a package with a channel.
func (m *maker) pkg(name string) *graph.PackageDecl {
	if d := m.decls[name]; d != nil {
		return d
	}
	m.decls[name] = &graph.PackageDecl{Name: name, Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable"}},
		Channels: []graph.ChannelDecl{{Name: "stable"}}}
	m.order = append(m.order, name)
	return m.decls[name]
}

// bundle adds a bundle of a version, with properties given as types and values.
func (m *maker) bundle(pkg string, version int, more ...string) string {
	name := fmt.Sprintf("%s.v%d", pkg, version)
	var list []*properties.Property
	add := func(typ, value string) {
		p, err := properties.New(typ, []byte(value))
		require.NoError(m.t, err)
		list = append(list, p)
	}
	add(properties.TypePackage, fmt.Sprintf(`{"packageName":%q,"version":"1.%d.0"}`, pkg, version))
	for i := 0; i+1 < len(more); i += 2 {
		add(more[i], more[i+1])
	}
	d := m.pkg(pkg)
	d.Bundles = append(d.Bundles, graph.BundleDecl{Name: name, Properties: properties.NewSet(list...)})
	return name
}

// entry adds an entry to the channel of a package.
func (m *maker) entry(pkg string, e graph.EntryDecl) {
	d := m.pkg(pkg)
	d.Channels[0].Entries = append(d.Channels[0].Entries, e)
}

// ask adds a subscription.
func (m *maker) ask(s resolver.Subscription) {
	m.world.Request.Subscriptions = append(m.world.Request.Subscriptions, s)
}

// needs is a property that requires a package.
func needs(pkg, versions string) []string {
	return []string{properties.TypePackageRequired, fmt.Sprintf(`{"packageName":%q,"versionRange":%q}`, pkg, versions)}
}

// version parses a version.
func version(text string) *semver.Version {
	v := semver.MustParse(text)
	return &v
}

// Shape fills a world of a size.
type Shape func(m *maker, n int)

// Shapes are the shapes of catalogs and requests.
var Shapes = map[string]Shape{
	"deep": func(m *maker, n int) { // each package needs the next
		for i := range n {
			m.entry(fmt.Sprintf("p%d", i), graph.EntryDecl{Name: m.bundle(fmt.Sprintf("p%d", i), 1, needs(fmt.Sprintf("p%d", i+1), ">=1.0.0")...)})
		}
		m.entry(fmt.Sprintf("p%d", n), graph.EntryDecl{Name: m.bundle(fmt.Sprintf("p%d", n), 1)})
		m.ask(resolver.Subscription{Name: "s", Package: "p0"})
	},
	"deep, the last missing": func(m *maker, n int) {
		for i := range n {
			m.entry(fmt.Sprintf("p%d", i), graph.EntryDecl{Name: m.bundle(fmt.Sprintf("p%d", i), 1, needs(fmt.Sprintf("p%d", i+1), ">=1.0.0")...)})
		}
		m.ask(resolver.Subscription{Name: "s", Package: "p0"})
	},
	"wide": func(m *maker, n int) { // one package needs all others
		var all []string
		for i := range n {
			pkg := fmt.Sprintf("p%d", i)
			m.entry(pkg, graph.EntryDecl{Name: m.bundle(pkg, 1)})
			all = append(all, needs(pkg, ">=1.0.0")...)
		}
		m.entry("top", graph.EntryDecl{Name: m.bundle("top", 1, all...)})
		m.ask(resolver.Subscription{Name: "s", Package: "top"})
	},
	"long channel": func(m *maker, n int) {
		for i := range n {
			e := graph.EntryDecl{Name: m.bundle("p", i)}
			if i > 0 {
				e.Replaces = fmt.Sprintf("p.v%d", i-1)
			}
			m.entry("p", e)
		}
		m.ask(resolver.Subscription{Name: "s", Package: "p"})
	},
	"a range that holds nothing": func(m *maker, n int) {
		for i := range n {
			e := graph.EntryDecl{Name: m.bundle("p", i)}
			if i > 0 {
				e.Replaces = fmt.Sprintf("p.v%d", i-1)
			}
			m.entry("p", e)
		}
		m.ask(resolver.Subscription{Name: "s", Package: "p", VersionRange: properties.MustParseRange(">2.0.0")})
	},
	"entries without bundles": func(m *maker, n int) {
		for i := range n {
			e := graph.EntryDecl{Name: fmt.Sprintf("p.v%d", i)}
			if i > 0 {
				e.Replaces = fmt.Sprintf("p.v%d", i-1)
			}
			m.entry("p", e)
		}
		m.ask(resolver.Subscription{Name: "s", Package: "p"})
	},
	"skipRange everywhere": func(m *maker, n int) {
		for i := range n {
			e := graph.EntryDecl{Name: m.bundle("p", i), SkipRange: fmt.Sprintf("<1.%d.0", i)}
			if i > 0 {
				e.Replaces = fmt.Sprintf("p.v%d", i-1)
			}
			m.entry("p", e)
		}
		m.ask(resolver.Subscription{Name: "s", Package: "p"})
	},
	"many channels": func(m *maker, n int) {
		d := m.pkg("p")
		name := m.bundle("p", 1)
		d.Channels = nil
		for i := range n {
			d.Channels = append(d.Channels, graph.ChannelDecl{Name: fmt.Sprintf("c%d", i), Entries: []graph.EntryDecl{{Name: name}}})
		}
		d.Definitions[0].DefaultChannel = "c0"
		m.ask(resolver.Subscription{Name: "s", Package: "p"})
		m.ask(resolver.Subscription{Name: "t", Package: "p", Channels: []string{"nowhere"}})
	},
	"many subscriptions to one package": func(m *maker, n int) {
		for i := range n {
			e := graph.EntryDecl{Name: m.bundle("p", i)}
			if i > 0 {
				e.Replaces = fmt.Sprintf("p.v%d", i-1)
			}
			m.entry("p", e)
			m.ask(resolver.Subscription{Name: fmt.Sprintf("s%d", i), Package: "p"})
		}
	},
	"a range for each subscription": func(m *maker, n int) {
		for i := range n {
			e := graph.EntryDecl{Name: m.bundle("p", i)}
			if i > 0 {
				e.Replaces = fmt.Sprintf("p.v%d", i-1)
			}
			m.entry("p", e)
			m.ask(resolver.Subscription{Name: fmt.Sprintf("s%d", i), Package: "p", VersionRange: properties.MustParseRange(fmt.Sprintf(">=1.%d.0", i))})
		}
	},
	"a subscription to many channels": func(m *maker, n int) {
		d := m.pkg("p")
		name := m.bundle("p", 1)
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("c%d", i))
			d.Channels = append(d.Channels, graph.ChannelDecl{Name: names[i], Entries: []graph.EntryDecl{{Name: name}}})
		}
		m.ask(resolver.Subscription{Name: "s", Package: "p", Channels: names})
		m.ask(resolver.Subscription{Name: "t", Package: "p", Channels: names, VersionRange: properties.MustParseRange(">2.0.0")})
	},
	"many installed": func(m *maker, n int) {
		for i := range n {
			pkg := fmt.Sprintf("p%d", i)
			old := m.bundle(pkg, 1)
			m.entry(pkg, graph.EntryDecl{Name: old})
			m.entry(pkg, graph.EntryDecl{Name: m.bundle(pkg, 2, needs(fmt.Sprintf("p%d", (i+1)%n), ">=1.1.0")...), Replaces: old})
			m.world.Request.Installed = append(m.world.Request.Installed, resolver.Installed{Name: old, Package: pkg, Version: version("1.1.0")})
			m.ask(resolver.Subscription{Name: fmt.Sprintf("s%d", i), Package: pkg, InstalledCSV: old})
		}
	},
	"a chain of what is being replaced": func(m *maker, n int) {
		for i := range n {
			pkg := fmt.Sprintf("p%d", i)
			name := m.bundle(pkg, 1)
			m.entry(pkg, graph.EntryDecl{Name: name})
			in := resolver.Installed{Name: name, Package: pkg, Version: version("1.1.0")}
			if i+1 < n {
				in.ReplacedBy = fmt.Sprintf("p%d.v1", i+1)
			}
			m.world.Request.Installed = append(m.world.Request.Installed, in)
			m.ask(resolver.Subscription{Name: fmt.Sprintf("s%d", i), Package: pkg, InstalledCSV: name})
		}
	},
	"many extensions to one package": func(m *maker, n int) {
		for i := range n {
			e := graph.EntryDecl{Name: m.bundle("p", i)}
			if i > 0 {
				e.Replaces = fmt.Sprintf("p.v%d", i-1)
			}
			m.entry("p", e)
			m.world.Request.Extensions = append(m.world.Request.Extensions, resolver.Extension{Name: fmt.Sprintf("e%d", i), Package: "p"})
		}
	},
	"many providers": func(m *maker, n int) {
		for i := range n {
			pkg := fmt.Sprintf("p%d", i)
			m.entry(pkg, graph.EntryDecl{Name: m.bundle(pkg, 1, properties.TypeGVK, `{"group":"g","version":"v1","kind":"K"}`)})
		}
		m.entry("top", graph.EntryDecl{Name: m.bundle("top", 1, properties.TypeGVKRequired, `{"group":"g","version":"v1","kind":"K"}`)})
		m.ask(resolver.Subscription{Name: "s", Package: "top"})
	},
	"large properties": func(m *maker, n int) {
		for i := range 4 {
			pkg := fmt.Sprintf("p%d", i)
			m.entry(pkg, graph.EntryDecl{Name: m.bundle(pkg, 1, "big", "["+strings.Repeat("0,", 20*n)+"0]", "text", `"`+strings.Repeat("1", 20*n)+`"`)})
		}
		rule := `{"failureMessage":"x","cel":{"rule":"properties.exists(p, p.value == 1) || properties.exists(p, p.type == \"text\" && p.value.size() > 0)"}}`
		m.entry("top", graph.EntryDecl{Name: m.bundle("top", 1, properties.TypeConstraint, rule)})
		m.ask(resolver.Subscription{Name: "s", Package: "top"})
	},
	"hostile rules": func(m *maker, n int) {
		list := "[0,1,2,3,4,5,6,7,8,9]"
		rule := list + strings.Repeat(".exists(x, "+list, 6) + strings.Repeat(".exists(y, false))", 1) + strings.Repeat(")", 5)
		for i := range max(1, n/250) {
			pkg := fmt.Sprintf("p%d", i)
			m.entry(pkg, graph.EntryDecl{Name: m.bundle(pkg, 1, properties.TypeConstraint, fmt.Sprintf(`{"failureMessage":"x","cel":{"rule":%q}}`, rule))})
			m.ask(resolver.Subscription{Name: pkg, Package: pkg})
		}
	},
}

// New makes a world of a shape and size.
func New(t require.TestingT, s Shape, n int) *World {
	m := &maker{t: t, decls: map[string]*graph.PackageDecl{}}
	m.world.Request.Namespace = "ns"
	s(m, n)
	parser := constraints.NewParser(constraints.ParserOptions{})
	for _, name := range m.order {
		m.world.Packages = append(m.world.Packages, graph.Build(*m.decls[name], graph.Options{Parser: parser}))
	}
	m.world.Catalog = cache.NewCatalog(m.world.Packages, nil)
	var previous []*graph.Package
	for _, name := range m.order {
		d := *m.decls[name]
		d.Bundles = d.Bundles[:max(0, len(d.Bundles)-1)]
		previous = append(previous, graph.Build(d, graph.Options{Parser: parser}))
	}
	m.world.Previous = cache.NewCatalog(previous, nil)
	m.world.Request.Catalogs = []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "c"}, Content: m.world.Catalog}}
	return &m.world
}
