package oracle_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

// The property tests compare the sets of bundles with the resolver, and the
// conformance scenarios pin the resolver. These tests cover the rest:
// preferences one by one, facts and conflicts, broken bundles, and follow-up
// problems.

func v(n int) oracle.Version { return oracle.Version{N: n} }

func at(n int) *oracle.Version { return &oracle.Version{N: n} }

func atLeast(n int) oracle.Range { return oracle.Range{{{Op: ">=", V: v(n)}}} }

// bundle makes pkg.vN.
func bundle(pkg string, n int, with ...func(*oracle.Bundle)) oracle.Bundle {
	b := oracle.Bundle{Name: fmt.Sprintf("%s.v%d", pkg, n), Version: v(n)}
	for _, w := range with {
		w(&b)
	}
	return b
}

func provides(kinds ...string) func(*oracle.Bundle) {
	return func(b *oracle.Bundle) { b.Provides = kinds }
}

func requires(cs ...oracle.Constraint) func(*oracle.Bundle) {
	return func(b *oracle.Bundle) { b.Requires = append(b.Requires, cs...) }
}

func gvk(kind string) oracle.Constraint { return oracle.Constraint{Kind: oracle.GVK, Name: kind} }

func pkgIn(name string, r oracle.Range) oracle.Constraint {
	return oracle.Constraint{Kind: oracle.Pkg, Name: name, Range: r}
}

func compound(kind oracle.Kind, of ...oracle.Constraint) oracle.Constraint {
	return oracle.Constraint{Kind: kind, Of: of}
}

// chain is a package with one channel "stable", each bundle replacing the
// previous one.
func chain(name string, bundles ...oracle.Bundle) oracle.Package {
	p := oracle.Package{Name: name, DefaultChannel: "stable", Bundles: bundles}
	ch := oracle.Channel{Name: "stable"}
	last := ""
	for _, b := range bundles {
		ch.Entries = append(ch.Entries, oracle.Entry{Name: b.Name, Replaces: last})
		last = b.Name
	}
	p.Channels = []oracle.Channel{ch}
	return p
}

func catalog(name string, packages ...oracle.Package) oracle.Catalog {
	return oracle.Catalog{Key: oracle.Key{Namespace: "ns", Name: name}, Packages: packages}
}

// problem subscribes to packages of catalog c, or of any if there is only one.
func problem(catalogs []oracle.Catalog, subscriptions ...string) *oracle.Problem {
	p := &oracle.Problem{Namespace: "ns", Catalogs: catalogs}
	for _, s := range subscriptions {
		p.Subscriptions = append(p.Subscriptions, oracle.Subscription{Name: s, Package: s})
	}
	return p
}

func one(packages ...oracle.Package) []oracle.Catalog {
	return []oracle.Catalog{catalog("c", packages...)}
}

func installed(b oracle.Bundle, pkg string) oracle.Installed {
	return oracle.Installed{Bundle: b, Package: pkg}
}

func TestPartial(t *testing.T) {
	p := problem(one(chain("bad", bundle("bad", 1, requires(gvk("Nowhere")))), chain("a", bundle("a", 1))), "bad", "a")
	a := testkit.Must(oracle.Solve(p))(t)
	require.False(t, a.Resolved)
	p.Policy.Failures = resolver.FailuresPartial
	a = testkit.Must(oracle.Solve(p))(t)
	require.Equal(t, []string{"a.v1"}, a.Set)
	require.Equal(t, []string{"bad"}, a.Unresolved)
}

func TestTooBig(t *testing.T) {
	var packages []oracle.Package
	for i := range oracle.MaxVariables + 1 {
		packages = append(packages, chain(fmt.Sprint("p", i), bundle("p", i)))
	}
	_, err := oracle.Solve(problem(one(packages...), "p1"))
	require.ErrorContains(t, err, "too many")
}

// ab has a.v1 ← a.v2 and b.v1 ← b.v2; each a requires the b of its version.
func ab() []oracle.Catalog {
	is := func(n int) oracle.Constraint {
		return pkgIn("b", oracle.Range{{{Op: "=", V: v(n)}}})
	}
	return one(chain("a", bundle("a", 1, requires(is(1))), bundle("a", 2, requires(is(2)))),
		chain("b", bundle("b", 1), bundle("b", 2)))
}

