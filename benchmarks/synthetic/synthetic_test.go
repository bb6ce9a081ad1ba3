package synthetic_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
)

func generator(t require.TestingT, cfg synthetic.Config) *synthetic.Generator {
	return testkit.Must(synthetic.New(cfg))(t)
}

func preset(t require.TestingT, name string) synthetic.Config {
	cfg, ok := synthetic.Preset(name)
	require.True(t, ok, name)
	return cfg
}

func catalog(t require.TestingT, g *synthetic.Generator, number int) string {
	var buf bytes.Buffer
	require.NoError(t, g.WriteCatalog(&buf, number))
	return buf.String()
}

// The instance of the performance goals.
func TestRandomIsAsDescribed(t *testing.T) {
	for seed := range uint64(2) {
		cfg := preset(t, "random")
		cfg.Seed = seed
		g := generator(t, cfg)
		text := catalog(t, g, 0)
		require.Equal(t, 1000, strings.Count(text, `"schema":"olm.package"`))
		require.Equal(t, 10000, strings.Count(text, `"schema":"olm.bundle"`))
		apis := strings.Count(text, `"olm.gvk.required"`)
		requirements := strings.Count(text, `"olm.package.required"`) + apis
		require.Equal(t, 10*(2*998+1), requirements, "two each, except for the first two packages")
		require.InDelta(t, 0.5, float64(apis)/float64(requirements), 0.001)
		require.InDelta(t, 700, len(g.Pulls(999)), 70)
	}
}

func drawConfig(t *rapid.T) synthetic.Config {
	share := rapid.SampledFrom([]float64{0, 0.3, 1})
	cfg := synthetic.Config{
		Seed:            rapid.Uint64().Draw(t, "seed"),
		Packages:        rapid.IntRange(1, 15).Draw(t, "packages"),
		Versions:        rapid.IntRange(1, 6).Draw(t, "versions"),
		Catalogs:        rapid.IntRange(1, 3).Draw(t, "catalogs"),
		Fanout:          rapid.IntRange(0, 4).Draw(t, "fanout"),
		Window:          rapid.IntRange(0, 6).Draw(t, "window"),
		Depth:           rapid.IntRange(0, 5).Draw(t, "depth"),
		RangeShare:      share.Draw(t, "range"),
		GVKShare:        share.Draw(t, "gvk"),
		CELShare:        share.Draw(t, "cel"),
		CompoundShare:   share.Draw(t, "compound"),
		AnyShare:        share.Draw(t, "any"),
		AnyWidth:        rapid.IntRange(1, 4).Draw(t, "width"),
		SkipShare:       share.Draw(t, "skips"),
		ConflictDensity: share.Draw(t, "conflicts"),
	}
	cfg.Channels = rapid.IntRange(1, cfg.Versions).Draw(t, "channels")
	return cfg
}

// For all settings, requirements lead to earlier packages and are satisfiable,
// and no chain of them exceeds the limit.
func TestRequirementsOfAnyConfig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		g := generator(t, cfg)
		depth := make([]int, cfg.Packages)
		var all []synthetic.Package
		for n := range cfg.Packages {
			p := g.Package(n)
			all = append(all, p)
			require.Len(t, p.Bundles, cfg.Versions)
			for _, b := range p.Bundles {
				require.LessOrEqual(t, len(b.Requires), cfg.Fanout)
				targets := map[int]bool{}
				for _, r := range b.Requires {
					require.False(t, targets[r.Target], "required twice")
					targets[r.Target] = true
					require.Less(t, r.Target, n)
					checkRange(t, cfg, all[r.Target], r)
					depth[n] = max(depth[n], depth[r.Target]+1)
					for _, o := range r.Others {
						require.Less(t, o.Target, n)
						depth[n] = max(depth[n], depth[o.Target]+1)
					}
				}
			}
			if cfg.Depth == 0 && cfg.Window == 0 {
				require.Len(t, p.Bundles[0].Requires, min(n, cfg.Fanout))
			}
			if cfg.Depth > 0 {
				require.Less(t, depth[n], cfg.Depth)
			}
		}
		for c := range cfg.Catalogs { // valid, each bundle once, each channel with its head
			if text := catalog(t, g, c); text != "" { // some catalogs of few packages are empty
				_, err := fbc.Read(context.Background(), strings.NewReader(text), "catalog.jsonl", fbc.Options{Strict: true})
				require.NoError(t, err)
			}
		}
		require.Empty(t, catalog(t, g, cfg.Catalogs)+catalog(t, g, -1))
	})
}

