package resolver_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
)

// flaky is a source that can be told to fail.
type flaky struct {
	content *cache.Catalog
	broken  atomic.Bool
}

var errRefused = errors.New("connection refused")

func (f *flaky) Load(_ context.Context, last *cache.Content) (*cache.Content, error) {
	switch {
	case f.broken.Load():
		return nil, errRefused
	case last != nil:
		return last, nil
	}
	return &cache.Content{Catalog: f.content, Digest: cache.Digest(f.content)}, nil
}

// TestUnavailablePolicies takes each policy of section 8 through a cache: with a
// source that was never there, with one that is gone since, and with one that came
// back.
func TestUnavailablePolicies(t *testing.T) {
	community := cache.Key{Namespace: "olm", Name: "community"}
	other := cache.Key{Namespace: "olm", Name: "other"}
	type answer struct {
		set      []string
		warnings int
		fails    string
	}
	never, unmet := "catalog cannot be read", "subscription tracing cannot be met"
	tests := map[string]struct {
		policy             string
		absent, gone, back answer
	}{
		"fail": {"Fail",
			answer{fails: never}, answer{fails: never}, answer{set: []string{"collector.v3", "tracing.v1"}}},
		"ignore": {"Ignore",
			answer{fails: unmet}, answer{fails: unmet},
			answer{set: []string{"collector.v3", "tracing.v1"}}},
		"last good": {"LastGood",
			answer{fails: unmet}, answer{set: []string{"collector.v3", "tracing.v1"}, warnings: 1},
			answer{set: []string{"collector.v3", "tracing.v1"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			source := &flaky{content: request().Catalogs[0].Content}
			source.broken.Store(true)
			c := testkit.Must(cache.New(cache.Config{Sources: []cache.SourceConfig{
				{Key: community, Priority: 7, Source: source, Refresh: -1, Backoff: cache.Backoff{Min: time.Hour, Max: time.Hour}},
				{Key: other, Source: cache.NewMemory(cache.NewCatalog(nil, nil))},
			}}))(t)
			defer c.Close()

			check := func(what string, want answer) {
				t.Helper()
				view := testkit.Must(c.Snapshot(ctx))(t)
				req := request("tracing")
				req.Catalogs = resolver.Catalogs(view)
				require.Len(t, req.Catalogs, 2)
				require.Equal(t, community, req.Catalogs[0].Key)
				require.Equal(t, 7, req.Catalogs[0].Priority)
				req.Policy.Unavailable = tc.policy
				sol, err := resolver.New().Resolve(ctx, req)
				if want.fails != "" {
					require.ErrorContains(t, err, want.fails, what)
					var malformed *resolver.RequestError
					if errors.As(err, &malformed) {
						require.ErrorIs(t, err, errRefused, what)
						var unreadable *cache.SourceError
						require.ErrorAs(t, err, &unreadable, what)
					}
					return
				}
				require.NoError(t, err, what)
				require.Equal(t, want.set, sol.Set(), what)
				require.Len(t, sol.Warnings, want.warnings, what)
				for _, w := range sol.Warnings {
					require.Equal(t, "unavailable", w.Kind, what)
					require.Equal(t, community.String(), w.Catalog, what)
					require.Contains(t, w.Message, errRefused.Error(), what)
				}
			}
			require.Error(t, c.Refresh(ctx, community))
			check("never there", tc.absent)

			source.broken.Store(false)
			require.NoError(t, c.Refresh(ctx, community))
			check("there", tc.back)

			source.broken.Store(true)
			require.Error(t, c.Refresh(ctx, community))
			check("gone since", tc.gone)

			source.broken.Store(false)
			require.NoError(t, c.Refresh(ctx, community))
			check("back", tc.back)
		})
	}
}

// TestCatalogsOfNothing: without a view there are no catalogs.
func TestCatalogsOfNothing(t *testing.T) {
	require.Empty(t, resolver.Catalogs(nil))
	require.Empty(t, resolver.Catalogs(&cache.Snapshot{}))
}
