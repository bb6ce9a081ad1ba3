package cache_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestRefreshIsShared: however many call, one load runs at a time; those who
// come before it begins share it, those who come during it share the next.
func TestRefreshIsShared(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(takes(time.Second, numbered(1)))
		c := one(t, cache.SourceConfig{Source: s, Refresh: -1})
		see(t, c, community)
		var group sync.WaitGroup
		began := time.Now()
		call := func(want time.Duration) {
			group.Go(func() {
				require.NoError(t, c.Refresh(t.Context(), community))
				require.Equal(t, want, time.Since(began))
			})
		}
		call(time.Second)
		synctest.Wait()
		time.Sleep(time.Millisecond)
		for range 50 {
			call(2 * time.Second)
		}
		group.Wait()
		require.Len(t, s.loads(), 3)
		require.Equal(t, 1, s.atOnce())
		time.Sleep(time.Hour)
		require.Len(t, s.loads(), 3)
	})
}

// TestRefreshSeesWhatWasThereBefore: a change made before the call is seen
// after it, even if a load was under way.
func TestRefreshSeesWhatWasThereBefore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(takes(time.Second, numbered(1)))
		c := one(t, cache.SourceConfig{Source: s, Refresh: -1})
		synctest.Wait() // the first load has begun
		s.set(takes(time.Second, numbered(2)))
		require.NoError(t, c.Refresh(t.Context()))
		require.Same(t, numbered(2).Catalog, see(t, c, community).Content)
	})
}

// TestRefreshGivesUp: a caller whose context ends returns, and the load goes on
// for the others.
func TestRefreshGivesUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(gives(numbered(1)))
		c := one(t, cache.SourceConfig{Source: s, Refresh: -1})
		see(t, c, community)
		s.set(takes(time.Minute, numbered(2)))
		other := make(chan error)
		go func() { other <- c.Refresh(context.Background()) }()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		err := c.Refresh(ctx)
		require.Equal(t, time.Second, time.Since(began))
		require.Equal(t, []cache.Key{community}, testkit.As[*cache.WaitError](t, err).Keys)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualError(t, err, "gave up waiting for olm/community to be read: context deadline exceeded")
		require.NoError(t, <-other)
		require.Same(t, numbered(2).Catalog, see(t, c, community).Content)

		s.set(takes(time.Minute, numbered(3)))
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.Error(t, c.Refresh(ctx))
		time.Sleep(2 * time.Minute) // nobody waits any more, and yet
		require.Same(t, numbered(3).Catalog, see(t, c, community).Content)

		calls := len(s.loads())
		require.ErrorIs(t, c.Refresh(ctx), context.DeadlineExceeded)
		require.Len(t, s.loads(), calls, "a context that has ended asks for nothing")
	})
}

// TestRefreshErrors: what went wrong comes by key, and the others are loaded
// all the same.
func TestRefreshErrors(t *testing.T) {
	bubble(t, func(t *testing.T) {
		refused, garbage := errors.New("connection refused"), errors.New("no JSON")
		bad := scripted(fails(refused))
		good := scripted(gives(numbered(1)))
		third := cache.Key{Namespace: "a", Name: "third"}
		c := open(t, cache.Config{Sources: []cache.SourceConfig{
			{Key: community, Source: bad, MaxStale: -1},
			{Key: certified, Source: good},
			{Key: third, Source: scripted(fails(garbage))},
		}})
		see2(t, c)
		require.NoError(t, c.Refresh(t.Context(), certified))
		require.NoError(t, c.Refresh(t.Context(), certified, certified))
		require.Len(t, good.loads(), 3)

		err := c.Refresh(t.Context(), community)
		require.Equal(t, community, testkit.As[*cache.SourceError](t, err).Key)
		require.ErrorIs(t, err, refused)

		err = c.Refresh(t.Context())
		require.ErrorIs(t, err, refused)
		require.ErrorIs(t, err, garbage)
		require.Regexp(t, `(?s)a/third.*olm/community`, err.Error())
		require.Len(t, good.loads(), 4)

		err = c.Refresh(t.Context(), cache.Key{Namespace: "olm", Name: "absent"}, certified)
		testkit.As[*cache.UnknownSourceError](t, err)
		require.EqualError(t, err, "the cache has no source olm/absent: it was never added, or it was removed")
		require.Len(t, good.loads(), 5)

		// A key that is asked for several times is told of once, and keys in their order.
		x, y := cache.Key{Namespace: "ns", Name: "x"}, cache.Key{Namespace: "ns", Name: "y"}
		var keys []cache.Key
		for _, err := range c.Refresh(t.Context(), y, x, y, x).(interface{ Unwrap() []error }).Unwrap() {
			keys = append(keys, testkit.As[*cache.UnknownSourceError](t, err).Key)
		}
		require.Equal(t, []cache.Key{x, y}, keys)
	})
}

