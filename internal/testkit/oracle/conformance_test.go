package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
)

// ab has a.v1 ← a.v2 and b.v1 ← b.v2, each a with the b of its version.
func ab() []oracle.Catalog {
	is := func(n int) oracle.Constraint {
		return pkgIn("b", oracle.Range{{{Op: "=", V: v(n)}}})
	}
	return one(chain("a", bundle("a", 1, requires(is(1))), bundle("a", 2, requires(is(2)))),
		chain("b", bundle("b", 1), bundle("b", 2)))
}

func metadata(csv oracle.CSV) func(*oracle.Bundle) {
	return func(b *oracle.Bundle) { b.Metadata = &csv }
}

// modes lists install modes: those that are supported, and the others.
func modes(supported ...string) []oracle.Mode {
	var list []oracle.Mode
	for _, m := range []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"} {
		is := false
		for _, s := range supported {
			is = is || s == m
		}
		list = append(list, oracle.Mode{Type: m, Supported: is})
	}
	return list
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

// owns makes the first subscription the owner of a bundle.
func owns(name string) func(*oracle.Problem) {
	return func(p *oracle.Problem) { p.Subscriptions[0].InstalledCSV = name }
}

func policy(pol oracle.Policy) func(*oracle.Problem) {
	return func(p *oracle.Problem) { p.Policy = pol }
}

func cluster(c oracle.Cluster) func(*oracle.Problem) {
	return func(p *oracle.Problem) { p.Cluster = c }
}

func group(targets ...string) func(*oracle.Problem) {
	return func(p *oracle.Problem) { p.Group = &oracle.OperatorGroup{Targets: targets} }
}

func channels(names ...string) func(*oracle.Problem) {
	return func(p *oracle.Problem) { p.Subscriptions[0].Channels = names }
}

// TestConformance has the conformance scenarios of these names, with the answers
// given there.
func TestConformance(t *testing.T) {
	fitting := oracle.Policy{Compatibility: oracle.Require}
	automatic := installed(bundle("b", 1), "b")
	automatic.Automatic, automatic.Catalog, automatic.Channel = true, oracle.Key{Namespace: "ns", Name: "c"}, "stable"
	own, all := metadata(oracle.CSV{Modes: modes("OwnNamespace", "SingleNamespace")}), metadata(oracle.CSV{Modes: modes("AllNamespaces")})
	kube := func(least string) func(*oracle.Bundle) {
		return metadata(oracle.CSV{Modes: modes("AllNamespaces"), MinKube: least})
	}
	foo := bundle("byhand", 0, provides("Foo"))
	foo.Name, foo.Defect = "byhand", oracle.MissingIdentity
	bare := oracle.Installed{Bundle: oracle.Bundle{Name: "a.v1", Defect: oracle.MissingIdentity}, Version: at(1)}
	providing := oracle.Installed{Bundle: oracle.Bundle{Name: "a.v1", Provides: []string{"Foo"}, Defect: oracle.MissingIdentity}}
	old := oracle.Package{Name: "a", Default: "stable", Bundles: []oracle.Bundle{bundle("a", 1), bundle("a", 2)}, Channels: []oracle.Channel{
		{Name: "old", Entries: []oracle.Entry{{Name: "a.v1"}}}, {Name: "stable", Entries: []oracle.Entry{{Name: "a.v2", SkipRange: below(1)}}}}}
	fast := oracle.Package{Name: "a", Default: "stable", Bundles: []oracle.Bundle{bundle("a", 1), bundle("a", 2)}, Channels: []oracle.Channel{
		{Name: "stable", Entries: []oracle.Entry{{Name: "a.v1"}}}, {Name: "fast", Entries: []oracle.Entry{{Name: "a.v2"}}}}}
	update := chain("a", bundle("a", 2))
	update.Channels[0].Entries[0].Replaces = "a.v1"
	leaving := installed(bundle("a", 1, provides("Foo")), "a")
	leaving.ReplacedBy = "a.v2"
	twoOf := func(with1, with2 func(*oracle.Bundle)) []oracle.Catalog {
		return one(chain("a", bundle("a", 1, with1), bundle("a", 2, with2)))
	}
	two := one(chain("a", bundle("a", 1), bundle("a", 2)))
	for _, c := range []struct {
		name     string
		p        *oracle.Problem
		want     []string // nil: no solution
		warnings []oracle.Warning
	}{
		{"automatic-follows-its-channel", with(problem(ab(), "a"), owns("a.v1"),
			has(installed(bundle("a", 1, requires(pkgIn("b", oracle.Range{{{Op: "=", V: v(1)}}}))), "a"), automatic)),
			[]string{"a.v2", "b.v2"}, nil},
		{"greatest-openshift", with(problem(twoOf(maxOpenShift("4.20"), maxOpenShift("4.18")), "a"),
			cluster(oracle.Cluster{OpenShift: "4.19"}), policy(fitting)), []string{"a.v1"}, nil},
		{"hold", with(problem(two, "a"), owns("a.v1"), has(installed(bundle("a", 1), "a")),
			func(p *oracle.Problem) { p.Subscriptions[0].Hold = "not approved" }), []string{"a.v1"}, nil},
		{"install-mode-required", with(problem(twoOf(own, all), "a"), group("ns"), policy(fitting)), []string{"a.v1"}, nil},
		{"install-mode-warns", with(problem(twoOf(own, all), "a"), group("ns")),
			[]string{"a.v2"}, []oracle.Warning{{Kind: "incompatible", Bundle: "a.v2"}}},
		{"the same, ignored", with(problem(twoOf(own, all), "a"), group("ns"), policy(oracle.Policy{Compatibility: oracle.Ignore})),
			[]string{"a.v2"}, nil},
		{"installed-of-unknown-package", with(problem(one(chain("a", bundle("a", 1, requires(gvk("Foo")))),
			chain("b", bundle("b", 1, provides("Foo")))), "a"), has(oracle.Installed{Bundle: foo})), []string{"a.v1", "byhand"}, nil},
		{"installed-package-from-its-owner", with(problem(one(update), "a"), owns("a.v1"), has(bare)), []string{"a.v2"}, nil},
		{"installed-package-from-the-catalog", with(problem(two, "a"), has(providing)), nil, nil},
		{"installed-version-as-given", with(problem(one(old), "a"), owns("a.v1"), channels("stable"),
			has(oracle.Installed{Bundle: oracle.Bundle{Name: "a.v1"}, Bare: true, Package: "a", Version: at(0)})), []string{"a.v2"}, nil},
		{"least-kubernetes", with(problem(twoOf(kube("1.25.0"), kube("1.34.0")), "a"),
			cluster(oracle.Cluster{Kubernetes: "1.33.0"}), policy(fitting)), []string{"a.v1"}, nil},
		{"partial-on-a-broken-cluster", with(problem(two, "a"), policy(oracle.Policy{Partial: true}),
			has(installed(bundle("b", 1, requires(gvk("Nowhere"))), "b"))),
			[]string{"a.v2", "b.v1"}, []oracle.Warning{{Kind: "broken", Bundle: "b.v1"}}},
		{"replaced-by-is-on-its-way-out", with(problem(one(
			chain("a", bundle("a", 1, provides("Foo")), bundle("a", 2, provides("Foo"))), chain("b", bundle("b", 1, requires(gvk("Foo"))))), "a", "b"),
			owns("a.v2"), has(leaving, installed(bundle("a", 2, provides("Foo")), "a"))), []string{"a.v2", "b.v1"}, nil},
		{"several-channels", with(problem(one(fast), "a"), channels("fast", "stable")), []string{"a.v2"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := testkit.Must(oracle.Solve(c.p))(t)
			require.Equal(t, c.want != nil, a.Resolved)
			require.Equal(t, c.want, a.Set)
			require.Equal(t, c.warnings, a.Warnings)
			if c.p.Policy.Partial {
				require.Equal(t, []string{"b.v1"}, a.Broken)
			}
		})
	}
}