func maxOpenShift(values ...string) func(*oracle.Bundle) {
	return func(b *oracle.Bundle) { b.MaxOpenShift = values }
}

// with changes a problem.
func with(p *oracle.Problem, changes ...func(*oracle.Problem)) *oracle.Problem {
	for _, c := range changes {
		c(p)
	}
	return p
}

// has installs bundles.
func has(list ...oracle.Installed) func(*oracle.Problem) {
	return func(p *oracle.Problem) { p.Installed = list }
}

// owns makes the first subscription own a bundle.
func owns(name string) func(*oracle.Problem) {
	return func(p *oracle.Problem) { p.Subscriptions[0].InstalledCSV = name }
}

func policy(pol resolver.Policy) func(*oracle.Problem) {
	return func(p *oracle.Problem) { p.Policy = pol }
}

// TestEveryConflict checks the list of conflicts of the conformance scenario
// of that name.
func TestEveryConflict(t *testing.T) {
	p := with(problem(one(chain("a", bundle("a", 1), bundle("a", 2))), "x", "a", "y"))
	j := testkit.Must(oracle.NewJudge(p))(t)
	conflict := func(sub string) []oracle.Fact {
		return []oracle.Fact{{Kind: "subscription", Subject: sub}, {Kind: "noCandidate", Subject: sub}}
	}
	require.NoError(t, j.CheckAll([][]oracle.Fact{conflict("x"), conflict("y")}))
	require.ErrorContains(t, j.CheckAll([][]oracle.Fact{conflict("x")}), "disjoint conflict")
	require.ErrorContains(t, j.CheckAll([][]oracle.Fact{conflict("x"), conflict("y"), conflict("x")}), "shares")
	require.ErrorContains(t, j.CheckAll([][]oracle.Fact{conflict("x"), conflict("a")}), "satisfiable")
	require.ErrorContains(t, j.CheckAll([][]oracle.Fact{append(conflict("x"), conflict("y")...)}), "redundant")
}

// TestPreference has bundles in an order decided by one rule of section 4
// each; the dependent is in catalog main.
func TestPreference(t *testing.T) {
	foo := func(name string, n int) oracle.Bundle { return bundle(name, n, provides("Foo")) }
	package2 := func(name, channel, def string, bundles ...oracle.Bundle) oracle.Package {
		p := chain(name, bundles...)
		p.Channels[0].Name, p.DefaultChannel = channel, def
		return p
	}
	cat := func(ns, name string, priority int, ps ...oracle.Package) oracle.Catalog {
		return oracle.Catalog{Key: oracle.Key{Namespace: ns, Name: name}, Priority: priority, Packages: ps}
	}
	asker := chain("main", bundle("main", 1, requires(gvk("Foo"))))
	order := []struct {
		bundle  string
		catalog oracle.Catalog
	}{
		{"own.v1", cat("ns", "main", 0, asker, package2("own", "stable", "stable", foo("own", 1)))},
		{"high.v1", cat("olm", "high", 9, package2("high", "stable", "other", foo("high", 1)))},
		{"home.v1", cat("ns", "zhome", 0, package2("home", "stable", "other", foo("home", 1)))},
		{"space.v1", cat("nt", "space", 0, package2("space", "stable", "other", foo("space", 1)))},
		{"key.v1", cat("olm", "akey", 0, package2("key", "stable", "other", foo("key", 1)))},
		{"z.v1", cat("olm", "b", 0, package2("z", "stable", "stable", foo("z", 1)))},
		{"a.v1", cat("olm", "c", 0, package2("a", "stable", "other", foo("a", 1)), package2("b", "alpha", "other", foo("b", 1)))},
		{"b.v2", cat("olm", "d", 0, package2("b", "alpha", "other", foo("b", 1), foo("b", 2)))},
	}
	for i := range order {
		p := problem(nil, "main")
		p.Catalogs = append(p.Catalogs, cat("ns", "main", 0, asker))
		for k := len(order) - 1; k >= i; k-- {
			if k == 0 {
				p.Catalogs[0] = order[0].catalog
			} else {
				p.Catalogs = append(p.Catalogs, order[k].catalog)
			}
		}
		a := testkit.Must(oracle.Solve(p))(t)
		require.Contains(t, a.Set, order[i].bundle)
		require.Len(t, a.Set, 2)
	}
	p := problem([]oracle.Catalog{order[0].catalog}, "main")
	p.Installed = []oracle.Installed{installed(foo("old", 1), "old")}
	a := testkit.Must(oracle.Solve(p))(t)
	require.Equal(t, []string{"main.v1", "old.v1"}, a.Set, "an installed bundle comes first")
}

