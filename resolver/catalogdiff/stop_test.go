package catalogdiff_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// TestStopped: a context that ends, ends a comparison wherever it is.
func TestStopped(t *testing.T) {
	defer goleak.VerifyNone(t)
	old, now := read(t, "testdata/dependentBroken", "old.yaml"), read(t, "testdata/dependentBroken", "new.yaml")
	ended := testkit.Ended()
	_, err := catalogdiff.Compare(ended, old, now, catalogdiff.Options{})
	var incomplete *resolver.IncompleteError
	require.True(t, errors.As(err, &incomplete), "%v", err)
	require.ErrorIs(t, err, context.Canceled)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	_, err = catalogdiff.Compare(ctx, old, now, catalogdiff.Options{Progress: func(done, total int) {
		calls++
		require.LessOrEqual(t, done, total)
		if done == total {
			cancel()
		}
	}})
	require.Positive(t, calls)
	require.ErrorIs(t, err, context.Canceled)
}

// TestStopsAnywhere: wherever the context ends, that is the error, and never half a report.
func TestStopsAnywhere(t *testing.T) {
	for _, dir := range []string{"heldBack", "clash", "edgeLost", "continues"} {
		old, now := read(t, "testdata/"+dir, "old.yaml"), read(t, "testdata/"+dir, "new.yaml")
		whole := testkit.Must(catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{}))(t)
		growth.StopsAnywhere(t, func(ctx context.Context) error {
			r, err := catalogdiff.Compare(ctx, old, now, catalogdiff.Options{})
			if err == nil {
				require.Equal(t, whole.Worse, r.Worse)
			}
			return err
		})
	}
}

// TestBeside: what another catalog provides counts, and what depends on the changed one
// there is audited.
func TestBeside(t *testing.T) {
	old, now := read(t, "testdata/dependentBroken", "old.yaml"), read(t, "testdata/dependentBroken", "new.yaml")
	other := resolver.Catalog{Key: cache.Key{Namespace: "olm", Name: "other"}, Content: read(t, "testdata/dependentBroken", "old.yaml")}
	r, err := catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{Beside: []resolver.Catalog{other}})
	require.NoError(t, err)
	require.Empty(t, r.Worse, "the API can be had of the other catalog")

	empty := read(t, "testdata/dependentBroken", "new.yaml") // b needs what c dropped there
	other.Content = empty
	r, err = catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{Beside: []resolver.Catalog{other}})
	require.NoError(t, err)
	var hit []string
	for _, f := range r.Worse {
		hit = append(hit, f.Catalog+" "+f.Bundle)
	}
	require.ElementsMatch(t, []string{" b.v1", "olm/other b.v1"}, hit)

	_, err = catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{Key: other.Key, Beside: []resolver.Catalog{other}})
	var request *resolver.RequestError
	require.True(t, errors.As(err, &request), "two catalogs of one key: %v", err)
}
