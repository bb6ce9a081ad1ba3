package metrics

import (
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// gathered renders a registry, one series per line.
func gathered(t *testing.T, registry *prometheus.Registry) string {
	t.Helper()
	families, err := registry.Gather()
	require.NoError(t, err)
	var b strings.Builder
	for _, f := range families {
		for _, m := range f.GetMetric() {
			fmt.Fprintf(&b, "%s", f.GetName())
			for _, l := range m.GetLabel() {
				fmt.Fprintf(&b, " %s=%q", l.GetName(), l.GetValue())
			}
			switch {
			case m.GetCounter() != nil:
				fmt.Fprintf(&b, " counter %g\n", m.GetCounter().GetValue())
			case m.GetGauge() != nil:
				fmt.Fprintf(&b, " gauge %g\n", m.GetGauge().GetValue())
			default:
				h := m.GetHistogram()
				fmt.Fprintf(&b, " histogram %d %g in %d\n", h.GetSampleCount(), h.GetSampleSum(), len(h.GetBucket()))
			}
		}
	}
	return b.String()
}

func TestPrometheus(t *testing.T) {
	registry := prometheus.NewRegistry()
	p := NewPrometheus(registry)
	ctx := t.Context()
	loads := func(n int64, attrs ...slog.Attr) { p.Count(ctx, "resolute_cache_loads_total", n, attrs...) }
	loads(1, slog.String("catalog", "olm/a"), slog.String("outcome", "changed"))
	loads(2, slog.String("outcome", "changed"), slog.String("catalog", "olm/a"))
	loads(1, slog.String("catalog", "olm/b"))
	loads(1, slog.String("catalog", "olm/a"), slog.String("outcome", "changed"), slog.Int("more", 3))
	loads(-7, slog.String("catalog", "olm/a"), slog.String("outcome", "changed"))
	p.Gauge(ctx, "resolute_cache_catalog_bundles", 7, slog.String("catalog", "olm/a"))
	p.Gauge(ctx, "resolute_cache_catalog_bundles", 8, slog.String("catalog", "olm/b"))
	p.Gauge(ctx, "resolute_cache_catalog_bundles", math.NaN(), slog.String("catalog", "olm/a"))
	p.Observe(ctx, "resolute_resolver_solve_duration_seconds", 0.5)
	p.Observe(ctx, "resolute_resolver_solve_duration_seconds", 0.25)
	p.Observe(ctx, "resolute_resolver_reached_bundles", 3, slog.Bool("odd-label", true), slog.String("x", "\xff"))
	require.Equal(t, strings.Join([]string{
		`resolute_cache_catalog_bundles catalog="olm/b" gauge 8`,
		`resolute_cache_loads_total catalog="olm/a" outcome="changed" counter 4`,
		`resolute_cache_loads_total catalog="olm/b" outcome="" counter 1`,
		`resolute_resolver_reached_bundles odd_label="true" x="` + "\uFFFD" + `" histogram 1 3 in 9`,
		`resolute_resolver_solve_duration_seconds histogram 2 0.75 in 13`,
		"",
	}, "\n"), gathered(t, registry))
}

// Invalid measurements are ignored.
func TestPrometheusMisused(t *testing.T) {
	registry := prometheus.NewRegistry()
	p := NewPrometheus(registry)
	p.Count(t.Context(), "a_total", 1)
	p.Gauge(t.Context(), "a_total", 5)
	p.Observe(t.Context(), "a_total", 5)
	p.Count(t.Context(), "9 lives", 1, slog.String("", "x"))
	p.Count(t.Context(), "b_total", 1, slog.String("le", "x"), slog.String("le", "y"))
	p.Observe(t.Context(), "c_seconds", 1, slog.String("le", "reserved"))
	require.Contains(t, gathered(t, registry), "a_total counter 1\n")
}

func TestPrometheusAtOnce(t *testing.T) {
	registry := prometheus.NewRegistry()
	p := NewPrometheus(registry)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 500 {
				p.Count(t.Context(), "a_total", 1, slog.String("x", "y"))
			}
		})
	}
	all.Wait()
	require.Equal(t, "a_total x=\"y\" counter 4000\n", gathered(t, registry))
}
