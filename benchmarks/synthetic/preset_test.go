package synthetic_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func request(t testing.TB, cfg synthetic.Config) resolver.Request {
	return testkit.Must(generator(t, cfg).Request(t.Context()))(t)
}

// solve resolves within a time limit and reports whether it finished.
func solve(t testing.TB, cfg synthetic.Config, limit time.Duration) (sol *resolver.Solution, known bool) {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	sol, err := resolver.New().Resolve(ctx, request(t, cfg))
	var conflict *resolver.Conflict
	var stopped *resolver.IncompleteError
	if err != nil && !errors.As(err, &conflict) {
		require.ErrorAs(t, err, &stopped)
		return nil, false
	}
	return sol, true
}

// The requests of the presets that are not hard are satisfiable.
func TestRequestsThatCanBeMet(t *testing.T) {
	for _, name := range []string{"random", "chain", "diamond", "wide-any", "cel-heavy", "fleet"} {
		for _, bundles := range []int{300, 1000} {
			cfg := preset(t, name).Sized(bundles)
			cfg.Seed = 7
			sol, known := solve(t, cfg, time.Minute)
			require.True(t, known, name)
			require.NotNil(t, sol, name)
			require.GreaterOrEqual(t, len(sol.Steps), min(cfg.Subscriptions, 1), name)
		}
	}
}

// In each diamond, the newest version of one side leaves only the oldest of
// the other, ten times.
func TestDiamondsAreMetFromBothSides(t *testing.T) {
	cfg := synthetic.Config{Shape: synthetic.Diamond, Packages: 8, Versions: 4}
	sol, known := solve(t, cfg, time.Minute)
	require.True(t, known)
	require.Equal(t, []string{
		"pkg-000000.v1.3.0", "pkg-000001.v1.3.0", "pkg-000002.v1.0.0", "pkg-000003.v1.3.0",
		"pkg-000004.v1.3.0", "pkg-000005.v1.3.0", "pkg-000006.v1.0.0", "pkg-000007.v1.3.0",
	}, sol.Set())
}

// Without fillers, the chains of shape Deep are satisfiable if and only if the
// left one may begin where the right one does.
func TestDeepChainsMeetOrNot(t *testing.T) {
	seen := map[bool]int{}
	for seed := range uint64(30) {
		cfg := synthetic.Config{Seed: seed, Shape: synthetic.Deep, Packages: 15, Versions: 4}
		root := generator(t, cfg).Package(14)
		left := root.Bundles[0].Requires[0]
		require.Equal(t, synthetic.Requirement{Kind: synthetic.ByRange, Target: 11, Range: ">=1.2.0"}, root.Bundles[0].Requires[1])
		require.Equal(t, 13, left.Target)
		meets := left.Range == "<=1.2.0"
		require.Contains(t, []string{"<=1.1.0", "<=1.2.0"}, left.Range)
		sol, known := solve(t, cfg, time.Minute)
		require.True(t, known)
		require.Equal(t, meets, sol != nil)
		seen[meets]++
	}
	require.Greater(t, seen[true], 8)
	require.Greater(t, seen[false], 8)
}

// A contention has the configured number of providers of the common API, and
// its request subscribes to all consumers.
func TestContention(t *testing.T) {
	cfg := preset(t, "gvk-contention")
	req := request(t, cfg)
	shared := 0
	for api := range req.Catalogs[0].Content.APIs() {
		packages := map[string]bool{}
		for _, id := range req.Catalogs[0].Content.Providers(api) {
			packages[req.Catalogs[0].Content.Bundle(id).Package] = true
		}
		if len(packages) > 1 {
			shared++
			require.Len(t, packages, 200)
		}
	}
	require.Equal(t, 1, shared)
	require.Len(t, req.Subscriptions, cfg.Packages-200)
	for _, p := range generator(t, cfg).Package(202).Bundles {
		require.Len(t, p.Requires[0].Others, cfg.AnyWidth-1)
	}
}

// The numbers in the documentation of shape Real, within the variance of a
// tenfold sample.
func TestRealIsShapedLikeTheRealCatalog(t *testing.T) {
	cfg := preset(t, "real-like")
	cfg.Packages *= 10
	g := generator(t, cfg)
	var versions, channels, apis, requiring, withRequirements, ranged, skipping, single int
	for n := range cfg.Packages {
		p := g.Package(n)
		versions += len(p.Bundles)
		channels += len(p.Channels)
		apis += len(p.APIs)
		if len(p.Channels) == 1 {
			single++
		}
		if len(p.Bundles[0].Requires) > 0 {
			withRequirements++
		}
		for _, b := range p.Bundles {
			requiring += len(b.Requires)
		}
		ranges, skips := false, false
		for _, e := range p.Channels[0].Entries {
			ranges, skips = ranges || e.SkipRange != "", skips || len(e.Skips) > 0
		}
		if ranges {
			ranged++
		}
		if skips {
			skipping++
		}
	}
	per := func(n int) float64 { return float64(n) / 10 }
	require.InEpsilon(t, 7016, per(versions), 0.06)
	require.InEpsilon(t, cfg.Bundles(), versions, 0.06)
	require.InEpsilon(t, 654, per(channels), 0.15)
	require.InEpsilon(t, 4.5*333, per(apis), 0.15)
	require.InEpsilon(t, 243, per(single), 0.05)
	require.InDelta(t, 22, per(withRequirements), 5)
	require.InDelta(t, 40, per(ranged), 10)
	require.InDelta(t, 18, per(skipping), 9)
}