// checkRange checks that a range accepts the newest version, or with conflicts
// a version that is not skipped.
func checkRange(t *rapid.T, cfg synthetic.Config, target synthetic.Package, r synthetic.Requirement) {
	if r.Kind == synthetic.ByGVK {
		require.Empty(t, r.Range)
		return
	}
	accepts := testkit.Must(semver.ParseRange(r.Range))(t)
	skipped := map[int]bool{}
	for _, e := range target.Channels[0].Entries {
		for _, s := range e.Skips {
			skipped[s] = true
		}
	}
	var found []int
	for v, b := range target.Bundles {
		if accepts(semver.MustParse(b.Version)) && !skipped[v] {
			found = append(found, v)
		}
	}
	require.NotEmpty(t, found)
	if cfg.ConflictDensity == 0 {
		require.Equal(t, cfg.Versions-1, found[len(found)-1])
	}
	if cfg.ConflictDensity == 1 {
		require.Len(t, found, 1)
	}
}

func TestSharesAreMet(t *testing.T) {
	cfg := synthetic.Config{
		Packages: 400, Versions: 5, Fanout: 2,
		RangeShare: 4, GVKShare: 3, CELShare: 2, CompoundShare: 1,
		SkipShare: 0.25, ConflictDensity: 0.5,
	}
	g := generator(t, cfg)
	kinds, total, single, ranges, skips := map[synthetic.Kind]float64{}, 0.0, 0.0, 0.0, 0.0
	for n := range cfg.Packages {
		p := g.Package(n)
		for _, e := range p.Channels[0].Entries {
			if len(e.Skips) > 0 {
				skips++
			}
		}
		for _, b := range p.Bundles {
			for _, r := range b.Requires {
				kinds[r.Kind]++
				total++
				if r.Range != "" {
					ranges++
				}
				if r.Range != "" && !strings.HasPrefix(r.Range, ">=") {
					single++
				}
			}
		}
	}
	want := map[synthetic.Kind]float64{
		synthetic.ByRange: 0.4, synthetic.ByGVK: 0.3, synthetic.ByCEL: 0.2, synthetic.ByAll: 0.05, synthetic.ByAny: 0.05,
	}
	for kind, share := range want {
		require.InDelta(t, share, kinds[kind]/total, 0.005, kind)
	}
	require.InDelta(t, 0.5, single/ranges, 0.05)
	// No two adjacent versions are skipped, nor the oldest or the head.
	require.InDelta(t, 0.25*3*0.8, skips/float64(cfg.Packages), 0.1)
}

func TestConfigThatMakesNoSense(t *testing.T) {
	tests := map[string]synthetic.Config{
		"Packages is -1":              {Packages: -1},
		"Fanout is -2":                {Fanout: -2},
		"3 channels need as many ver": {Channels: 3, Versions: 2},
		"GVKShare is NaN":             {GVKShare: math.NaN()},
		"SkipShare is 1.5":            {SkipShare: 1.5},
		"ConflictDensity is -0.1":     {ConflictDensity: -0.1},
		"unknown shape":               {Shape: "round"},
		"Packages is 20000000":        {Packages: 20_000_000},
		"exceed 100000000":            {Packages: 1_000_000, Versions: 1000},
		"shape diamond needs at":      {Shape: synthetic.Diamond, Packages: 3},
		"shape contention needs at":   {Shape: synthetic.Contention, Packages: 200},
		"Subscriptions is 6, it must": {Packages: 5, Subscriptions: 6},
		"Subscriptions is 4, it must": {Packages: 5, Subscriptions: 4, Reach: 3},
		"Installed is 2, it must":     {Installed: 2},
		"Reach is 7, it must":         {Packages: 5, Reach: 7},
		"AnyWidth is -1":              {AnyWidth: -1},
		"Window and Depth must be":    {Cyclic: true, Depth: 2},
	}
	for text, cfg := range tests {
		g, err := synthetic.New(cfg)
		require.ErrorContains(t, err, text)
		require.Nil(t, g)
	}
	_, ok := synthetic.Preset("nonesuch")
	require.False(t, ok)
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteCatalogReportsTheWritersError(t *testing.T) {
	require.EqualError(t, generator(t, preset(t, "random")).WriteCatalog(fullDisk{}, 0), "disk full")
}

// Every preset is a valid catalog: the strict reader accepts it, with all its
// packages, bundles and APIs.
func TestCatalogsAreValid(t *testing.T) {
	for _, name := range synthetic.Presets() {
		t.Run(name, func(t *testing.T) {
			cfg := preset(t, name).Sized(testkit.Times(700, 2200))
			g := generator(t, cfg)
			cfg = g.Config()
			bundles := 0
			for c := range cfg.Catalogs {
				read, err := fbc.Read(t.Context(), strings.NewReader(catalog(t, g, c)), "catalog.jsonl", fbc.Options{Strict: true})
				require.NoError(t, err)
				require.Empty(t, read.Problems())
				bundles += read.Len()
			}
			if cfg.Shape == synthetic.Real {
				require.InEpsilon(t, cfg.Bundles(), bundles, 0.3)
			} else {
				require.Equal(t, cfg.Bundles(), bundles)
			}
		})
	}
}
