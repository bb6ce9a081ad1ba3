package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

// automatic is an installed b.v1 that was installed as a dependency.
func automatic(catalog, channel string) oracle.Installed {
	in := installed(bundle("b", 1), "b")
	in.Automatic, in.Channel = true, channel
	if catalog != "" {
		in.Catalog = oracle.Key{Namespace: "ns", Name: catalog}
	}
	return in
}

// TestAdvance follows a dependency: its oldest version is installed, and it is
// upgraded together with its dependent.
func TestAdvance(t *testing.T) {
	p := with(problem(ab(), "a"), policy(resolver.Policy{Goal: resolver.Oldest}))
	a := testkit.Must(oracle.Solve(p))(t)
	require.Equal(t, []string{"a.v1", "b.v1"}, a.Set)
	q := oracle.Advance(p, a)
	q.Policy.Goal = ""
	own := generated("b", p.Catalogs[0].Key, "b.v1")
	own.InstalledCSV = "b.v1"
	require.Equal(t, *own, q.Subscriptions[1])
	require.Equal(t, "b.v1", q.Installed[0].Bundle.Name)
	require.True(t, q.Installed[0].Automatic)
	require.False(t, q.Installed[1].Automatic)
	require.True(t, q.ReadsAsGenerated(&q.Subscriptions[1]))
	require.False(t, q.ReadsAsGenerated(&q.Subscriptions[0]))

	implied := q.Clone()
	implied.Subscriptions = implied.Subscriptions[:1]
	for _, r := range []*oracle.Problem{q, implied} {
		a = testkit.Must(oracle.Solve(r))(t)
		require.Equal(t, []string{"a.v2", "b.v2"}, a.Set)
		require.Equal(t, "upgrade", a.Steps[0].Action)
		require.Nil(t, a.Steps[0].Subscription)
		require.Equal(t, []oracle.Reason{{Subscription: "b-stable-c-ns"}}, a.Steps[0].Because[:1])
		next := oracle.Advance(r, a)
		require.True(t, next.Installed[0].Automatic, "still a dependency")
		require.Equal(t, "b.v2", next.Subscriptions[1].InstalledCSV)
		require.True(t, next.Subscriptions[1].Generated)
	}

	kept := with(problem(nil), has(installed(bundle("x", 1), "x")))
	next := oracle.Advance(kept, testkit.Must(oracle.Solve(kept))(t))
	require.Equal(t, kept.Installed, next.Installed, "kept bundles are unchanged")
}

// TestOrphans has an automatic bundle owned by a generated subscription, with
// and without a dependent.
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
			a := testkit.Must(oracle.Solve(p))(t)
			require.Equal(t, c.want, a.Warnings)
		})
	}
}

func TestHold(t *testing.T) {
	p := problem(one(chain("a", bundle("a", 1), bundle("a", 2)), chain("b", bundle("b", 1, requires(pkgIn("a", atLeast(2)))))), "a", "b")
	p.Subscriptions[0].Hold = "it is not upgradeable"
	a := testkit.Must(oracle.Solve(p))(t)
	require.Equal(t, []string{"a.v2", "b.v1"}, a.Set, "nothing is reinstalled")

	with(p, owns("a.v1"), has(installed(bundle("a", 1), "a")))
	a = testkit.Must(oracle.Solve(p))(t)
	require.False(t, a.Resolved)
	j := testkit.Must(oracle.NewJudge(p))(t)
	i := 0
	rs := testkit.Must(oracle.Requirements(p))(t)
	for rs[i].Bundle != "b.v1" {
		i++
	}
	facts := []oracle.Fact{{Kind: "subscription", Subject: "a"}, {Kind: "hold", Subject: "a"}, {Kind: "subscription", Subject: "b"},
		{Kind: "constraint", Subject: "b.v1", Requirements: []int{i}}, {Kind: "package", Subject: "a"}}
	require.NoError(t, j.Check(facts))
	require.NoError(t, j.CheckAll([][]oracle.Fact{facts}))
	p.Subscriptions[0].Hold = ""
	j = testkit.Must(oracle.NewJudge(p))(t)
	require.Error(t, j.Check(facts), "a missing hold explains nothing")
}

