package cache_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestContract: each violation of the contract counts as a failed load, and has no other
// effect.
func TestContract(t *testing.T) {
	broken := errors.New("index out of order")
	tests := []struct {
		name string
		do   func(context.Context, *cache.Content) (*cache.Content, error)
		want string
		is   error
	}{
		{"nothing", gives(nil), "neither content nor an error", nil},
		{"no catalog", gives(&cache.Content{Digest: "sha256:00"}), "without a catalog", nil},
		{"no digest", gives(&cache.Content{Catalog: numbered(1).Catalog}), "without a digest", nil},
		{"panic", func(context.Context, *cache.Content) (*cache.Content, error) { panic(broken) }, "panicked: index out of order", broken},
		{"panic with text", func(context.Context, *cache.Content) (*cache.Content, error) { panic("oops") }, "panicked: oops", nil},
		{"exit", func(context.Context, *cache.Content) (*cache.Content, error) { runtime.Goexit(); return nil, nil }, "ended its goroutine", nil},
		{"both", func(context.Context, *cache.Content) (*cache.Content, error) { return numbered(1), broken }, "index out of order", broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := scripted(tt.do)
				c := one(t, cache.SourceConfig{Source: s})
				got := see(t, c, community)
				require.Nil(t, got.Content)
				require.ErrorContains(t, got.Unavailable, tt.want)
				if tt.is != nil {
					require.ErrorIs(t, got.Unavailable, tt.is)
				}
				s.set(gives(numbered(1)))
				time.Sleep(time.Minute)
				require.NoError(t, see(t, c, community).Unavailable)
			})
		})
	}
}

// TestEqualContentIsNoChange: readers keep their content; the next load gets the result of the
// last one.
func TestEqualContentIsNoChange(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(gives(numbered(1)))
		c := one(t, cache.SourceConfig{Source: s, Refresh: -1})
		before := see2(t, c)
		other := &cache.Content{Catalog: contentOf("v1").Catalog, Digest: numbered(1).Digest, Validator: `"2"`, Modified: time.Unix(1e9, 0)}
		s.set(gives(other))
		require.NoError(t, c.Refresh(t.Context()))
		require.Same(t, before, see2(t, c))
		require.True(t, health(t, c, community).Modified.Equal(other.Modified))
		require.NoError(t, c.Refresh(t.Context()))
		require.Equal(t, []*cache.Content{nil, numbered(1), other}, s.handed())
		require.Same(t, other, s.handed()[2])
	})
}

func TestAdd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := open(t, cache.Config{})
		require.Empty(t, see2(t, c).Catalogs())
		require.NoError(t, c.Refresh(t.Context()))
		require.Empty(t, c.Health())
		require.NoError(t, c.Add(cache.SourceConfig{Key: community, Source: cache.NewMemory(numbered(1).Catalog), Priority: 7}))
		got := see(t, c, community)
		require.Equal(t, 7, got.Priority)
		require.NoError(t, got.Unavailable)
		require.Equal(t, time.Now(), got.Loaded)
		err := c.Add(cache.SourceConfig{Key: community, Source: cache.NewMemory(numbered(2).Catalog)})
		wrong := testkit.As[*cache.ConfigError](t, err)
		require.Equal(t, "Key", wrong.Field)
		require.ErrorAs(t, c.Add(cache.SourceConfig{Key: certified}), &wrong)
		require.Equal(t, "Source", wrong.Field)
		require.Len(t, see2(t, c).Catalogs(), 1)

		before := see2(t, c)
		require.True(t, c.SetPriority(community, 7))
		require.Same(t, before, see2(t, c))
		require.True(t, c.SetPriority(community, -3))
		require.Equal(t, -3, see(t, c, community).Priority)
		require.Equal(t, -3, health(t, c, community).Priority)
		require.Equal(t, before.Version()+1, see2(t, c).Version())
		require.NotEqual(t, before.Digest(), see2(t, c).Digest())
		require.False(t, c.SetPriority(certified, 1))
	})
}

