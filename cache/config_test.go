package cache_test

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestConfigErrors: every mistake is reported, all at once.
func TestConfigErrors(t *testing.T) {
	source := cache.NewMemory(numbered(1).Catalog)
	good := cache.SourceConfig{Key: community, Source: source}
	with := func(change func(*cache.SourceConfig)) cache.Config {
		s := good
		change(&s)
		return cache.Config{Sources: []cache.SourceConfig{s}}
	}
	tests := []struct {
		name, field, want string
		cfg               cache.Config
	}{
		{"parallel", "Parallel", "cache: Parallel: -1 is negative: set it to 0 for the default of 4", cache.Config{Parallel: -1}},
		{"grace", "Grace", "cache: Grace: -1s is negative: set it to 0 for the default of 5s", cache.Config{Grace: -time.Second}},
		{"twice", "Key", "source olm/community (number 2): Key: source number 1 already has this key: keys must be unique", cache.Config{Sources: []cache.SourceConfig{good, good}}},
		{"no key", "Key", "source / (number 1): Key: a key needs a namespace and a name, both without a slash, for example olm and community", with(func(s *cache.SourceConfig) { s.Key = cache.Key{} })},
		{"half a key", "Key", "source /x (number 1): Key: a key needs a namespace and a name, both without a slash, for example olm and community", with(func(s *cache.SourceConfig) { s.Key = cache.Key{Name: "x"} })},
		{"slash", "Key", "source a/b/c (number 1): Key: a key needs a namespace and a name, both without a slash, for example olm and community", with(func(s *cache.SourceConfig) { s.Key = cache.Key{Namespace: "a/b", Name: "c"} })},
		{"no source", "Source", "source olm/community (number 1): Source: it is missing: set it to the source of the catalog", with(func(s *cache.SourceConfig) { s.Source = nil })},
		{"jitter", "Jitter", "source olm/community (number 1): Jitter: 1.5 is out of range: set a fraction of Refresh from 0 to 1, or a negative number for no jitter", with(func(s *cache.SourceConfig) { s.Jitter = 1.5 })},
		{"jitter NaN", "Jitter", "source olm/community (number 1): Jitter: NaN is out of range: set a fraction of Refresh from 0 to 1, or a negative number for no jitter", with(func(s *cache.SourceConfig) { s.Jitter = math.NaN() })},
		{"timeout", "Timeout", "source olm/community (number 1): Timeout: -1ns is negative: set it to 0 for the default of 2m0s", with(func(s *cache.SourceConfig) { s.Timeout = -1 })},
		{"backoff min", "Backoff.Min", "source olm/community (number 1): Backoff.Min: -1ns is negative: set it to 0 for the default of 1s", with(func(s *cache.SourceConfig) { s.Backoff.Min = -1 })},
		{"backoff max", "Backoff.Max", "source olm/community (number 1): Backoff.Max: -1ns is negative: set it to 0 for the default of 5m0s", with(func(s *cache.SourceConfig) { s.Backoff.Max = -1 })},
		{"backoff", "Backoff", "source olm/community (number 1): Backoff: Min 2s exceeds Max 1s: swap them", with(func(s *cache.SourceConfig) { s.Backoff = cache.Backoff{Min: 2 * time.Second, Max: time.Second} })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := cache.New(tt.cfg)
			require.Nil(t, c)
			require.Equal(t, tt.field, testkit.As[*cache.ConfigError](t, err).Field)
			require.EqualError(t, err, tt.want)
		})
	}
	_, err := cache.New(cache.Config{Parallel: -1, Sources: []cache.SourceConfig{{Key: community, Timeout: -1}}})
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	require.Len(t, joined.Unwrap(), 3)
	_, err = cache.New(cache.Config{Sources: []cache.SourceConfig{good, good, good, {Key: certified}}})
	require.ErrorContains(t, err, "(number 2): Key: source number 1 already has this key")
	require.ErrorContains(t, err, "(number 3): Key: source number 1 already has this key")
	require.ErrorContains(t, err, "source olm/certified (number 4): Source: it is missing")

	c := testkit.Must(cache.New(cache.Config{}))(t)
	defer func() { require.NoError(t, c.Close()) }()
	require.EqualError(t, c.Add(cache.SourceConfig{Key: certified}), "source olm/certified: Source: it is missing: set it to the source of the catalog")
}

// TestBackoffDefaults: setting one bound moves the other if necessary.
func TestBackoffDefaults(t *testing.T) {
	tests := []struct {
		given   cache.Backoff
		lo, hi  time.Duration // between the first two loads
		longest time.Duration
	}{
		{cache.Backoff{}, time.Second, 2 * time.Second, 5 * time.Minute},
		{cache.Backoff{Min: time.Hour}, time.Hour, time.Hour, time.Hour},
		{cache.Backoff{Min: time.Minute}, time.Minute, 2 * time.Minute, 5 * time.Minute},
		{cache.Backoff{Max: time.Millisecond}, time.Millisecond, time.Millisecond, time.Millisecond},
		{cache.Backoff{Max: math.MaxInt64}, time.Second, 2 * time.Second, math.MaxInt64},
	}
	for _, tt := range tests {
		bubble(t, func(t *testing.T) {
			s := scripted(fails(errors.New("broken")))
			c := one(t, cache.SourceConfig{Source: s, Backoff: tt.given})
			for range 100 {
				synctest.Wait()
				if next := health(t, c, community).Next; !next.IsZero() && time.Until(next) < 24*time.Hour {
					time.Sleep(time.Until(next))
				}
			}
			gaps := s.gaps()
			require.NotEmpty(t, gaps)
			require.GreaterOrEqual(t, gaps[0], tt.lo)
			require.LessOrEqual(t, gaps[0], tt.hi)
			for _, gap := range gaps {
				require.LessOrEqual(t, gap, tt.longest)
			}
		})
	}
}
