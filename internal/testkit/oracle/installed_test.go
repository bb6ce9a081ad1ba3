package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/oracle"
)

// known has the bundles that an installed one can be taken for: a.v1 provides Foo,
// q.v1 is quarantined, and two packages have a twin.v1.
func known() []oracle.Catalog {
	twin := func(pkg string) oracle.Package {
		p := chain(pkg, bundle(pkg, 1))
		p.Bundles[0].Name, p.Channels[0].Entries[0].Name = "twin.v1", "twin.v1"
		return p
	}
	q := chain("q", bundle("q", 1, func(b *oracle.Bundle) { b.Defect = oracle.BadRule }))
	n := chain("n", bundle("n", 1, func(b *oracle.Bundle) { b.Defect = oracle.BadVersion }))
	return []oracle.Catalog{
		catalog("c", chain("a", bundle("a", 1, provides("Foo")), bundle("a", 2)), q, n, twin("s")),
		catalog("d", twin("t")),
	}
}

// TestIdentity installs one bundle of which more or less is said.
func TestIdentity(t *testing.T) {
	without := func(name string) oracle.Bundle { return oracle.Bundle{Name: name, Defect: oracle.MissingIdentity} }
	nothing := func(name string) oracle.Installed {
		return oracle.Installed{Bundle: oracle.Bundle{Name: name}, Bare: true}
	}
	in := func(i oracle.Installed, change func(*oracle.Installed)) oracle.Installed { change(&i); return i }
	lost := oracle.Key{Namespace: "ns", Name: "lost"}
	for _, c := range []struct {
		name  string
		in    oracle.Installed
		owner string // the package of a subscription that owns it
		pkg   string
		v     *oracle.Version
		foo   bool // it provides Foo
	}{
		{"as given", oracle.Installed{Bundle: bundle("x", 3), Package: "x", Version: at(2), Identity: "y"}, "z", "x", at(2), false},
		{"0.0.0 is a version", in(nothing("a.v1"), func(i *oracle.Installed) { i.Version = at(0) }), "", "a", at(0), true},
		{"as its properties say", oracle.Installed{Bundle: bundle("a", 3), Identity: "y"}, "z", "y", at(3), false},
		{"of its owner", oracle.Installed{Bundle: without("a.v1")}, "z", "z", nil, false},
		{"of the only package that has it", oracle.Installed{Bundle: without("a.v1")}, "", "a", at(1), false},
		{"properties of the catalog, if none are given", nothing("a.v1"), "", "a", at(1), true},
		{"of a package that agrees", nothing("a.v1"), "z", "z", nil, false},
		{"a quarantined bundle counts", nothing("q.v1"), "", "q", at(1), false},
		{"… but for what cannot be read", nothing("n.v1"), "", "n", nil, false},
		{"several packages have it", nothing("twin.v1"), "", "", nil, false},
		{"… but one is of its owner", nothing("twin.v1"), "t", "t", at(1), false},
		{"in its own catalog only", in(nothing("a.v1"), func(i *oracle.Installed) { i.Catalog = lost }), "", "a", nil, false},
		{"no catalog has it", nothing("byhand"), "", "", nil, false},
	} {
		for _, side := range []string{"subscription", "installed"} {
			t.Run(c.name+", owned as the "+side+" says", func(t *testing.T) {
				p := &oracle.Problem{Namespace: "ns", Catalogs: known(), Installed: []oracle.Installed{c.in}}
				if c.owner != "" {
					p.Subscriptions = []oracle.Subscription{{Name: "s", Package: c.owner}}
				}
				switch {
				case c.owner == "":
				case side == "subscription":
					p.Subscriptions[0].InstalledCSV = c.in.Bundle.Name
				default:
					p.Installed[0].Subscription = "s"
				}
				other := installed(bundle("other", 1, requires(gvk("Foo"))), "other")
				p.Installed = append(p.Installed, other)
				p.Cluster.APIs = []string{"Foo"}
				a, err := oracle.Solve(p)
				require.NoError(t, err)
				for _, s := range a.Steps {
					if s.Bundle == c.in.Bundle.Name {
						require.Equal(t, c.pkg, s.Package)
						require.Equal(t, c.v, s.Version)
					}
				}
				require.Len(t, a.Set, 2)
				p.Cluster.APIs, p.Catalogs = nil, p.Catalogs[:1]
				p.Catalogs[0].Packages[0].Channels = nil // nothing to choose
				a, err = oracle.Solve(p)
				require.NoError(t, err)
				require.Equal(t, c.foo, a.Resolved, "it provides Foo")
			})
		}
	}
}