// TestClose: all waiting callers return, every goroutine ends, and returned snapshots stay
// valid.
func TestClose(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(gives(numbered(1)))
		c := open(t, cache.Config{Sources: []cache.SourceConfig{{Key: community, Source: s}}})
		kept := see2(t, c)
		changes := c.Changes(context.Background())
		s.set(hangs)
		refreshed, waited := make(chan error, 1), make(chan error, 1)
		require.NoError(t, c.Add(cache.SourceConfig{Key: certified, Source: s}))
		go func() { refreshed <- c.Refresh(context.Background()) }()
		go func() {
			_, err := c.Snapshot(context.Background())
			waited <- err
		}()
		synctest.Wait()
		require.NoError(t, c.Close())
		require.Equal(t, cache.ErrClosed, <-refreshed, "and nothing else, however many sources there are")
		require.ErrorIs(t, <-waited, cache.ErrClosed)
		<-changes // the source that was added
		_, open := <-changes
		require.False(t, open)
		_, open = <-c.Changes(context.Background())
		require.False(t, open)

		_, err := c.Snapshot(t.Context())
		require.ErrorIs(t, err, cache.ErrClosed)
		_, err = c.Peek()
		require.ErrorIs(t, err, cache.ErrClosed)
		require.ErrorIs(t, c.Refresh(t.Context()), cache.ErrClosed)
		require.ErrorIs(t, c.Add(cache.SourceConfig{Key: community, Source: s}), cache.ErrClosed)
		require.False(t, c.Remove(community))
		require.False(t, c.SetPriority(community, 1))
		require.Empty(t, c.Health())
		require.NoError(t, c.Close())
		require.Same(t, numbered(1).Catalog, kept.Catalogs()[0].Content)
	})
}

// TestChanges: several changes share one value, equal content sends none, and no change is
// missed.
func TestChanges(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := cache.NewMemory(numbered(1).Catalog)
		c := one(t, cache.SourceConfig{Source: m, Refresh: -1})
		see2(t, c)
		ctx, cancel := context.WithCancel(t.Context())
		changes, other := c.Changes(ctx), c.Changes(t.Context())
		require.NoError(t, c.Refresh(t.Context()))
		require.Empty(t, changes)
		for i := range 3 {
			m.Set(numbered(i + 2).Catalog)
			synctest.Wait()
			require.Same(t, numbered(i+2).Catalog, see(t, c, community).Content)
		}
		require.Len(t, changes, 1)
		<-changes
		require.Empty(t, changes)
		cancel()
		_, open := <-changes
		require.False(t, open)
		require.Len(t, other, 1)
	})
}

// BenchmarkSnapshot measures one view of all catalogs.
func BenchmarkSnapshot(b *testing.B) {
	c, err := cache.New(cache.Config{Sources: []cache.SourceConfig{{Key: community, Source: cache.NewMemory(numbered(1).Catalog)}}})
	require.NoError(b, err)
	defer func() { require.NoError(b, c.Close()) }()
	_, err = c.Snapshot(b.Context())
	require.NoError(b, err)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		ctx := context.Background()
		for pb.Next() {
			if _, err := c.Snapshot(ctx); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkNewVersion measures one change in a cache of 50 sources, without the load.
func BenchmarkNewVersion(b *testing.B) {
	var cfg cache.Config
	for i := range 50 {
		cfg.Sources = append(cfg.Sources, cache.SourceConfig{
			Key: cache.Key{Namespace: "olm", Name: fmt.Sprint("catalog", i)}, Source: cache.NewMemory(numbered(i % 10).Catalog),
		})
	}
	c := testkit.Must(cache.New(cfg))(b)
	defer func() { require.NoError(b, c.Close()) }()
	_, err := c.Snapshot(b.Context())
	require.NoError(b, err)
	b.ReportAllocs()
	for i := 1; b.Loop(); i++ {
		c.SetPriority(cfg.Sources[0].Key, i)
	}
}

// TestSnapshotAllocatesNothing once all sources were read.
func TestSnapshotAllocatesNothing(t *testing.T) {
	c := one(t, cache.SourceConfig{Source: cache.NewMemory(numbered(1).Catalog)})
	see2(t, c)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := c.Snapshot(t.Context()); err != nil {
			t.Error(err)
		}
	}))
}
