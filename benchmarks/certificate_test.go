//go:build unix

package benchmarks

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/certificate"
)

// BenchmarkCertificate compares resolving requests with making certificates of them and checking
// these: each package of a real catalog, and catalogs of 10,000 and 100,000 bundles.
func BenchmarkCertificate(b *testing.B) {
	run := func(b *testing.B, reqs []resolver.Request) {
		ctx, r := context.Background(), resolver.New()
		var certs []*certificate.Certificate
		var sizes []int
		lemmas, rejected := 0, 0
		for _, req := range reqs {
			cert := testkit.Must(certificate.Make(ctx, r, req))(b)
			certs = append(certs, cert)
			sizes = append(sizes, len(testkit.Must(json.Marshal(cert))(b)))
			lemmas += len(cert.Lemmas)
			for _, d := range cert.Decisions {
				rejected += len(d.Rejected)
			}
		}
		slices.Sort(sizes)
		each := func(do func(i int)) float64 { // the best of some runs over all requests, by request
			best := time.Hour
			for range 5 {
				start := processorTime(b)
				for i := range reqs {
					do(i)
				}
				best = min(best, processorTime(b)-start)
			}
			return float64(best.Microseconds()) / float64(len(reqs))
		}
		for b.Loop() {
		}
		resolving := each(func(i int) {
			var conflict *resolver.Conflict
			if _, err := r.Resolve(ctx, reqs[i]); err != nil && !errors.As(err, &conflict) {
				b.Fatal(err)
			}
		})
		making := each(func(i int) { require.NoError(b, second(certificate.Make(ctx, r, reqs[i]))) })
		checking := each(func(i int) { require.NoError(b, certificate.Check(ctx, reqs[i], certs[i])) })
		b.ReportMetric(resolving, "µs-resolve")
		b.ReportMetric(making, "µs-make")
		b.ReportMetric(checking, "µs-check")
		b.ReportMetric(float64(sizes[len(sizes)/2]), "median-bytes")
		b.ReportMetric(float64(lemmas), "lemmas")
		b.ReportMetric(float64(rejected), "rejected")
	}
	b.Run("real", func(b *testing.B) {
		c := realCatalog(b)
		var reqs []resolver.Request
		for p := range c.Packages() {
			req := subscribe(c, p.Name)
			req.Subscriptions[0].Channels = []string{p.DefaultChannel}
			reqs = append(reqs, req)
		}
		run(b, reqs)
	})
	for _, size := range []int{10_000, 100_000} {
		for _, preset := range synthetic.Presets() {
			b.Run(preset+"-"+map[int]string{10_000: "10k", 100_000: "100k"}[size], func(b *testing.B) {
				cfg, _ := synthetic.Preset(preset)
				g := testkit.Must(synthetic.New(cfg.Sized(size)))(b)
				req := testkit.Must(g.Request(context.Background()))(b)
				run(b, []resolver.Request{req})
			})
		}
	}
}

func second[T any](_ T, err error) error { return err }

// processorTime is what the process has used so far, which other processes change less than the time of
// the clock.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
