package cache

import (
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/graph"
)

// Health is the state of one source of a [Cache]. Its JSON has times in RFC 3339 and durations
// in seconds, and omits unknown values; its slog group has only the number of problems.
type Health struct {
	// Key names the catalog.
	Key Key `json:"catalog"`
	// Priority is the priority of the source.
	Priority int `json:"priority"`
	// Available reports whether snapshots serve the catalog without an error.
	Available bool `json:"available"`
	// Warm reports that the content comes from a [Warmer], an earlier process, and that no load
	// has confirmed or replaced it yet.
	Warm bool `json:"warm,omitempty"`
	// Loading reports that a load is in progress.
	Loading bool `json:"loading,omitempty"`
	// LastSuccess is when a load last succeeded, zero if none has.
	LastSuccess time.Time `json:"lastSuccess,omitzero"`
	// Age is the time since LastSuccess, or zero.
	Age time.Duration `json:"-"`
	// LastError is the last failure, even after a success, and LastFailure is when it occurred.
	LastError   error     `json:"-"`
	LastFailure time.Time `json:"lastFailure,omitzero"`
	// Failures is the number of consecutive failed loads, and FailingSince is when the first of
	// them ended.
	Failures     int       `json:"failures,omitempty"`
	FailingSince time.Time `json:"failingSince,omitzero"`
	// Next is when the next load is due; zero if none is scheduled or one is in progress.
	Next time.Time `json:"next,omitzero"`
	// Digest is the digest of the content, or empty; Loaded is when it was first loaded, and
	// Modified when the server says it changed.
	Digest   string    `json:"digest,omitempty"`
	Loaded   time.Time `json:"loaded,omitzero"`
	Modified time.Time `json:"modified,omitzero"`
	// Packages and Bundles are the numbers of packages and bundles.
	Packages int `json:"packages"`
	Bundles  int `json:"bundles"`
	// Problems are the problems of the content. The slice is shared: do not modify it.
	Problems []graph.Problem `json:"problems,omitempty"`
}

// Health returns the state of the sources by key; nothing once the cache is closed.
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

// LogValue implements [slog.LogValuer], with the names used in JSON.
func (h Health) LogValue() slog.Value {
	problems := len(h.Problems)
	h.Problems = nil
	members := map[string]any{}
	text, err := json.Marshal(h)
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	if err != nil { // impossible: it has only strings, numbers and times
		return slog.AnyValue(err)
	}
	members["problems"] = problems
	attrs := make([]slog.Attr, 0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		attrs = append(attrs, slog.Any(name, members[name]))
	}
	return slog.GroupValue(attrs...)
}