// TestBroken has conflicting installed bundles under policy Partial.
func TestBroken(t *testing.T) {
	none := compound(oracle.Not, gvk("Foo"))
	red := func(b *oracle.Bundle) { b.Labels = []string{"red"} }
	wantsRed := oracle.Constraint{Kind: oracle.Label, Name: "red", Plain: true}
	in := func(pkg string, with ...func(*oracle.Bundle)) oracle.Installed {
		return installed(bundle(pkg, 1, with...), pkg)
	}
	forbid := func(name string) func(*oracle.Problem) {
		return func(p *oracle.Problem) { p.Forbid = []resolver.Forbidden{{Bundle: oracle.Ref{Name: name}}} }
	}
	foo := chain("f", bundle("f", 1, provides("Foo")))
	for _, c := range []struct {
		name       string
		p          *oracle.Problem
		set        []string
		broken     []string
		unresolved []string
	}{
		{"two clash, the second is broken", with(problem(nil), has(in("x", provides("Foo")), in("y", provides("Foo")))),
			[]string{"x.v1", "y.v1"}, []string{"y.v1"}, nil},
		{"three clash, the second and third are broken", with(problem(nil), has(in("x", provides("Foo")), in("y", provides("Foo")), in("z", provides("Foo")))),
			[]string{"x.v1", "y.v1", "z.v1"}, []string{"y.v1", "z.v1"}, nil},
		{"a prohibited bundle is broken", with(problem(nil), has(in("x", requires(none)), in("y", provides("Foo")))),
			[]string{"x.v1", "y.v1"}, []string{"y.v1"}, nil},
		{"a bundle that prohibits an earlier one is broken", with(problem(nil), has(in("x", provides("Foo")), in("y", requires(none)))),
			[]string{"x.v1", "y.v1"}, []string{"y.v1"}, nil},
		{"a later bundle may satisfy it", with(problem(nil), has(in("x", requires(gvk("Foo"))), in("y", provides("Foo")))),
			[]string{"x.v1", "y.v1"}, nil, nil},
		{"a broken one may satisfy it", with(problem(nil), has(in("x", provides("Foo"), requires(gvk("Nowhere"))), in("y", requires(gvk("Foo"))))),
			[]string{"x.v1", "y.v1"}, []string{"x.v1"}, nil},
		{"a broken one may satisfy part of a constraint", with(problem(nil), has(in("x", provides("Foo"), requires(gvk("Nowhere"))),
			in("y", requires(compound(oracle.Any, gvk("Foo"), gvk("Bar")))))), []string{"x.v1", "y.v1"}, []string{"x.v1"}, nil},
		{"a later one demands nothing yet", with(problem(nil), has(in("x", requires(wantsRed)), in("y", red, requires(gvk("Nowhere"))))),
			[]string{"x.v1", "y.v1"}, []string{"y.v1"}, nil},
		{"a later one and its replacement are optional", with(problem(one(chain("y", bundle("y", 1), bundle("y", 2, provides("Foo")))), "y"),
			owns("y.v1"), has(in("x", provides("Foo")), in("y")), forbid("y.v1")), []string{"x.v1", "y.v1"}, []string{"y.v1"}, nil},
		{"its subscription is satisfied, even if pinned", with(problem(one(chain("x", bundle("x", 1), bundle("x", 2, requires(gvk("Nowhere"))))), "x"),
			owns("x.v1"), has(in("x", requires(gvk("Nowhere")))), func(p *oracle.Problem) { p.Subscriptions[0].Pin = "x.v2" }),
			[]string{"x.v1"}, []string{"x.v1"}, nil},
		{"an installed bundle cannot be replaced by a dependency of another", with(problem(one(chain("c", bundle("c", 2)))),
			has(in("e", requires(pkgIn("c", atLeast(2)))), in("c"))), []string{"c.v1", "e.v1"}, []string{"e.v1"}, nil},
		{"a catalog bundle may satisfy it", with(problem(one(foo)), has(in("x", requires(gvk("Foo"))))), []string{"f.v1", "x.v1"}, nil, nil},
		{"an owned one may move", with(problem(one(chain("x", bundle("x", 1), bundle("x", 2))), "x"), owns("x.v1"),
			has(in("x", requires(gvk("Nowhere"))))), []string{"x.v2"}, nil, nil},
		{"one that may not move is broken, and its subscription satisfied", with(problem(one(chain("x", bundle("x", 1), bundle("x", 2, requires(gvk("Nowhere"))))), "x"),
			owns("x.v1"), has(in("x", requires(gvk("Nowhere"))))), []string{"x.v1"}, []string{"x.v1"}, nil},
		{"a hold keeps it broken", with(problem(one(chain("x", bundle("x", 1), bundle("x", 2))), "x"), owns("x.v1"),
			has(in("x", requires(gvk("Nowhere")))), func(p *oracle.Problem) { p.Subscriptions[0].Hold = "no" }), []string{"x.v1"}, []string{"x.v1"}, nil},
		{"a forbidden one stays", with(problem(nil), has(in("x")), forbid("x.v1")), []string{"x.v1"}, []string{"x.v1"}, nil},
		{"a new bundle does not clash with a broken one", with(problem(one(foo), "f"), has(in("x", provides("Foo"), requires(gvk("Nowhere"))))),
			[]string{"x.v1"}, []string{"x.v1"}, []string{"f"}},
		{"a new one may prohibit it", with(problem(one(chain("f", bundle("f", 1), bundle("f", 2, requires(none)))), "f"),
			has(in("x", provides("Foo"), requires(gvk("Nowhere"))))), []string{"f.v1", "x.v1"}, []string{"x.v1"}, nil},
		{"two of a package", with(problem(nil), has(installed(bundle("x", 1), "x"), installed(bundle("x", 2), "x"))),
			[]string{"x.v1", "x.v2"}, []string{"x.v2"}, nil},
		{"later bundles do not count against the first", with(problem(nil), has(in("x", requires(wantsRed)), in("y", red, requires(compound(oracle.Not, gvk("Bar")))), in("z", provides("Bar")))),
			[]string{"x.v1", "y.v1", "z.v1"}, []string{"z.v1"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.Policy.Failures = resolver.FailuresPartial
			a := testkit.Must(oracle.Solve(c.p))(t)
			require.True(t, a.Resolved)
			require.Equal(t, c.set, a.Set)
			require.Equal(t, c.broken, a.Broken)
			require.Equal(t, c.unresolved, a.Unresolved)
			var warned []string
			for _, w := range a.Warnings {
				if w.Kind == "broken" {
					warned = append(warned, w.Bundle)
				}
			}
			require.Equal(t, c.broken, warned)
		})
	}
}

