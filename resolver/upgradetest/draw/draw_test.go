package draw_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
	"github.com/seed109e2655/resolute/resolver/upgradetest/draw"
)

// TestSoundCatalogs holds the generator of sound catalogs to its word.
func TestSoundCatalogs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := draw.Config{Sound: true}.Catalog().Draw(t, "catalog")
		content, err := c.Build(t.Context())
		require.NoError(t, err)
		upgradetest.CheckAll(t, content, upgradetest.Options{NoFiles: true, Workers: 1})
	})
}

// TestSoundRequests holds the generator of sound requests to its word.
func TestSoundRequests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		req := draw.Config{Sound: true}.Request().Draw(t, "request")
		_, err := resolver.New().Resolve(t.Context(), req.Request)
		require.NoError(t, err)
		upgradetest.CheckRequest(t, req.Request, upgradetest.Options{NoFiles: true, Workers: 1})
	})
}

// TestLaws checks on requests of every kind what no catalog can break.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		req := draw.Config{}.Request().Draw(t, "request")
		upgradetest.CheckRequest(t, req.Request, upgradetest.Options{NoFiles: true, Workers: 1, Only: []upgradetest.Property{upgradetest.Dependents, upgradetest.Unrelated, upgradetest.BlobOrder, upgradetest.Priority}})
	})
}

// TestInteresting draws from fixed seeds and counts: the properties are worth nothing
// on problems that have none of what they are about.
func TestInteresting(t *testing.T) {
	const n = 400
	seen := map[string]int{}
	gen := draw.Config{}.Request()
	for seed := range n {
		req := gen.Example(seed)
		sol, err := resolver.New().Resolve(t.Context(), req.Request)
		count := func(what string, is bool) {
			if is {
				seen[what]++
			}
		}
		count("solved", err == nil)
		count("unsolvable", err != nil)
		count("several bundles", err == nil && len(sol.Steps) > 1)
		count("an upgrade", err == nil && slices.ContainsFunc(sol.Steps, func(s resolver.Step) bool { return s.Action == resolver.Upgrade }))
		count("several catalogs", len(req.Catalogs) > 1)
		problem := func(code graph.Code) bool {
			return slices.ContainsFunc(req.Catalogs, func(c resolver.Catalog) bool {
				return slices.ContainsFunc(c.Content.Problems(), func(p graph.Problem) bool { return p.Code == code })
			})
		}
		count("two heads", problem(graph.CodeSeveralHeads))
		count("stranded", problem(graph.Code("entryStranded")))
		count("broken", problem(graph.CodePropertyInvalid))
	}
	for what, least := range map[string]int{"solved": 30, "unsolvable": 10, "several bundles": 15, "an upgrade": 5,
		"several catalogs": 20, "two heads": 1, "stranded": 0, "broken": 1} {
		percent := seen[what] * 100 / n
		t.Logf("%-18s %d %%", what, percent)
		require.GreaterOrEqual(t, percent, least, what)
	}
}

// TestShrinksToTheSimplest has rapid shrink a failure that has nothing to do with
// what is drawn: the smallest of everything is left.
func TestShrinksToTheSimplest(t *testing.T) {
	t.Chdir(t.TempDir()) // rapid writes down what fails
	var last draw.Request
	fails := &quiet{}
	rapid.Check(fails, func(t *rapid.T) {
		last = draw.Config{}.Request().Draw(t, "request")
		t.Fatalf("always")
	})
	require.True(t, fails.failed)
	require.Len(t, last.Declared, 1)
	require.Equal(t, []upgradetest.Package{{
		Name: "pkg-a", DefaultChannel: "stable",
		Channels: []upgradetest.Channel{{Name: "stable", Entries: []upgradetest.Entry{{Name: "a.v1.0.0"}}}},
		Bundles:  last.Declared[0].Packages[0].Bundles,
	}}, last.Declared[0].Packages)
	require.Len(t, last.Declared[0].Packages[0].Bundles, 1)
	require.Len(t, last.Declared[0].Packages[0].Bundles[0].Properties, 2)
	require.Empty(t, last.Installed)
	require.Equal(t, "pkg-a", last.Subscriptions[0].Package)

	s, err := scenario.Parse(t.Context(), "drawn.yaml", []byte(last.String()))
	require.NoError(t, err, "it prints as a scenario")
	require.Len(t, s.Subscriptions, 1)
}

// quiet is a test that may fail.
type quiet struct {
	rapid.TB
	failed bool
}

func (q *quiet) Helper()               {}
func (q *quiet) Name() string          { return "quiet" }
func (q *quiet) Logf(string, ...any)   {}
func (q *quiet) Log(...any)            {}
func (q *quiet) Errorf(string, ...any) { q.failed = true }
func (q *quiet) Fatalf(string, ...any) { q.failed = true }
func (q *quiet) FailNow()              { q.failed = true }
func (q *quiet) Fail()                 { q.failed = true }
func (q *quiet) Failed() bool          { return q.failed }

// TestParts looks at what the other generators draw.
func TestParts(t *testing.T) {
	c := draw.Config{}
	require.Equal(t, "1.0.0", minimum(t, c.Version()).String())
	require.Equal(t, ">=1.0.0", minimum(t, c.Range()).String())
	require.Equal(t, "olm.gvk", minimum(t, c.Property()).Type)
	require.Equal(t, "an operator that provides example.com/v1/A", minimum(t, c.Constraint()).String())
	require.Equal(t, "pkg-a", minimum(t, c.Package()).Name)
	require.Empty(t, minimum(t, c.Cluster()).APIs)
	flat := draw.Config{MaxDepth: -1, MaxRequires: -1, NoCEL: true, MaxPackages: 99, MaxChannels: 99}
	rapid.Check(t, func(t *rapid.T) {
		for _, p := range flat.Catalog().Draw(t, "catalog").Packages {
			for _, b := range p.Bundles {
				for _, prop := range b.Properties {
					require.False(t, strings.Contains(prop.Type, "required") || prop.Type == "olm.constraint", prop.Type)
				}
			}
		}
	})
}

// minimum is what a generator shrinks to.
func minimum[T any](t *testing.T, g *rapid.Generator[T]) (last T) {
	t.Helper()
	t.Chdir(t.TempDir())
	fails := &quiet{}
	rapid.Check(fails, func(t *rapid.T) {
		last = g.Draw(t, "value")
		t.Fatalf("always")
	})
	require.True(t, fails.failed)
	return last
}
