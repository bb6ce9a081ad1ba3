package resolver_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
)

// Bundles that provide what is asked for, but that no channel offers, are named
// with the reason for that.
func TestProvidersThatNoChannelOffers(t *testing.T) {
	_, err := resolver.New().Resolve(context.Background(), universe.Request(t, `
		app/x app.v1 needs=g.example.com/v1/K
		db/x db.v1 provides=g.example.com/v1/K
		db/x db.v2 replaces=db.v0 skips=db.v1
		bundle db.v9 provides=g.example.com/v1/K
		subscribe app`))
	conflict := testkit.As[*resolver.Conflict](t, err)
	require.Equal(t, `Subscription app cannot be met:
Subscription app asks for package app.
- app.v1 requires an operator that provides g.example.com/v1/K.
  - Nothing in the catalogs that could be installed provides g.example.com/v1/K.
    - db.v1 is skipped by db.v2 in channel x.
    - db.v9 is in no channel.
`, conflict.Text())
	reasons := map[string]argument.Rejection{}
	for _, f := range conflict.Facts {
		for _, r := range f.Candidates {
			if r.NearMiss() {
				reasons[r.Bundle] = r.Reason
			}
		}
	}
	require.Equal(t, map[string]argument.Rejection{"db.v1": lexicon.NearMissSkipped, "db.v9": lexicon.NearMissUnlisted}, reasons)
}
