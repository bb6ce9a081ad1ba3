package resolver_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// BenchmarkObserved shows what it costs to be watched.
func BenchmarkObserved(b *testing.B) {
	for _, bc := range []struct {
		name string
		opts []resolver.Option
	}{
		{"off", nil},
		{"hooks", []resolver.Option{resolver.WithHooks(trace.Hooks{})}},
		{"metrics", []resolver.Option{resolver.WithMetrics(nothing{})}},
		{"logger", []resolver.Option{resolver.WithLogger(slog.New(slog.DiscardHandler))}},
	} {
		b.Run(bc.name, func(b *testing.B) {
			r, req := resolver.New(bc.opts...), request("tracing", "collector")
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Resolve(context.Background(), req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// nothing hears nothing.
type nothing struct{}

func (nothing) Count(context.Context, string, int64, ...slog.Attr)     {}
func (nothing) Gauge(context.Context, string, float64, ...slog.Attr)   {}
func (nothing) Observe(context.Context, string, float64, ...slog.Attr) {}

// TestObservingIsFree: a resolver that nobody watches allocates less than one that
// is, and a logger that is off costs nothing.
func TestObservingIsFree(t *testing.T) {
	req := request("tracing", "collector")
	allocs := func(opts ...resolver.Option) float64 {
		r := resolver.New(opts...)
		return testing.AllocsPerRun(50, func() { must(r.Resolve(context.Background(), req)) })
	}
	off := allocs()
	require.Equal(t, off, allocs(resolver.WithLogger(slog.New(slog.DiscardHandler))), "a logger that is off")
	require.Less(t, off, allocs(resolver.WithHooks((&everything{}).hooks())), "the test sees what is allocated")
	require.Less(t, off, allocs(resolver.WithMetrics(nothing{})))
}
