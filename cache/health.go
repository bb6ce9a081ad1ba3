package cache

import (
	"encoding/json"
	"log/slog"
	"time"

	"github.com/seed109e2655/resolute/graph"
)

// Health is how one source of a [Cache] fares. It renders as JSON, times in RFC
// 3339 and durations in seconds, what is unknown left out; and as a group of
// slog, the problems only counted.
type Health struct {
	// Key names the catalog.
	Key Key
	// Priority is that of the configuration.
	Priority int
	// Available reports whether snapshots serve the catalog without an error.
	Available bool
	// Warm reports that the content is from a [Warmer], an earlier process, and
	// no load has confirmed or replaced it yet.
	Warm bool
	// Loading reports that a load is under way.
	Loading bool
	// LastSuccess is when a load last succeeded, zero if none has.
	LastSuccess time.Time
	// Age is the time since LastSuccess, or zero.
	Age time.Duration
	// LastError is the last failure, also when it is over, and LastFailure is
	// when it was.
	LastError   error
	LastFailure time.Time
	// Failures is how many loads failed in a row, and FailingSince is when the
	// first of them did.
	Failures     int
	FailingSince time.Time
	// Next is when the next load is due; zero if none is, or one is under way.
	Next time.Time
	// Digest is that of the content served, or empty; Loaded is
	// when it came first, and Modified when the far end says it changed.
	Digest   string
	Loaded   time.Time
	Modified time.Time
	// Packages and Bundles are how many the content has.
	Packages, Bundles int
	// Problems are those of the content. The slice is shared: do not modify
	// it.
	Problems []graph.Problem
}

// Health returns how the sources fare, by key; nothing once the cache is
// closed.
func (c *Cache) Health() []Health {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	out := make([]Health, len(c.order))
	for i, e := range c.order {
		out[i] = e.health(now)
	}
	return out
}

func (e *entry) health(now time.Time) Health {
	h := Health{
		Key: e.cfg.Key, Priority: e.priority,
		Available: e.available(), Warm: e.warm, Loading: e.loading,
		LastSuccess: e.success, LastError: e.lastErr, LastFailure: e.failedAt,
		Failures: e.failures, Next: e.next,
	}
	if !e.success.IsZero() {
		h.Age = now.Sub(e.success)
	}
	if e.problem != nil {
		h.FailingSince = e.problem.Since
	}
	if e.served != nil {
		h.Digest, h.Loaded, h.Modified = e.served.Digest, e.loaded, e.last.Modified
		h.Packages, h.Bundles = len(e.served.Catalog.packages), e.served.Catalog.Len()
		h.Problems = e.served.Catalog.Problems()
	}
	return h
}

// healthJSON is how Health renders. The names are stable.
type healthJSON struct {
	Catalog      string          `json:"catalog"`
	Priority     int             `json:"priority"`
	Available    bool            `json:"available"`
	Warm         bool            `json:"warm,omitempty"`
	Loading      bool            `json:"loading,omitempty"`
	LastSuccess  time.Time       `json:"lastSuccess,omitzero"`
	Age          float64         `json:"ageSeconds,omitempty"`
	LastError    string          `json:"lastError,omitempty"`
	LastFailure  time.Time       `json:"lastFailure,omitzero"`
	Failures     int             `json:"failures,omitempty"`
	FailingSince time.Time       `json:"failingSince,omitzero"`
	Next         time.Time       `json:"next,omitzero"`
	Digest       string          `json:"digest,omitempty"`
	Loaded       time.Time       `json:"loaded,omitzero"`
	Modified     time.Time       `json:"modified,omitzero"`
	Packages     int             `json:"packages"`
	Bundles      int             `json:"bundles"`
	Problems     []graph.Problem `json:"problems,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (h Health) MarshalJSON() ([]byte, error) {
	j := healthJSON{
		Catalog: h.Key.String(), Priority: h.Priority, Available: h.Available, Warm: h.Warm, Loading: h.Loading,
		LastSuccess: h.LastSuccess.UTC(), Age: h.Age.Seconds(), LastFailure: h.LastFailure.UTC(),
		Failures: h.Failures, FailingSince: h.FailingSince.UTC(), Next: h.Next.UTC(),
		Digest: h.Digest, Loaded: h.Loaded.UTC(), Modified: h.Modified.UTC(),
		Packages: h.Packages, Bundles: h.Bundles, Problems: h.Problems,
	}
	if h.LastError != nil {
		j.LastError = h.LastError.Error()
	}
	return json.Marshal(j)
}

// LogValue implements [slog.LogValuer].
func (h Health) LogValue() slog.Value {
	attrs := []slog.Attr{
		slog.String("catalog", h.Key.String()), slog.Int("priority", h.Priority),
		slog.Bool("available", h.Available), slog.Bool("warm", h.Warm), slog.Bool("loading", h.Loading),
	}
	timed := func(name string, t time.Time) {
		if !t.IsZero() {
			attrs = append(attrs, slog.Time(name, t))
		}
	}
	timed("lastSuccess", h.LastSuccess)
	if !h.LastSuccess.IsZero() {
		attrs = append(attrs, slog.Duration("age", h.Age))
	}
	timed("lastFailure", h.LastFailure)
	if h.LastError != nil {
		attrs = append(attrs, slog.Any("lastError", h.LastError))
	}
	attrs = append(attrs, slog.Int("failures", h.Failures))
	timed("failingSince", h.FailingSince)
	timed("next", h.Next)
	if h.Digest != "" {
		attrs = append(attrs, slog.String("digest", h.Digest))
	}
	timed("loaded", h.Loaded)
	timed("modified", h.Modified)
	attrs = append(attrs, slog.Int("packages", h.Packages), slog.Int("bundles", h.Bundles), slog.Int("problems", len(h.Problems)))
	return slog.GroupValue(attrs...)
}
