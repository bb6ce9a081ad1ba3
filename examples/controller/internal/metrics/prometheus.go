// Package metrics exports the library's metrics to Prometheus.
package metrics

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/seed109e2655/resolute/cache"
)

// Prometheus implements [cache.Metrics], also for a resolver, with a registry.
// The library's names are valid in Prometheus, and its attributes become
// labels. A metric is registered at its first measurement, with the labels of
// that measurement. It is safe for concurrent use.
type Prometheus struct {
	registry prometheus.Registerer

	mu      sync.Mutex
	metrics map[string]*metric
}

// metric is a metric of one of three kinds. The other vectors are nil, or all
// if the registry rejected it.
type metric struct {
	labels    []string
	counter   *prometheus.CounterVec
	gauge     *prometheus.GaugeVec
	histogram *prometheus.HistogramVec
}

var _ cache.Metrics = (*Prometheus)(nil)

// NewPrometheus returns an adapter that registers metrics with registry.
func NewPrometheus(registry prometheus.Registerer) *Prometheus {
	return &Prometheus{registry: registry, metrics: make(map[string]*metric)}
}

// Count adds to a counter.
func (p *Prometheus) Count(_ context.Context, name string, n int64, attrs ...slog.Attr) {
	m := p.metric(name, attrs, func(m *metric, opts prometheus.Opts) prometheus.Collector {
		m.counter = prometheus.NewCounterVec(prometheus.CounterOpts(opts), m.labels)
		return m.counter
	})
	if m.counter != nil && n >= 0 {
		m.counter.WithLabelValues(m.values(attrs)...).Add(float64(n))
	}
}

// Gauge sets a value, or deletes it if it is NaN.
func (p *Prometheus) Gauge(_ context.Context, name string, v float64, attrs ...slog.Attr) {
	m := p.metric(name, attrs, func(m *metric, opts prometheus.Opts) prometheus.Collector {
		m.gauge = prometheus.NewGaugeVec(prometheus.GaugeOpts(opts), m.labels)
		return m.gauge
	})
	switch {
	case m.gauge == nil:
	case math.IsNaN(v):
		m.gauge.DeleteLabelValues(m.values(attrs)...)
	default:
		m.gauge.WithLabelValues(m.values(attrs)...).Set(v)
	}
}

// Observe adds a value to a histogram.
func (p *Prometheus) Observe(_ context.Context, name string, v float64, attrs ...slog.Attr) {
	m := p.metric(name, attrs, func(m *metric, opts prometheus.Opts) prometheus.Collector {
		h := prometheus.HistogramOpts{Name: opts.Name, Help: opts.Help}
		// Bundles, bytes etc.: from one to a hundred million.
		h.Buckets = prometheus.ExponentialBuckets(1, 10, 9)
		if strings.HasSuffix(name, "_seconds") {
			// Seconds: from a tenth of a millisecond to 100 s.
			h.Buckets = prometheus.ExponentialBucketsRange(1e-4, 100, 13)
		}
		m.histogram = prometheus.NewHistogramVec(h, m.labels)
		return m.histogram
	})
	if m.histogram != nil {
		m.histogram.WithLabelValues(m.values(attrs)...).Observe(v)
	}
}

// metric returns the metric of a name, creating it if needed. A name of
// another kind, or one that the registry rejects, is ignored.
func (p *Prometheus) metric(name string, attrs []slog.Attr, create func(*metric, prometheus.Opts) prometheus.Collector) *metric {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.metrics[name]; m != nil {
		return m
	}
	m := new(metric)
	for _, a := range attrs {
		m.labels = append(m.labels, label(a.Key))
	}
	slices.Sort(m.labels)
	m.labels = slices.Compact(m.labels)
	opts := prometheus.Opts{Name: inert(name), Help: "See the package of resolute that measures it."}
	if err := p.registry.Register(create(m, opts)); err != nil {
		m = new(metric)
	}
	p.metrics[name] = m
	return m
}

// values returns the values of the metric's labels. Missing labels are empty,
// and unknown attributes are dropped.
func (m *metric) values(attrs []slog.Attr) []string {
	out := make([]string, len(m.labels))
	for _, a := range attrs {
		if i, found := slices.BinarySearch(m.labels, label(a.Key)); found {
			out[i] = strings.ToValidUTF8(a.Value.String(), "\uFFFD")
		}
	}
	return out
}

// label returns a valid label name. Histograms reserve one name.
func label(name string) string {
	if name == "le" {
		return "le_"
	}
	return inert(name)
}

// inert returns a valid Prometheus name.
func inert(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}
