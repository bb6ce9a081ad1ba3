package audit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// longChains returns packages of many versions each, in shuffled order.
func longChains(t testing.TB, packages, versions int) []resolver.Catalog {
	var u strings.Builder
	for p := range packages {
		for v := range versions {
			fmt.Fprintf(&u, "p%03d/stable p%03d.v%d replaces=p%03d.v%d provides=K%03d\n", p, p, v, p, v-1, p)
		}
	}
	return universe.Catalogs(t, u.String())
}

func TestOrderAndProgress(t *testing.T) {
	catalogs := universe.Catalogs(t, `
		catalog b/x
		b/stable b.v1
		bundle b.v2
		bundle b.v10
		a/stable a.v1
		catalog a-b/x
		z/stable z.v1
		catalog a/x
		y/stable y.v1`)
	want := []string{"a-b/x z z.v1", "a/x y y.v1", "b/x a a.v1", "b/x b b.v1", "b/x b b.v10", "b/x b b.v2"}
	for _, workers := range []int{0, 1, 3, 100} {
		var got []string
		var progress []int
		sum := testkit.Must(audit.Run(context.Background(), resolver.New(), catalogs, audit.Options{Workers: workers,
			Each: func(b *audit.Bundle) error {
				got = append(got, b.Catalog+" "+b.Package+" "+b.Bundle)
				return nil
			},
			Progress: func(done, total int) {
				require.Equal(t, 6, total)
				progress = append(progress, done)
			}}))(t)
		require.Equal(t, want, got)
		require.True(t, slices.IsSorted(progress))
		require.Equal(t, 6, progress[len(progress)-1])
		require.Equal(t, 6, sum.Bundles)
		require.Equal(t, 4, sum.Installable)
		require.Equal(t, 2, sum.Stuck)
		require.Positive(t, sum.Seconds)
	}
}

func TestOfNothing(t *testing.T) {
	for _, catalogs := range [][]resolver.Catalog{nil, {{Key: cache.Key{Namespace: "a", Name: "b"}, Content: cache.NewCatalog(nil, nil)}}} {
		found, sum := runAll(t, catalogs, audit.Options{})
		require.Empty(t, found)
		require.Zero(t, sum.Bundles)
	}
	// More shards than packages: some are empty.
	found, sum := runAll(t, longChains(t, 1, 2), audit.Options{Shard: 3, Shards: 4})
	require.Empty(t, found)
	require.Equal(t, "3/4", sum.Shard)
}

func TestInvalidOptions(t *testing.T) {
	catalogs := longChains(t, 5, 1)
	tests := []struct {
		name     string
		catalogs []resolver.Catalog
		opts     audit.Options
		want     string
	}{
		{"a package that is misspelt", catalogs, audit.Options{Packages: []string{"p0001"}},
			`packages[0]: "p0001": no catalog has this package; did you mean p000`},
		{"a shard that is not there", catalogs, audit.Options{Shard: 2, Shards: 2}, `shard: "2/2": no such shard`},
		{"a negative shard", catalogs, audit.Options{Shard: -1, Shards: 2}, `shard: "-1/2": no such shard`},
		{"a shard of nothing", catalogs, audit.Options{Shard: 1}, `shard: "1/0": no such shard`},
		{"two catalogs of one key", append(slices.Clone(catalogs), catalogs...), audit.Options{}, "two catalogs have this key"},
		{"a catalog that cannot be read", []resolver.Catalog{{Key: catalogs[0].Key, Unavailable: errors.New("gone")}},
			audit.Options{}, "catalog cannot be read: gone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := audit.Run(context.Background(), resolver.New(), tt.catalogs, tt.opts)
			testkit.As[*resolver.RequestError](t, err)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestLeavesOutUnavailableCatalogs(t *testing.T) {
	catalogs := longChains(t, 1, 1)
	broken := resolver.Catalog{Key: cache.Key{Namespace: "x", Name: "y"}, Content: catalogs[0].Content, Unavailable: errors.New("gone")}
	opts := audit.Options{Policy: resolver.Policy{Unavailable: resolver.UnavailableIgnore}}
	found, _ := runAll(t, append(catalogs, broken), opts)
	require.Len(t, found, 1)
	opts.Policy.Unavailable = resolver.UnavailableLastGood
	found, _ = runAll(t, append(catalogs, broken), opts)
	require.Len(t, found, 2)
}

func TestGivesTheErrorOfEach(t *testing.T) {
	full, n := errors.New("disk is full"), 0
	_, err := audit.Run(context.Background(), resolver.New(), longChains(t, 50, 20), audit.Options{Workers: 4,
		Each: func(*audit.Bundle) error {
			if n++; n == 7 {
				return full
			}
			return nil
		}})
	require.Equal(t, full, err)
	require.Equal(t, 7, n)
}

// TestStops ends the context during the work, and before it begins.
func TestStops(t *testing.T) {
	catalogs := longChains(t, 300, 60) // takes far longer than the test waits
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var asked time.Time
	_, err := audit.Run(ctx, resolver.New(), catalogs, audit.Options{
		Progress: func(done, total int) {
			if asked.IsZero() && done > 60 {
				asked = time.Now()
				cancel()
			}
		}})
	took := time.Since(asked)
	incomplete := testkit.As[*resolver.IncompleteError](t, err)
	require.Equal(t, resolver.LimitContext, incomplete.Limit)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 18000, incomplete.Progress.Decided+incomplete.Progress.Pending)
	require.ErrorContains(t, err, fmt.Sprintf("audit stopped after %d of 18000 bundles: context canceled", incomplete.Progress.Decided))
	require.Less(t, took, 2*time.Second, "far beyond 50 ms and what a loaded machine adds to them")

	_, err = audit.Run(ctx, resolver.New(), catalogs, audit.Options{})
	require.ErrorAs(t, err, &incomplete)
	require.ErrorIs(t, err, context.Canceled)
}

// The limits of one answer do not depend on earlier answers, so that the findings are the same
// for any number of workers.
func TestLimitsAreIndependent(t *testing.T) {
	catalogs := universe.Catalogs(t, `
		a/stable a.v1 needs=c@>=0.0.0
		b/stable b.v1 needs=c@>=0.0.0 needs=d@>=0.0.0
		c/stable c.v1
		d/stable d.v1`)
	r := resolver.New(resolver.WithLimits(resolver.Limits{Bundles: 2}))
	found := func(packages ...string) (out []string) {
		opts := audit.Options{Workers: 1, Packages: packages, Each: func(b *audit.Bundle) error {
			out = append(out, fmt.Sprint(b.Bundle, b.Installable, b.Incomplete))
			return nil
		}}
		_ = testkit.Must(audit.Run(t.Context(), r, catalogs, opts))(t)
		return out
	}
	require.Equal(t, slices.Concat(found("a"), found("b"), found("c"), found("d")), found())
	require.Contains(t, found("b")[0], "limit")
}