func TestStepsOfAnUpgrade(t *testing.T) {
	p := problem(one(
		chain("a", bundle("a", 1), bundle("a", 2, requires(gvk("Foo")))),
		chain("foo", bundle("foo", 1, provides("Foo"), requires(gvk("Bar"))), bundle("foo", 2, provides("Foo"), requires(gvk("Nowhere")))),
		chain("bar", bundle("bar", 1, provides("Bar"), requires(gvk("Foo"))))), "a")
	p.Installed = []oracle.Installed{installed(bundle("a", 1), "a"), installed(bundle("x", 1), "x")}
	p.Installed[1].Automatic = true
	p.Subscriptions[0].InstalledCSV = "a.v1"
	a := testkit.Must(oracle.Solve(p))(t)
	from := oracle.Key{Namespace: "ns", Name: "c"}
	requiresOf := func(pkg, b int) *oracle.Constraint { return &p.Catalogs[0].Packages[pkg].Bundles[b].Requires[0] }
	want := []oracle.Step{
		{Wave: 0, Action: "install", Bundle: "bar.v1", Package: "bar", Version: at(1), Catalog: from, Channel: "stable",
			Because:      []oracle.Reason{{Bundle: "foo.v1", Constraint: requiresOf(1, 0)}},
			Subscription: generated("bar", from, "bar.v1")},
		{Wave: 0, Action: "install", Bundle: "foo.v1", Package: "foo", Version: at(1), Catalog: from, Channel: "stable",
			Because:      []oracle.Reason{{Bundle: "a.v2", Constraint: requiresOf(0, 1)}, {Bundle: "bar.v1", Constraint: requiresOf(2, 0)}},
			PassedOver:   []oracle.Ref{{Catalog: from, Name: "foo.v2"}},
			Subscription: generated("foo", from, "foo.v1")},
		{Wave: 0, Action: "keep", Bundle: "x.v1", Package: "x", Version: at(1), Because: []oracle.Reason{{Installed: true}}},
		{Wave: 1, Action: "upgrade", Bundle: "a.v2", Package: "a", Version: at(2), Catalog: from, Channel: "stable",
			Replaces: []string{"a.v1"}, Because: []oracle.Reason{{Subscription: "a"}}},
	}
	require.Equal(t, want, a.Steps)
	require.Equal(t, []oracle.Warning{{Kind: "orphan", Bundle: "x.v1"}}, a.Warnings)
}

// generated is the subscription generated for a bundle from channel stable.
func generated(pkg string, from oracle.Key, bundle string) *oracle.Subscription {
	return &oracle.Subscription{Name: fmt.Sprintf("%s-stable-%s-%s", pkg, from.Name, from.Namespace), Package: pkg,
		Channels: []string{"stable"}, Catalog: from, StartingCSV: bundle, Generated: true}
}

func TestFacts(t *testing.T) {
	p := problem(one(chain("a", bundle("a", 1), bundle("a", 2))), "a")
	p.Installed = []oracle.Installed{installed(bundle("a", 1), "a")}
	facts := []oracle.Fact{{Kind: "subscription", Subject: "a"}, {Kind: "installed", Subject: "a.v1"}, {Kind: "package", Subject: "a"}}
	for drop := range len(facts) + 1 {
		var some []oracle.Fact
		for i, f := range facts {
			if i != drop {
				some = append(some, f)
			}
		}
		judge := testkit.Must(oracle.NewJudge(p))(t)
		require.Equal(t, drop < len(facts), judge.Satisfiable(some), "without fact %d", drop)
	}
}