func TestFleetIsAFleet(t *testing.T) {
	cfg := preset(t, "fleet").Sized(2000)
	req := request(t, cfg)
	require.Len(t, req.Catalogs, 5)
	require.Len(t, req.Subscriptions, 20)
	require.Len(t, req.Installed, 14)
	namespaces, priorities := map[string]bool{}, map[int]bool{}
	for _, c := range req.Catalogs {
		namespaces[c.Key.Namespace], priorities[c.Priority] = true, true
		require.NotZero(t, c.Content.Len())
	}
	require.Len(t, namespaces, 2)
	require.Len(t, priorities, 5)
	sol := universe.Solution(t, req)
	upgrades := 0
	for _, s := range sol.Steps {
		if s.Action == resolver.Upgrade {
			upgrades++
		}
	}
	require.Equal(t, 14, upgrades, "each installed operator has an edge to the head")
}

// A request with Reach equals that of the smaller catalog, with the same
// answer.
func TestReachAsksTheSameOfALargerCatalog(t *testing.T) {
	small := preset(t, "random").Sized(1000)
	large := small.Sized(5000)
	large.Reach = small.Packages
	one, _ := solve(t, small, time.Minute)
	two, _ := solve(t, large, time.Minute)
	require.Equal(t, one.Set(), two.Set())
	require.Equal(t, 5000, two.Stats.Bundles)
}

func TestSized(t *testing.T) {
	for _, name := range synthetic.Presets() {
		for _, bundles := range []int{2000, 20_000} {
			cfg := preset(t, name).Sized(bundles)
			require.InEpsilon(t, bundles, cfg.Bundles(), 0.02, name)
			_, err := synthetic.New(cfg)
			require.NoError(t, err, name)
		}
		_, err := synthetic.New(preset(t, name).Sized(1))
		require.NoError(t, err, name)
	}
}

// The written scenario, read back, equals the generated request.
func TestWriteFilesIsTheRequest(t *testing.T) {
	cfg := preset(t, "fleet").Sized(500)
	dir := t.TempDir()
	require.NoError(t, generator(t, cfg).WriteFiles(dir))
	s := testkit.Must(scenario.ReadFile(t.Context(), filepath.Join(dir, "scenario.json")))(t)
	loaded := testkit.Must(s.Load(t.Context()))(t)
	fromFiles := universe.Solution(t, loaded.Request)
	direct := universe.Solution(t, request(t, cfg))
	require.Equal(t, direct.Steps, fromFiles.Steps)
	require.Error(t, generator(t, cfg).WriteFiles(filepath.Join(dir, "nowhere")))
}

func TestRequestStopsWithItsContext(t *testing.T) {
	ctx := testkit.Ended()
	_, err := generator(t, preset(t, "random")).Request(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// The instances of figures that are compared over time, including requests.
// Measurements of different days are comparable only while these are
// byte-identical.
func TestTheSameRequestsForever(t *testing.T) {
	want := map[string]string{
		"cel-heavy": "dd425eeeaec0ce3b", "chain": "ef83bd15ad8c92be", "deep-conflict": "cdeb9355cfcb26bb",
		"diamond": "5f3d67c1a45300df", "fleet": "97c62abf9e8c3158", "gvk-contention": "331672381aaf3363",
		"mixed": "9ee074b9df02c9d3", "phase-transition": "ce67fc34357dc06d", "random": "7a066b3d3067e468",
		"real-like": "2e4e6f00a2b837ee", "wide-any": "cbf6f758a86ab9c0",
	}
	for _, name := range synthetic.Presets() {
		dir := t.TempDir()
		cfg := preset(t, name).Sized(3000)
		cfg.Seed = 1
		require.NoError(t, generator(t, cfg).WriteFiles(dir))
		sum := sha256.New()
		for _, f := range testkit.Must(filepath.Glob(filepath.Join(dir, "*")))(t) {
			sum.Write(testkit.Must(os.ReadFile(f))(t))
		}
		require.Equal(t, want[name], hex.EncodeToString(sum.Sum(nil))[:16], name)
	}
}

// With Cyclic, requirements lead in both directions, to every package except
// the own one.
func TestCyclic(t *testing.T) {
	cfg := synthetic.Config{Packages: 12, Versions: 20, Fanout: 4, Cyclic: true, AnyShare: 1, RangeShare: 1, AnyWidth: 3}
	g := generator(t, cfg)
	for n := range cfg.Packages {
		targets := map[int]bool{}
		for _, b := range g.Package(n).Bundles {
			for _, r := range b.Requires {
				targets[r.Target] = true
				for _, o := range r.Others {
					targets[o.Target] = true
				}
			}
		}
		require.NotContains(t, targets, n)
		require.Len(t, targets, cfg.Packages-1)
	}
}
