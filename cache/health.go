package cache

import (
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/graph"
)

// Health is how one source of a [Cache] fares. It renders as JSON, times in RFC
// 3339 and durations in seconds, what is unknown left out; and as a group of
// slog, the problems only counted.
type Health struct {
	// Key names the catalog.
	Key Key `json:"catalog"`
	// Priority is that of the configuration.
	Priority int `json:"priority"`
	// Available reports whether snapshots serve the catalog without an error.
	Available bool `json:"available"`
	// Warm reports that the content is from a [Warmer], an earlier process, and
	// no load has confirmed or replaced it yet.
	Warm bool `json:"warm,omitempty"`
	// Loading reports that a load is under way.
	Loading bool `json:"loading,omitempty"`
	// LastSuccess is when a load last succeeded, zero if none has.
	LastSuccess time.Time `json:"lastSuccess,omitzero"`
	// Age is the time since LastSuccess, or zero.
	Age time.Duration `json:"-"`
	// LastError is the last failure, also when it is over, and LastFailure is
	// when it was.
	LastError   error     `json:"-"`
	LastFailure time.Time `json:"lastFailure,omitzero"`
	// Failures is how many loads failed in a row, and FailingSince is when the
	// first of them did.
	Failures     int       `json:"failures,omitempty"`
	FailingSince time.Time `json:"failingSince,omitzero"`
	// Next is when the next load is due; zero if none is, or one is under way.
	Next time.Time `json:"next,omitzero"`
	// Digest is that of the content served, or empty; Loaded is
	// when it came first, and Modified when the far end says it changed.
	Digest   string    `json:"digest,omitempty"`
	Loaded   time.Time `json:"loaded,omitzero"`
	Modified time.Time `json:"modified,omitzero"`
	// Packages and Bundles are how many the content has.
	Packages int `json:"packages"`
	Bundles  int `json:"bundles"`
	// Problems are those of the content. The slice is shared: do not modify
	// it.
	Problems []graph.Problem `json:"problems,omitempty"`
}

// Health returns how the sources fare, by key; nothing once the cache is
// closed.
func (c *Cache) Health() []Health {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	out := make([]Health, 0, len(c.entries))
	for _, e := range c.sorted() {
		out = append(out, e.health(now))
	}
	return out
}

func (e *entry) health(now time.Time) Health {
	h := Health{
		Key: e.cfg.Key, Priority: e.priority,
		Available: e.available(), Warm: e.served != nil && e.success.IsZero(), Loading: e.load != nil,
		LastSuccess: e.success, LastError: e.lastErr, LastFailure: e.failedAt,
		Failures: e.failures(), Next: e.next,
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

// MarshalJSON implements [json.Marshaler].
func (h Health) MarshalJSON() ([]byte, error) {
	type plain Health
	j := struct {
		plain
		Age       float64 `json:"ageSeconds,omitempty"`
		LastError string  `json:"lastError,omitempty"`
	}{plain: plain(h), Age: h.Age.Seconds()}
	for _, t := range []*time.Time{&j.LastSuccess, &j.LastFailure, &j.FailingSince, &j.Next, &j.Loaded, &j.Modified} {
		*t = t.UTC()
	}
	if h.LastError != nil {
		j.LastError = h.LastError.Error()
	}
	return json.Marshal(j)
}

// LogValue implements [slog.LogValuer], with the names that JSON has.
func (h Health) LogValue() slog.Value {
	problems := len(h.Problems)
	h.Problems = nil
	members := map[string]any{}
	text, err := json.Marshal(h)
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	if err != nil { // cannot be: it consists of texts, numbers and times
		return slog.AnyValue(err)
	}
	members["problems"] = problems
	attrs := make([]slog.Attr, 0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		attrs = append(attrs, slog.Any(name, members[name]))
	}
	return slog.GroupValue(attrs...)
}