// TestUnknownPackage has two bundles of unknown packages: no rule is about these.
func TestUnknownPackage(t *testing.T) {
	byHand := func(name string, with ...func(*oracle.Bundle)) oracle.Installed {
		b := bundle(name, 1, with...)
		b.Defect = oracle.MissingIdentity
		return oracle.Installed{Bundle: b}
	}
	p := with(problem(one(chain("a", bundle("a", 1))), "a"), has(byHand("x"), byHand("y")))
	a, err := oracle.Solve(p)
	require.NoError(t, err)
	require.Equal(t, []string{"a.v1", "x.v1", "y.v1"}, a.Set)
	p.Installed[1] = byHand("y", requires(pkgIn("", oracle.Range{{{Op: ">=", V: v(0)}}})))
	a, err = oracle.Solve(p)
	require.NoError(t, err)
	require.False(t, a.Resolved, "no package constraint is met by it")
}

// TestUnknownVersion has an update by skipRange and one by name.
func TestUnknownVersion(t *testing.T) {
	for _, c := range []struct {
		name  string
		entry oracle.Entry
		want  string
	}{
		{"no range holds it", oracle.Entry{Name: "a.v2", SkipRange: below(9)}, "a.v0"},
		{"an edge by name works", oracle.Entry{Name: "a.v2", Replaces: "a.v0"}, "a.v2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pkg := chain("a", bundle("a", 2))
			pkg.Channels[0].Entries[0] = c.entry
			p := with(problem(one(pkg), "a"), owns("a.v0"), has(oracle.Installed{Bundle: oracle.Bundle{Name: "a.v0"}, Bare: true}))
			a, err := oracle.Solve(p)
			require.NoError(t, err)
			require.Equal(t, []string{c.want}, a.Set)
		})
	}
}

// automatic is an installed b.v1 that came in as a dependency.
func automatic(catalog, channel string) oracle.Installed {
	in := installed(bundle("b", 1), "b")
	in.Automatic, in.Channel = true, channel
	if catalog != "" {
		in.Catalog = oracle.Key{Namespace: "ns", Name: catalog}
	}
	return in
}

// TestOrigin asks which subscription owns an automatic bundle: catalog c has it in
// channels fast, which is quarantined, and stable, catalog d in stable, catalog e in
// a channel that it declares twice.
func TestOrigin(t *testing.T) {
	b := chain("b", bundle("b", 1), bundle("b", 2))
	b.Channels = append(b.Channels, oracle.Channel{Name: "fast", Entries: []oracle.Entry{entry("b.v1", ""), entry("b.v2", "")}})
	twice := chain("b", bundle("b", 1))
	twice.Channels[0].Name = "twice"
	twice.Channels = append(twice.Channels, twice.Channels[0])
	for _, c := range []struct {
		name             string
		catalog, channel string
		want             string // empty: no one
	}{
		{"both given", "c", "stable", "b-stable-c-ns"},
		{"both given, be it nowhere", "lost", "gone", "b-gone-lost-ns"},
		{"nothing given, four places", "", "", ""},
		{"two channels of the catalog", "c", "", ""},
		{"two catalogs with the channel", "", "stable", ""},
		{"the only place of the channel, though quarantined", "", "fast", "b-fast-c-ns"},
		{"the only place of the catalog", "d", "", "b-stable-d-ns"},
		{"both given, though it does not list it", "d", "fast", "b-fast-d-ns"},
		{"a place declared twice is one", "", "twice", "b-twice-e-ns"},
		{"no place of that catalog", "lost", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := with(problem([]oracle.Catalog{catalog("c", b), catalog("d", chain("b", bundle("b", 1))), catalog("e", twice)}), has(automatic(c.catalog, c.channel)))
			var names []string
			for _, s := range p.Generated() {
				names = append(names, s.Name)
				require.Equal(t, "b.v1", s.InstalledCSV)
				require.True(t, s.Generated)
			}
			if c.want == "" {
				require.Empty(t, names)
				return
			}
			require.Equal(t, []string{c.want}, names)
		})
	}
}