// TestBrokenReasons has a broken bundle that a subscription owns and that
// lacks a dependency.
func TestBrokenReasons(t *testing.T) {
	x := installed(bundle("x", 1, requires(gvk("Foo"), gvk("Nowhere"))), "x")
	f := installed(bundle("f", 1, provides("Foo")), "f")
	p := with(problem(nil, "x"), owns("x.v1"), has(x, f), policy(resolver.Policy{Failures: resolver.FailuresPartial}))
	a := testkit.Must(oracle.Solve(p))(t)
	require.Equal(t, []oracle.Step{
		{Action: "keep", Bundle: "f.v1", Package: "f", Version: at(1), Because: []oracle.Reason{{Installed: true}}},
		{Action: "keep", Bundle: "x.v1", Package: "x", Version: at(1), Because: []oracle.Reason{{Subscription: "x"}, {Installed: true}}},
	}, a.Steps)
}

// TestForcedAgainstInstalled: an unsatisfiable forced bundle fails the whole
// request.
func TestForcedAgainstInstalled(t *testing.T) {
	p := with(problem(one(chain("x", bundle("x", 1), bundle("x", 2)))), has(installed(bundle("x", 1), "x")), policy(resolver.Policy{Failures: resolver.FailuresPartial}))
	p.Force = []oracle.Ref{{Name: "x.v2"}}
	p.Subscriptions = []oracle.Subscription{{Name: "later", Package: "nowhere"}}
	a := testkit.Must(oracle.Solve(p))(t)
	require.Equal(t, oracle.Answer{}, a)
	j := testkit.Must(oracle.NewJudge(p))(t)
	require.True(t, j.Satisfiable([]oracle.Fact{{Kind: "forced", Subject: "nothing.v1"}}), "it is not forced")
	require.NoError(t, j.CheckAll([][]oracle.Fact{{{Kind: "forced", Subject: "x.v2"}, {Kind: "installed", Subject: "x.v1"}, {Kind: "package", Subject: "x"}}}))
}

// TestFactsBesideBroken checks facts that would be redundant if broken bundles
// counted.
func TestFactsBesideBroken(t *testing.T) {
	in := func(pkg string, with ...func(*oracle.Bundle)) oracle.Installed {
		return installed(bundle(pkg, 1, with...), pkg)
	}
	p := with(problem(one(chain("f", bundle("f", 1, provides("Foo")))), "f"),
		has(in("x", provides("Foo")), in("y", provides("Foo"), requires(gvk("Nowhere")))), policy(resolver.Policy{Failures: resolver.FailuresPartial}))
	both := []oracle.Fact{{Kind: "installed", Subject: "x.v1"}, {Kind: "installed", Subject: "y.v1"}, {Kind: "gvk", Subject: "foos.example.com/v1/Foo"}}
	j := testkit.Must(oracle.NewJudge(p))(t)
	require.NoError(t, j.Check(both), "why y.v1 is broken")
	j = testkit.Must(oracle.NewJudge(p, "y.v1"))(t)
	require.ErrorContains(t, j.Check(both), "satisfiable")
	rs := testkit.Must(oracle.Requirements(p))(t)
	require.Equal(t, "y.v1", rs[0].Bundle)
	require.False(t, j.Satisfiable([]oracle.Fact{{Kind: "gvk", Subject: "foos.example.com/v1/Foo"}, {Kind: "installed", Subject: "x.v1"}, {Kind: "subscription", Subject: "f"}}))
	require.True(t, j.Satisfiable([]oracle.Fact{both[1], {Kind: "constraint", Subject: "y.v1", Requirements: []int{0}}}), "it demands nothing")
	left := append([]oracle.Fact{{Kind: "subscription", Subject: "f"}}, both[1:]...)
	require.NoError(t, j.Check(left), "why f is dropped")
}
