package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
)

// automatic is an installed b.v1 that came in as a dependency.
func automatic(catalog, channel string) oracle.Installed {
	in := installed(bundle("b", 1), "b")
	in.Automatic, in.Channel = true, channel
	if catalog != "" {
		in.Catalog = oracle.Key{Namespace: "ns", Name: catalog}
	}
	return in
}

// TestAdvance follows a dependency: it is installed in its oldest version, and
// upgraded with what asked for it.
func TestAdvance(t *testing.T) {
	p := with(problem(ab(), "a"), policy(oracle.Policy{Goal: oracle.Oldest}))
	a := testkit.Must(oracle.Solve(p))(t)
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
			a := testkit.Must(oracle.Solve(p))(t)
			require.Equal(t, c.want, a.Warnings)
		})
	}
}

func TestHold(t *testing.T) {
	p := problem(one(chain("a", bundle("a", 1), bundle("a", 2)), chain("b", bundle("b", 1, requires(pkgIn("a", atLeast(2)))))), "a", "b")
	p.Subscriptions[0].Hold = "it is not upgradeable"
	a := testkit.Must(oracle.Solve(p))(t)
	require.Equal(t, []string{"a.v2", "b.v1"}, a.Set, "nothing is installed that could stay")

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
	require.Error(t, j.Check(facts), "a hold that is not there explains nothing")
}