// TestDependencyGetsASubscription is the conformance scenario of that name.
func TestDependencyGetsASubscription(t *testing.T) {
	p := problem(one(chain("a", bundle("a", 1, requires(pkgIn("b", atLeast(1))))), chain("b", bundle("b", 1))), "a")
	p.Catalogs[0].Key.Namespace = "olm"
	a := testkit.Must(oracle.Solve(p))(t)
	require.Equal(t, []string{"a.v1", "b.v1"}, a.Set)
	require.Equal(t, generated("b", p.Catalogs[0].Key, "b.v1"), a.Steps[0].Subscription)
	require.Nil(t, a.Steps[1].Subscription)
}

// TestEveryConflict is the conformance scenario of that name, the list of conflicts
// being judged.
func TestEveryConflict(t *testing.T) {
	p := with(problem(one(chain("a", bundle("a", 1), bundle("a", 2))), "x", "a", "y"))
	j := testkit.Must(oracle.NewJudge(p))(t)
	conflict := func(sub string) []oracle.Fact {
		return []oracle.Fact{{Kind: "subscription", Subject: sub}, {Kind: "noCandidate", Subject: sub}}
	}
	require.NoError(t, j.CheckAll([][]oracle.Fact{conflict("x"), conflict("y")}))
	require.ErrorContains(t, j.CheckAll([][]oracle.Fact{conflict("x")}), "another conflict")
	require.ErrorContains(t, j.CheckAll([][]oracle.Fact{conflict("x"), conflict("y"), conflict("x")}), "in common")
	require.ErrorContains(t, j.CheckAll([][]oracle.Fact{conflict("x"), conflict("a")}), "hold together")
	require.ErrorContains(t, j.CheckAll([][]oracle.Fact{append(conflict("x"), conflict("y")...)}), "not needed")
}
