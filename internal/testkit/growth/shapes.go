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
	t      require.TestingT
	parser *constraints.Parser
	decls  map[string]*graph.PackageDecl
	order  []string
	world  World
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

func (m *maker) entry(pkg string, e graph.EntryDecl) {
	d := m.pkg(pkg)
	d.Channels[0].Entries = append(d.Channels[0].Entries, e)
}

// single adds a package with one bundle.
func (m *maker) single(pkg string, more ...string) string {
	name := m.bundle(pkg, 1, more...)
	m.entry(pkg, graph.EntryDecl{Name: name})
	return name
}

// chain adds a package p with so many bundles, each of which replaces the one before
// it. What change does to an entry is done to it, unless it is nil.
func (m *maker) chain(n int, change func(i int, e *graph.EntryDecl)) {
	for i := range n {
		e := graph.EntryDecl{Name: m.bundle("p", i)}
		if i > 0 {
			e.Replaces = fmt.Sprintf("p.v%d", i-1)
		}
		if change != nil {
			change(i, &e)
		}
		m.entry("p", e)
	}
}

func (m *maker) ask(name, pkg string) *resolver.Subscription {
	r := &m.world.Request
	r.Subscriptions = append(r.Subscriptions, resolver.Subscription{Name: name, Package: pkg})
	return &r.Subscriptions[len(r.Subscriptions)-1]
}

func (m *maker) install(name, pkg string) *resolver.Installed {
	r := &m.world.Request
	version := semver.MustParse("1.1.0")
	r.Installed = append(r.Installed, resolver.Installed{Name: name, Package: pkg, Version: &version})
	return &r.Installed[len(r.Installed)-1]
}

// needs is a property that requires a package.
func needs(pkg, versions string) []string {
	return []string{properties.TypePackageRequired, fmt.Sprintf(`{"packageName":%q,"versionRange":%q}`, pkg, versions)}
}

// numbered is the name of one of many packages, subscriptions or channels.
func numbered(prefix string, i int) string { return fmt.Sprintf("%s%d", prefix, i) }

// Shape fills a world of a size.
type Shape func(m *maker, n int)

