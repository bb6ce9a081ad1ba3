package benchmarks

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// realCatalog reads a whole real catalog.
func realCatalog(b testing.TB) *cache.Catalog {
	b.Helper()
	const name = "community-all.jsonl.gz"
	return testkit.Must(fbc.Load(context.Background(), testkit.Data(b, name), fbc.Options{File: name}))(b)
}

// syntheticCatalog returns the catalog of a preset.
func syntheticCatalog(b testing.TB, preset string, change func(*synthetic.Config)) *cache.Catalog {
	b.Helper()
	cfg, ok := synthetic.Preset(preset)
	require.True(b, ok)
	if change != nil {
		change(&cfg)
	}
	g := testkit.Must(synthetic.New(cfg))(b)
	var buf bytes.Buffer
	require.NoError(b, g.WriteCatalog(&buf, 0))
	return testkit.Must(fbc.Read(context.Background(), &buf, preset+".jsonl", fbc.Options{}))(b)
}

func subscribe(c *cache.Catalog, packages ...string) resolver.Request {
	req := resolver.Request{Namespace: "bench", Catalogs: []resolver.Catalog{
		{Key: cache.Key{Namespace: "bench", Name: "catalog"}, Content: c}}}
	for _, p := range packages {
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: p, Package: p})
	}
	return req
}

// BenchmarkResolveSynthetic pulls in some 700 of 10,000 bundles.
func BenchmarkResolveSynthetic(b *testing.B) {
	for _, preset := range []struct {
		name   string
		change func(*synthetic.Config)
	}{
		{"random", nil},
		{"chain", nil},
		{"cel-heavy", nil},
		{"random", func(c *synthetic.Config) { c.ConflictDensity = 0.05 }},
	} {
		name := preset.name
		if preset.change != nil {
			name += "-conflicts"
		}
		b.Run(name, func(b *testing.B) {
			req := subscribe(syntheticCatalog(b, preset.name, preset.change), synthetic.PackageName(999))
			r, ctx := resolver.New(), context.Background()
			b.ReportAllocs()
			var sol *resolver.Solution
			var err error
			for b.Loop() {
				sol, err = r.Resolve(ctx, req)
			}
			require.NoError(b, err)
			b.ReportMetric(float64(len(sol.Steps)), "bundles")
			b.ReportMetric(float64(sol.Stats.Solves), "solves")
		})
	}
}

// BenchmarkResolveReal subscribes to the default channel of each package of a
// real catalog in turn. Beside the mean, it reports the median and the maximum
// of the packages, each the minimum of five runs.
func BenchmarkResolveReal(b *testing.B) {
	c := realCatalog(b)
	r, ctx := resolver.New(), context.Background()
	var reqs []resolver.Request
	for p := range c.Packages() {
		req := subscribe(c, p.Name)
		req.Subscriptions[0].Channels = []string{p.DefaultChannel}
		reqs = append(reqs, req)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, req := range reqs {
			var conflict *resolver.Conflict
			if _, err := r.Resolve(ctx, req); err != nil && !errors.As(err, &conflict) {
				b.Fatal(err)
			}
		}
	}
	b.StopTimer()
	var times []time.Duration
	for _, req := range reqs {
		best := time.Hour
		for range 5 {
			start := time.Now()
			_, _ = r.Resolve(ctx, req)
			best = min(best, time.Since(start))
		}
		times = append(times, best)
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "median-ns")
	b.ReportMetric(float64(times[len(times)-1].Nanoseconds()), "worst-ns")
}

// audited are catalogs whose upgrade paths go through deep dependencies, of about 1,000 bundles.
var audited = []string{"random", "fleet"}

// auditOf prepares the audit of a preset with one worker.
func auditOf(b testing.TB, preset string) (bundles int, run func()) {
	b.Helper()
	cfg, ok := synthetic.Preset(preset)
	require.True(b, ok)
	g := testkit.Must(synthetic.New(cfg.Sized(1000)))(b)
	req := testkit.Must(g.Request(context.Background()))(b)
	for _, c := range req.Catalogs {
		bundles += c.Content.Len()
	}
	return bundles, func() {
		sum, err := audit.Run(context.Background(), resolver.New(), req.Catalogs, audit.Options{Workers: 1})
		require.NoError(b, err)
		require.Equal(b, bundles, sum.Bundles)
	}
}