// TestGenerated looks at who gets a generated subscription, and under which name.
func TestGenerated(t *testing.T) {
	b := one(chain("b", bundle("b", 1), bundle("b", 2)))
	p := with(problem(b, "b-stable-c-ns"), has(automatic("", "")))
	p.Subscriptions[0].Package = "other"
	require.Equal(t, "b-stable-c-ns-2", p.Generated()[0].Name, "the name is taken")
	p.Installed[0].Automatic = false
	require.Empty(t, p.Generated(), "not automatic")
	p.Installed[0].Automatic = true
	p.Subscriptions[0].InstalledCSV = "b.v1"
	require.Empty(t, p.Generated(), "somebody owns it")
	unknown := oracle.Installed{Bundle: oracle.Bundle{Name: "byhand"}, Bare: true, Automatic: true,
		Catalog: oracle.Key{Namespace: "ns", Name: "c"}, Channel: "stable"}
	require.Empty(t, with(problem(b), has(unknown)).Generated(), "of no known package")
}

// TestOrder has a subscription of the user's, and generated ones for packages that
// stand in each other's way: the user's comes first, then they go by name.
func TestOrder(t *testing.T) {
	clash := provides("Foo")
	pkg := func(name string) oracle.Package { return chain(name, bundle(name, 1), bundle(name, 2, clash)) }
	p := problem(one(pkg("a"), pkg("b"), pkg("c")), "c")
	for _, name := range []string{"c", "b", "a"} {
		in := installed(bundle(name, 1), name)
		in.Automatic = name != "c"
		p.Installed = append(p.Installed, in)
	}
	p.Subscriptions[0].InstalledCSV = "c.v1"
	marked := oracle.Subscription{Name: "a-stable-c-ns", Package: "a", Generated: true, InstalledCSV: "a.v1",
		Channels: []string{"stable"}, Catalog: oracle.Key{Namespace: "ns", Name: "c"}}
	p.Subscriptions = append([]oracle.Subscription{marked}, p.Subscriptions...)
	a, err := oracle.Solve(p)
	require.NoError(t, err)
	require.Equal(t, []string{"a.v1", "b.v1", "c.v2"}, a.Set)
	p.Subscriptions = p.Subscriptions[:1]
	p.Installed = p.Installed[1:]
	a, err = oracle.Solve(p)
	require.NoError(t, err)
	require.Equal(t, []string{"a.v2", "b.v1"}, a.Set)
}

// TestAdvance follows a dependency: it is installed in its oldest version, and
// upgraded with what asked for it.
func TestAdvance(t *testing.T) {
	p := with(problem(ab(), "a"), policy(oracle.Policy{Goal: oracle.Oldest}))
	a, err := oracle.Solve(p)
	require.NoError(t, err)
	require.Equal(t, []string{"a.v1", "b.v1"}, a.Set)
	q := oracle.Advance(p, a)
	q.Policy.Goal = oracle.Newest
	own := generated("b", p.Catalogs[0].Key, "b.v1")
	own.InstalledCSV = "b.v1"
	require.Equal(t, *own, q.Subscriptions[1])
	require.Equal(t, "b.v1", q.Installed[0].Bundle.Name)
	require.True(t, q.Installed[0].Automatic)
	require.False(t, q.Installed[1].Automatic)
	require.True(t, q.TakenAsGenerated(&q.Subscriptions[1]))
	require.False(t, q.TakenAsGenerated(&q.Subscriptions[0]))

	implied := q.Clone()
	implied.Subscriptions = implied.Subscriptions[:1]
	for _, r := range []*oracle.Problem{q, implied} {
		a, err = oracle.Solve(r)
		require.NoError(t, err)
		require.Equal(t, []string{"a.v2", "b.v2"}, a.Set)
		require.Equal(t, "upgrade", a.Steps[0].Action)
		require.Nil(t, a.Steps[0].Subscription)
		require.Equal(t, []oracle.Reason{{Subscription: "b-stable-c-ns"}}, a.Steps[0].Because[:1])
		next := oracle.Advance(r, a)
		require.True(t, next.Installed[0].Automatic, "still a dependency")
		require.Equal(t, "b.v2", next.Subscriptions[1].InstalledCSV)
		require.True(t, next.Subscriptions[1].Generated)
	}
}

