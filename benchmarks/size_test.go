package benchmarks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/internal/measure"
	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// millionVariable enables the largest size. It needs 2 GB of memory and some
// minutes.
const millionVariable = "RESOLUTE_BENCH_MILLION"

// BenchmarkSize measures every question on catalogs of growing size, of preset
// random. "peak-MB" is the peak resident memory of the process so far: for a
// single size, run that size alone.
func BenchmarkSize(b *testing.B) {
	for _, bundles := range []int{1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("bundles=%d", bundles), func(b *testing.B) {
			if bundles == 1_000_000 && os.Getenv(millionVariable) == "" {
				b.Skip("the largest size needs " + millionVariable)
			}
			cfg, _ := synthetic.Preset("random")
			g := testkit.Must(synthetic.New(cfg.Sized(bundles)))(b)
			req := testkit.Must(g.Request(b.Context()))(b)
			b.Run("load", func(b *testing.B) { benchmarkLoad(b, g) })
			b.Run("resolve", func(b *testing.B) { benchmarkResolve(b, req) })
			b.Run("explain", func(b *testing.B) { benchmarkExplain(b, req) })
			b.Run("what-if", func(b *testing.B) { benchmarkWhatIf(b, req) })
			b.Run("audit", func(b *testing.B) { benchmarkAudit(b, req) })
		})
	}
}

// report reports the metrics of every question, and checks the expected
// answer.
func report(b *testing.B, err error, solves int) {
	b.Helper()
	require.NoError(b, err)
	b.ReportMetric(float64(solves), "solves")
	b.ReportMetric(float64(measure.PeakMemory())/1e6, "peak-MB")
}

func benchmarkLoad(b *testing.B, g *synthetic.Generator) {
	var text bytes.Buffer
	require.NoError(b, g.WriteCatalog(&text, 0))
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	var err error
	for b.Loop() {
		_, err = fbc.Read(b.Context(), bytes.NewReader(text.Bytes()), "catalog.jsonl", fbc.Options{MaxTotalBytes: -1, MaxBlobs: -1})
	}
	report(b, err, 0)
}

func benchmarkResolve(b *testing.B, req resolver.Request) {
	r := resolver.New()
	b.ReportAllocs()
	var sol *resolver.Solution
	var err error
	for b.Loop() {
		sol, err = r.Resolve(b.Context(), req)
	}
	require.NoError(b, err)
	b.ReportMetric(float64(len(sol.Steps)), "set")
	report(b, err, sol.Stats.Solves)
}

// explainLimit limits the explanation of conflicts that involve whole
// catalogs.
const explainLimit = 30 * time.Second

// benchmarkExplain forbids a package that the request requires.
func benchmarkExplain(b *testing.B, req resolver.Request) {
	r := resolver.New()
	sol := testkit.Must(r.Resolve(b.Context(), req))(b)
	ctx, cancel := context.WithTimeout(b.Context(), explainLimit)
	defer cancel()
	req, err := measure.Blocked(ctx, r, req, sol)
	var stopped *resolver.IncompleteError
	if errors.As(err, &stopped) {
		b.Skipf("not explained within %v: %v", explainLimit, err)
	}
	require.NoError(b, err)
	b.ReportAllocs()
	var conflict *resolver.Conflict
	for b.Loop() {
		_, err = r.Resolve(b.Context(), req)
	}
	require.ErrorAs(b, err, &conflict)
	b.ReportMetric(float64(len(conflict.Facts)), "facts")
	report(b, nil, conflict.Stats.Solves)
}

// benchmarkWhatIf measures a session's answer without one of the bundles.
func benchmarkWhatIf(b *testing.B, req resolver.Request) {
	s := testkit.Must(resolver.New().Session(b.Context(), req))(b)
	sol := testkit.Must(s.Resolve(b.Context()))(b)
	b.ReportAllocs()
	solves, i := 0, 0
	for b.Loop() {
		step := sol.Steps[i*7919%len(sol.Steps)]
		i++
		changed, err := s.Resolve(b.Context(), resolver.ForbidBundle{Bundle: resolver.BundleRef{Name: step.Bundle}, Message: "what if not"})
		var conflict *resolver.Conflict
		switch {
		case err == nil:
			solves = changed.Stats.Solves
		case !errors.As(err, &conflict):
			b.Fatal(err)
		}
	}
	report(b, nil, solves)
}

// benchmarkAudit audits the package in the middle.
func benchmarkAudit(b *testing.B, req resolver.Request) {
	var names []string
	for p := range req.Catalogs[0].Content.Packages() {
		names = append(names, p.Name)
	}
	opts := audit.Options{Namespace: req.Namespace, Packages: []string{names[len(names)/2]}, Workers: 1}
	r := resolver.New()
	b.ReportAllocs()
	var sum *audit.Summary
	var err error
	for b.Loop() {
		sum, err = audit.Run(b.Context(), r, req.Catalogs, opts)
	}
	require.NoError(b, err)
	b.ReportMetric(float64(sum.Bundles), "audited")
	report(b, err, 0)
}
