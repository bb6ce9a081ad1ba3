package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// TestPropertyTogether asks which bundles can be added to drawn problems, and of each that
// is found by itself. More than half of those that can be are found.
func TestPropertyTogether(t *testing.T) {
	r, c := resolver.New(), newConverter()
	var found, possible atomic.Int64
	checkProperty(t, 0.2, func(p *oracle.Problem) error {
		ctx, req := context.Background(), c.request(p)
		req.Policy.Failures = "All"
		session, err := r.Session(ctx, req)
		if err != nil {
			return err
		}
		var refs []resolver.BundleRef
		for _, cat := range req.Catalogs {
			for b := range cat.Content.Bundles() {
				refs = append(refs, resolver.BundleRef{Catalog: cat.Key, Name: b.Name})
			}
		}
		added, err := session.Together(ctx, refs)
		if err != nil {
			return err
		}
		var conflict *resolver.Conflict
		for i, ref := range refs {
			if added[i] {
				found.Add(1)
			}
			_, err := session.Resolve(ctx, whatif.ForceBundle(ref))
			switch {
			case err == nil:
				possible.Add(1)
			case added[i]:
				return fmt.Errorf("%v was found, and cannot be added: %w", ref, err)
			case !errors.As(err, &conflict):
				return err
			}
		}
		return nil
	})
	require.Greater(t, 2*found.Load(), possible.Load(), "found %d of %d", found.Load(), possible.Load())
}
