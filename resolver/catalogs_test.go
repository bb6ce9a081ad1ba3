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

// flaky is a source that can be made to fail.
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
	return &cache.Content{Catalog: f.content, Digest: f.content.Digest()}, nil
}

// TestUnavailablePolicies takes each policy of section 8 through a cache: with a
// source that was never there, with one that is gone since, and with one that came
// back.
func TestUnavailablePolicies(t *testing.T) {
	community := cache.Key{Namespace: "olm", Name: "community"}
	other := cache.Key{Namespace: "olm", Name: "other"}
	const never, unmet = "catalog cannot be read", "subscription tracing cannot be met"
	for policy, fails := range map[resolver.Unavailable]struct{ absent, gone string }{
		resolver.UnavailableFail: {never, never}, resolver.UnavailableIgnore: {unmet, unmet}, resolver.UnavailableLastGood: {unmet, ""},
	} {
		t.Run(string(policy), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			source := &flaky{content: request().Catalogs[0].Content}
			c := testkit.Must(cache.New(cache.Config{Sources: []cache.SourceConfig{
				{Key: community, Priority: 7, Source: source, Refresh: -1, Backoff: cache.Backoff{Min: time.Hour, Max: time.Hour}},
				{Key: other, Source: cache.NewMemory(cache.NewCatalog(nil, nil))},
			}}))(t)
			defer c.Close()
			check := func(broken bool, fails string) {
				t.Helper()
				source.broken.Store(broken)
				require.Equal(t, broken, c.Refresh(ctx, community) != nil)
				req := request("tracing")
				req.Catalogs = resolver.Catalogs(testkit.Must(c.Snapshot(ctx))(t))
				require.Len(t, req.Catalogs, 2)
				require.Equal(t, community, req.Catalogs[0].Key)
				require.Equal(t, 7, req.Catalogs[0].Priority)
				req.Policy.Unavailable = policy
				sol, err := resolver.New().Resolve(ctx, req)
				if fails != "" {
					require.ErrorContains(t, err, fails)
					var malformed *resolver.RequestError
					if errors.As(err, &malformed) {
						require.ErrorIs(t, err, errRefused)
						testkit.As[*cache.SourceError](t, err)
					}
					return
				}
				require.NoError(t, err)
				require.Equal(t, []string{"collector.v3", "tracing.v1"}, sol.Set())
				require.Equal(t, broken, len(sol.Warnings) == 1)
				for _, w := range sol.Warnings {
					require.Equal(t, [2]string{"unavailable", community.String()}, [2]string{string(w.Kind), w.Catalog})
					require.Contains(t, w.Message, errRefused.Error())
				}
			}
			check(true, fails.absent) // it was never there
			check(false, "")
			check(true, fails.gone) // since then
			check(false, "")
		})
	}
}

// TestCatalogsOfNothing: without a view there are no catalogs.
func TestCatalogsOfNothing(t *testing.T) {
	require.Empty(t, resolver.Catalogs(nil))
	require.Empty(t, resolver.Catalogs(&cache.Snapshot{}))
}