// Shapes are the shapes of catalogs and requests.
var Shapes = map[string]Shape{
	"deep": func(m *maker, n int) {
		deep(m, n)
		m.single(numbered("p", n))
	},
	"deep, the last missing": deep,
	"wide": func(m *maker, n int) { // one package needs all others
		var all []string
		for i := range n {
			m.single(numbered("p", i))
			all = append(all, needs(numbered("p", i), ">=1.0.0")...)
		}
		m.single("top", all...)
		m.ask("s", "top")
	},
	"long channel": func(m *maker, n int) {
		m.chain(n, nil)
		m.ask("s", "p")
	},
	"a range that holds nothing": func(m *maker, n int) {
		m.chain(n, nil)
		m.ask("s", "p").VersionRange = properties.MustParseRange(">2.0.0")
	},
	"entries without bundles": func(m *maker, n int) {
		m.chain(n, nil)
		m.pkg("p").Bundles = nil
		m.ask("s", "p")
	},
	"skipRange everywhere": func(m *maker, n int) {
		m.chain(n, func(i int, e *graph.EntryDecl) { e.SkipRange = fmt.Sprintf("<1.%d.0", i) })
		m.ask("s", "p")
	},
	"many channels": func(m *maker, n int) {
		d := m.pkg("p")
		name := m.bundle("p", 1)
		d.Channels = nil
		for i := range n {
			d.Channels = append(d.Channels, graph.ChannelDecl{Name: numbered("c", i), Entries: []graph.EntryDecl{{Name: name}}})
		}
		d.Definitions[0].DefaultChannel = "c0"
		m.ask("s", "p")
		m.ask("t", "p").Channels = []string{"nowhere"}
	},
	"many subscriptions to one package": func(m *maker, n int) {
		m.chain(n, func(i int, _ *graph.EntryDecl) { m.ask(numbered("s", i), "p") })
	},
	"a range for each subscription": func(m *maker, n int) {
		m.chain(n, func(i int, _ *graph.EntryDecl) {
			m.ask(numbered("s", i), "p").VersionRange = properties.MustParseRange(fmt.Sprintf(">=1.%d.0", i))
		})
	},
	"a subscription to many channels": func(m *maker, n int) {
		d := m.pkg("p")
		name := m.bundle("p", 1)
		var names []string
		for i := range n {
			names = append(names, numbered("c", i))
			d.Channels = append(d.Channels, graph.ChannelDecl{Name: names[i], Entries: []graph.EntryDecl{{Name: name}}})
		}
		m.ask("s", "p").Channels = names
		t := m.ask("t", "p")
		t.Channels, t.VersionRange = names, properties.MustParseRange(">2.0.0")
	},
	"many installed": func(m *maker, n int) {
		for i := range n {
			pkg := numbered("p", i)
			old := m.single(pkg)
			m.entry(pkg, graph.EntryDecl{Name: m.bundle(pkg, 2, needs(numbered("p", (i+1)%n), ">=1.1.0")...), Replaces: old})
			m.install(old, pkg)
			m.ask(numbered("s", i), pkg).InstalledCSV = old
		}
	},
	"a chain of what is being replaced": func(m *maker, n int) {
		for i := range n {
			pkg := numbered("p", i)
			name := m.single(pkg)
			if in := m.install(name, pkg); i+1 < n {
				in.ReplacedBy = fmt.Sprintf("p%d.v1", i+1)
			}
			m.ask(numbered("s", i), pkg).InstalledCSV = name
		}
	},
	"many extensions to one package": func(m *maker, n int) {
		r := &m.world.Request
		m.chain(n, func(i int, _ *graph.EntryDecl) {
			r.Extensions = append(r.Extensions, resolver.Extension{Name: numbered("e", i), Package: "p"})
		})
	},
	"many providers": func(m *maker, n int) {
		const api = `{"group":"g","version":"v1","kind":"K"}`
		for i := range n {
			m.single(numbered("p", i), properties.TypeGVK, api)
		}
		m.single("top", properties.TypeGVKRequired, api)
		m.ask("s", "top")
	},
	"large properties": func(m *maker, n int) {
		for i := range 4 {
			m.single(numbered("p", i), "big", "["+strings.Repeat("0,", 20*n)+"0]", "text", `"`+strings.Repeat("1", 20*n)+`"`)
		}
		rule := `{"failureMessage":"x","cel":{"rule":"properties.exists(p, p.value == 1) || properties.exists(p, p.type == \"text\" && p.value.size() > 0)"}}`
		m.single("top", properties.TypeConstraint, rule)
		m.ask("s", "top")
	},
	"hostile rules": func(m *maker, n int) {
		list := "[0,1,2,3,4,5,6,7,8,9]"
		rule := list + strings.Repeat(".exists(x, "+list, 6) + strings.Repeat(".exists(y, false))", 1) + strings.Repeat(")", 5)
		for i := range max(1, n/250) {
			pkg := numbered("p", i)
			m.single(pkg, properties.TypeConstraint, fmt.Sprintf(`{"failureMessage":"x","cel":{"rule":%q}}`, rule))
			m.ask(pkg, pkg)
		}
	},
}

// deep has each package need the next.
func deep(m *maker, n int) {
	for i := range n {
		m.single(numbered("p", i), needs(numbered("p", i+1), ">=1.0.0")...)
	}
	m.ask("s", "p0")
}

// New makes a world of a shape and size.
func New(t require.TestingT, s Shape, n int) *World {
	m := &maker{t: t, parser: constraints.NewParser(), decls: map[string]*graph.PackageDecl{}}
	m.world.Request.Namespace = "ns"
	s(m, n)
	m.world.Packages, m.world.Catalog = m.build(0)
	_, m.world.Previous = m.build(1)
	m.world.Request.Catalogs = []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "c"}, Content: m.world.Catalog}}
	return &m.world
}

// build makes the catalog, without so many of the last bundles of each package.
func (m *maker) build(without int) ([]*graph.Package, *cache.Catalog) {
	var packages []*graph.Package
	for _, name := range m.order {
		d := *m.decls[name]
		d.Bundles = d.Bundles[:max(0, len(d.Bundles)-without)]
		packages = append(packages, graph.Build(d, graph.Options{Parser: m.parser}))
	}
	return packages, cache.NewCatalog(packages, nil)
}