// TestParallel: no more loads at a time than that, and each source gets its
// turn.
func TestParallel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		shared := scripted(takes(time.Second, numbered(1)))
		cfg := cache.Config{Parallel: 3}
		for i := range 10 {
			cfg.Sources = append(cfg.Sources, cache.SourceConfig{Key: cache.Key{Namespace: "olm", Name: string(rune('a' + i))}, Source: shared})
		}
		c := open(t, cfg)
		began := time.Now()
		see2(t, c)
		require.Equal(t, 4*time.Second, time.Since(began))
		require.Len(t, shared.loads(), 10)
		require.Equal(t, 3, shared.atOnce())
	})
}

// TestHangingSourceFreesItsPlace: one that ignores its context does not keep
// the others from being loaded, and is not loaded twice at the same time.
func TestHangingSourceFreesItsPlace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		free := make(chan struct{})
		stuck := scripted(func(context.Context, *cache.Content) (*cache.Content, error) {
			<-free
			return numbered(1), nil
		})
		good := scripted(gives(numbered(2)))
		c := open(t, cache.Config{Parallel: 1, Grace: time.Second, Sources: []cache.SourceConfig{
			{Key: certified, Source: stuck, Timeout: 10 * time.Second, Refresh: -1},
		}})
		synctest.Wait()
		require.NoError(t, c.Add(cache.SourceConfig{Key: community, Source: good, Refresh: -1}))
		began := time.Now()
		got := see(t, c, certified)
		require.Equal(t, 11*time.Second, time.Since(began))
		require.Nil(t, got.Content)
		require.ErrorIs(t, got.Unavailable, context.DeadlineExceeded)
		require.ErrorContains(t, got.Unavailable, "timeout of 10s and did not return within 1s")
		require.Same(t, numbered(2).Catalog, see(t, c, community).Content)

		began = time.Now()
		require.ErrorIs(t, c.Refresh(t.Context(), certified), context.DeadlineExceeded)
		require.Zero(t, time.Since(began), "there is no sense in waiting")
		time.Sleep(time.Hour)
		require.Len(t, stuck.loads(), 1)
		require.True(t, health(t, c, certified).Loading)

		close(free) // better late than never
		synctest.Wait()
		require.Same(t, numbered(1).Catalog, see(t, c, certified).Content)
		require.NoError(t, see(t, c, certified).Unavailable)
		require.False(t, health(t, c, certified).Loading)
		require.NoError(t, c.Refresh(t.Context()))
		require.Len(t, stuck.loads(), 2)
	})
}

// TestStuckAndThenFailed: when a load that was given up fails at last, the
// retry comes, and it is one failure, not two.
func TestStuckAndThenFailed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(func(context.Context, *cache.Content) (*cache.Content, error) {
			time.Sleep(time.Hour)
			return nil, errors.New("late")
		})
		c := one(t, cache.SourceConfig{Source: s, Timeout: time.Second})
		time.Sleep(time.Minute)
		require.Equal(t, 1, health(t, c, community).Failures)
		s.set(gives(numbered(1)))
		time.Sleep(time.Hour)
		require.NoError(t, see(t, c, community).Unavailable)
	})
}

// TestSlowLoadIsStopped: a load that is stopped by its timeout tells what it
// was at.
func TestSlowLoadIsStopped(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := one(t, cache.SourceConfig{Source: scripted(hangs), Timeout: time.Minute})
		began := time.Now()
		err := see(t, c, community).Unavailable
		require.Equal(t, time.Minute, time.Since(began))
		testkit.As[*cache.TimeoutError](t, err)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "the load took longer than its timeout of 1m0s: reading: ")
	})
}