// TestOrphans has an automatic bundle that a generated subscription owns, beside
// what may need it.
func TestOrphans(t *testing.T) {
	orphan := []oracle.Warning{{Kind: "orphan", Bundle: "b.v1"}}
	needs := installed(bundle("a", 1, requires(pkgIn("b", atLeast(1)))), "a")
	needsAutomatic := needs
	needsAutomatic.Automatic = true
	for _, c := range []struct {
		name   string
		beside []oracle.Installed
		force  []oracle.Ref
		want   []oracle.Warning
	}{
		{"nothing needs it", nil, nil, orphan},
		{"something needs it", []oracle.Installed{needs}, nil, nil},
		{"an orphan needs it", []oracle.Installed{needsAutomatic}, nil, append([]oracle.Warning{{Kind: "orphan", Bundle: "a.v1"}}, orphan...)},
		{"it is forced", nil, []oracle.Ref{{Name: "b.v1"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := with(problem(one(chain("b", bundle("b", 1)))), has(append(c.beside, automatic("c", "stable"))...))
			p.Force = c.force
			require.NotEmpty(t, p.Generated())
			a, err := oracle.Solve(p)
			require.NoError(t, err)
			require.Equal(t, c.want, a.Warnings)
		})
	}
}

// TestSeveralChannels: per catalog, in the order given, and each once.
func TestSeveralChannels(t *testing.T) {
	pkg := oracle.Package{Name: "a", Default: "alpha", Bundles: []oracle.Bundle{bundle("a", 1), bundle("a", 2), bundle("a", 3)}, Channels: []oracle.Channel{
		{Name: "alpha", Entries: []oracle.Entry{{Name: "a.v1"}}}, {Name: "beta", Entries: []oracle.Entry{{Name: "a.v2"}}},
		{Name: "gamma", Entries: []oracle.Entry{{Name: "a.v3"}}}}}
	p := with(problem([]oracle.Catalog{catalog("c", pkg), catalog("d", pkg)}, "a"), channels("gone", "gamma", "beta", "gamma"))
	p.Forbid = []oracle.Forbid{{Bundle: oracle.Ref{Catalog: p.Catalogs[0].Key, Name: "a.v3"}}}
	a, err := oracle.Solve(p)
	require.NoError(t, err)
	require.Equal(t, "a.v2", a.Steps[0].Bundle, "the second channel of the best catalog")
	require.Equal(t, "beta", a.Steps[0].Channel)
	require.Equal(t, []oracle.Ref{{Catalog: p.Catalogs[0].Key, Name: "a.v3"}}, a.Steps[0].PassedOver)
}

func TestHold(t *testing.T) {
	p := problem(one(chain("a", bundle("a", 1), bundle("a", 2)), chain("b", bundle("b", 1, requires(pkgIn("a", atLeast(2)))))), "a", "b")
	p.Subscriptions[0].Hold = "it is not upgradeable"
	a, err := oracle.Solve(p)
	require.NoError(t, err)
	require.Equal(t, []string{"a.v2", "b.v1"}, a.Set, "nothing is installed that could stay")

	with(p, owns("a.v1"), has(installed(bundle("a", 1), "a")))
	a, err = oracle.Solve(p)
	require.NoError(t, err)
	require.False(t, a.Resolved)
	j, err := oracle.NewJudge(p)
	require.NoError(t, err)
	i := 0
	rs, err := oracle.Requirements(p)
	require.NoError(t, err)
	for rs[i].Bundle != "b.v1" {
		i++
	}
	facts := []oracle.Fact{{Kind: "subscription", Subject: "a"}, {Kind: "hold", Subject: "a"}, {Kind: "subscription", Subject: "b"},
		{Kind: "constraint", Subject: "b.v1", Requirements: []int{i}}, {Kind: "package", Subject: "a"}}
	require.NoError(t, j.Check(facts))
	require.NoError(t, j.CheckAll([][]oracle.Fact{facts}))
	p.Subscriptions[0].Hold = ""
	j, err = oracle.NewJudge(p)
	require.NoError(t, err)
	require.Error(t, j.Check(facts), "a hold that is not there explains nothing")
}