func TestRanges(t *testing.T) {
	r := oracle.Range{{{Op: ">=", V: v(1)}, {Op: "<", V: v(2)}}, {{Op: "=", V: v(4)}}}
	require.Equal(t, ">=1.0.0 <2.0.0 || =4.0.0", r.String())
	for version, want := range map[oracle.Version]bool{
		v(0): false, v(1): true, {N: 1, RC: true}: false, {N: 2, RC: true}: true, v(2): false, v(4): true, {N: 4, RC: true}: false,
	} {
		require.Equal(t, want, r.Holds(version), "%s", version)
	}
}

// TestFewestBundles has a subscription whose package has two excluded bundles,
// each for a different reason, and another subscription with one.
func TestFewestBundles(t *testing.T) {
	p := problem(one(
		chain("a", bundle("a", 1, maxOpenShift("4.1")), bundle("a", 2, func(b *oracle.Bundle) { b.Deprecated = true })),
		chain("b", bundle("b", 1, requires(gvk("Nowhere"))))), "a")
	p.Cluster.OpenShift, p.Policy.Compatibility = "4.20", resolver.CompatibilityRequire
	for i, want := range []int{2, 1, -1} {
		switch i {
		case 1:
			p.Subscriptions = append(p.Subscriptions, oracle.Subscription{Name: "b", Package: "b"})
		case 2:
			p.Subscriptions = nil
		}
		got := testkit.Must(oracle.FewestBundles(p))(t)
		require.Equal(t, want, got)
	}
}

// TestProperties has a bundle with every property of section 12.
func TestProperties(t *testing.T) {
	csv := &oracle.CSV{Modes: []oracle.Mode{{Type: "OwnNamespace", Supported: true}}, MinKube: "1.30.0", NativeAPIs: []string{"Foo"}}
	b := oracle.Bundle{Name: "a.v1", Version: v(1), Release: "2", Metadata: csv, Object: csv, MaxOpenShift: []string{"4.18"}}
	values := map[string][]string{}
	for _, p := range b.Properties("a") {
		values[p.Type] = append(values[p.Type], string(p.RawValue()))
	}
	spec := `{"displayName":"An operator","installModes":[{"supported":true,"type":"OwnNamespace"}],"minKubeVersion":"1.30.0",` +
		`"nativeAPIs":[{"group":"foos.example.com","version":"v1","kind":"Foo"}]}`
	require.Equal(t, []string{`{"packageName":"a","release":"2","version":"1.0.0"}`}, values["olm.package"])
	require.Equal(t, []string{`"4.18"`}, values["olm.maxOpenShiftVersion"])
	require.Equal(t, []string{spec}, values["olm.csv.metadata"])
	var object struct{ Data []byte }
	require.NoError(t, json.Unmarshal([]byte(values["olm.bundle.object"][1]), &object))
	require.JSONEq(t, `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"name":"a.v1"},"spec":`+spec+`}`, string(object.Data))
}

// TestUnrelated has packages that play a part: one by its name, one because a bundle
// of unknown package may be of it.
func TestUnrelated(t *testing.T) {
	p := with(problem(one(chain("a", bundle("a", 1)), chain("b", bundle("b", 1)), chain("c", bundle("c", 1))), "a"),
		has(oracle.Installed{Bundle: oracle.Bundle{Name: "b.v1"}, Bare: true, Identity: "z"}))
	for i, want := range []bool{false, false, true} {
		got := testkit.Must(p.Unrelated(0, i))(t)
		require.Equal(t, want, got, "package %d", i)
	}
	other := catalog("d", chain("x", bundle("x", 1)))
	other.Packages[0].Bundles[0].Name = "b.v1"
	p.Catalogs = append(p.Catalogs, other)
	got := testkit.Must(p.Unrelated(1, 0))(t)
	require.False(t, got, "without it, the package of b.v1 is known")
}