// BenchmarkAudit audits catalogs and reports the cost per bundle.
func BenchmarkAudit(b *testing.B) {
	for _, preset := range audited {
		b.Run(preset, func(b *testing.B) {
			bundles, run := auditOf(b, preset)
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*bundles), "ns/bundle")
		})
	}
}

// TestAuditResolvesLittle: the upgrade paths of these catalogs need no
// resolution, which would take hundreds of allocations each.
func TestAuditResolvesLittle(t *testing.T) {
	for _, preset := range audited {
		t.Run(preset, func(t *testing.T) {
			bundles, run := auditOf(t, preset)
			require.Less(t, testing.AllocsPerRun(1, run)/float64(bundles), 100.0, "allocations for a bundle")
		})
	}
}

// BenchmarkExtension resolves an OLM v1 extension to a package of 31 versions:
// any version, a range, and an upgrade from an older one.
func BenchmarkExtension(b *testing.B) {
	const pkg, from = "argocd-operator", "argocd-operator.v0.8.0"
	c := realCatalog(b)
	for _, bench := range []struct{ name, within, installed string }{
		{"any", "", ""}, {"range", ">=0.1.0, <9", ""}, {"upgrade", ">=0.1.0, <9", from},
	} {
		b.Run(bench.name, func(b *testing.B) {
			req := subscribe(c)
			req.Extensions = []resolver.Extension{{Name: "x", Package: pkg, VersionRange: bench.within, InstalledCSV: bench.installed}}
			if bench.installed != "" {
				req.Installed = []resolver.Installed{{Name: from, Package: pkg}}
			}
			r, ctx := resolver.New(), context.Background()
			b.ReportAllocs()
			for b.Loop() {
				_, err := r.Resolve(ctx, req)
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkExplain explains conflicts: on the real catalog for the packages
// that have no solution alone, on a synthetic one for a conflict ten
// requirements deep.
func BenchmarkExplain(b *testing.B) {
	b.Run("real", func(b *testing.B) {
		c := realCatalog(b)
		for _, pkg := range []string{"shipwright-operator", "l5-operator", "assisted-service-operator"} {
			b.Run(pkg, func(b *testing.B) {
				req := subscribe(c, pkg)
				req.Subscriptions[0].Channels = []string{c.Package(pkg).DefaultChannel}
				benchmarkConflict(b, req)
			})
		}
	})
	b.Run("deep", func(b *testing.B) {
		c := syntheticCatalog(b, "chain", nil)
		req := subscribe(c, synthetic.PackageName(10))
		for _, id := range c.InPackage(synthetic.PackageName(0)) {
			req.Forbid = append(req.Forbid, resolver.Forbidden{
				Bundle: resolver.BundleRef{Name: c.Bundle(id).Name}, Message: "not here"})
		}
		benchmarkConflict(b, req)
	})
}

func benchmarkConflict(b *testing.B, req resolver.Request) {
	r, ctx := resolver.New(), context.Background()
	var err error
	b.ReportAllocs()
	for b.Loop() {
		_, err = r.Resolve(ctx, req)
	}
	conflict := testkit.As[*resolver.Conflict](b, err)
	b.ReportMetric(float64(len(conflict.Facts)), "facts")
}

// BenchmarkWhatIf drops one subscription of twenty on the real catalog.
func BenchmarkWhatIf(b *testing.B) {
	c := realCatalog(b)
	r, ctx := resolver.New(), context.Background()
	var packages []string
	req := subscribe(c)
	for p := range c.Packages() { // twenty compatible packages
		try := subscribe(c, append(slices.Clone(packages), p.Name)...)
		if _, err := r.Resolve(ctx, try); err == nil {
			packages, req = append(packages, p.Name), try
		}
		if len(packages) == 20 {
			break
		}
	}
	s := testkit.Must(r.Session(ctx, req))(b)
	b.ReportAllocs()
	i, err := 0, error(nil)
	for b.Loop() {
		_, err = s.Resolve(ctx, resolver.DropSubscription{Subscription: packages[i%20]})
		i++
	}
	require.NoError(b, err)
}
