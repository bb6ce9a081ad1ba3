package cache_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestRefreshOnSchedule: the next load begins Refresh after the end of the previous one, plus
// or minus Jitter.
func TestRefreshOnSchedule(t *testing.T) {
	tests := []struct {
		name            string
		refresh         time.Duration
		jitter          float64
		lo, hi          time.Duration
		differ, forever bool
	}{
		{name: "default", lo: 9 * time.Minute, hi: 11 * time.Minute, differ: true},
		{name: "exact", refresh: time.Minute, jitter: -1, lo: time.Minute, hi: time.Minute},
		{name: "jitter", refresh: time.Minute, jitter: 0.5, lo: 30 * time.Second, hi: 90 * time.Second, differ: true},
		{name: "never", refresh: -1, forever: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				const work = 3 * time.Second
				s := scripted(takes(work, numbered(1)))
				c := one(t, cache.SourceConfig{Source: s, Refresh: tt.refresh, Jitter: tt.jitter})
				time.Sleep(24 * time.Hour)
				if tt.forever {
					require.Len(t, s.loads(), 1)
					require.Zero(t, health(t, c, community).Next)
					return
				}
				gaps := s.gaps()
				require.Greater(t, len(gaps), 100)
				differ := false
				for _, gap := range gaps {
					require.GreaterOrEqual(t, gap-work, tt.lo)
					require.LessOrEqual(t, gap-work, tt.hi)
					differ = differ || gap != gaps[0]
				}
				require.Equal(t, tt.differ, differ)
				if health(t, c, community).Loading {
					time.Sleep(work + time.Second)
				}
				next := time.Until(health(t, c, community).Next)
				require.Positive(t, next)
				require.LessOrEqual(t, next, tt.hi)
				require.Equal(t, uint64(2), see2(t, c).Version(), "nothing changed after the first load")
			})
		})
	}
}

// see2 returns the snapshot.
func see2(t *testing.T, c *cache.Cache) *cache.Snapshot {
	return testkit.Must(c.Snapshot(t.Context()))(t)
}

// TestBackoff: the delay between failures doubles up to Max, and a success resets it.
func TestBackoff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(fails(errors.New("no route to host")))
		c := one(t, cache.SourceConfig{
			Source: s, Refresh: time.Hour, Jitter: -1,
			Backoff: cache.Backoff{Min: time.Second, Max: 20 * time.Second},
		})
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		bounds := []struct{ lo, hi time.Duration }{
			{time.Second, 2 * time.Second},
			{2 * time.Second, 4 * time.Second},
			{4 * time.Second, 8 * time.Second},
			{8 * time.Second, 16 * time.Second},
			{10 * time.Second, 20 * time.Second},
		}
		gaps := s.gaps()
		require.Greater(t, len(gaps), 20)
		drawn := map[time.Duration]bool{}
		for i, gap := range gaps {
			b := bounds[min(i, len(bounds)-1)]
			require.GreaterOrEqual(t, gap, b.lo, "%d", i)
			require.LessOrEqual(t, gap, b.hi, "%d", i)
			drawn[gap] = true
		}
		require.Greater(t, len(drawn), 10, "random")
		require.Equal(t, len(gaps)+1, health(t, c, community).Failures)

		s.set(gives(numbered(1)))
		time.Sleep(time.Minute)
		require.Zero(t, health(t, c, community).Failures)
		s.set(fails(errors.New("again")))
		time.Sleep(time.Hour)
		n := len(gaps)
		for gaps = s.gaps(); gaps[n] < 30*time.Minute; n++ { // the scheduled one
		}
		require.LessOrEqual(t, gaps[n+1], 2*time.Second)
	})
}

// patience is an error with a RetryAfter.
type patience time.Duration

func (p patience) Error() string             { return "too many requests" }
func (p patience) RetryAfter() time.Duration { return time.Duration(p) }

func TestRetryAfter(t *testing.T) {
	tests := []struct{ asked, lo, hi time.Duration }{
		{0, time.Second, 2 * time.Second},
		{-time.Hour, time.Second, 2 * time.Second},
		{90 * time.Second, 90 * time.Second, 90 * time.Second},
		{1000 * time.Hour, 24 * time.Hour, 24 * time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.asked.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := scripted(fails(fmt.Errorf("https://catalogs.example.com: %w", patience(tt.asked))))
				signal := make(chan struct{})
				one(t, cache.SourceConfig{Source: s, Signal: signal})
				synctest.Wait()
				signal <- struct{}{} // does not bring the retry forward beyond the requested delay
				time.Sleep(2 * 24 * time.Hour)
				gap := s.gaps()[0]
				require.GreaterOrEqual(t, gap, tt.lo)
				require.LessOrEqual(t, gap, tt.hi)
			})
		})
	}
}

// TestSignalAfterFailure: a signal brings the retry forward, but a failing source that signals
// all the time is loaded at most once per Backoff.Min.
func TestSignalAfterFailure(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(fails(errors.New("half a file")))
		signal := make(chan struct{})
		one(t, cache.SourceConfig{Source: s, Signal: signal, Backoff: cache.Backoff{Min: time.Minute, Max: time.Hour}})
		time.Sleep(24 * time.Hour)
		before := len(s.loads())
		s.set(takes(time.Second, nil)) // no content: fails as well, with a signal meanwhile
		for range 600 {
			signal <- struct{}{}
			time.Sleep(time.Second)
		}
		loads := s.loads()[before:]
		require.GreaterOrEqual(t, len(loads), 9)
		require.LessOrEqual(t, len(loads), 11)
	})
}
