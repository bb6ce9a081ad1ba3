package lazy_test

import (
	"context"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lazy"
)

// damaged has one version, with a constraint that cannot be read.
type damaged struct{ tiny }

func (damaged) Packages(_ context.Context, names []string) ([]*lazy.Package, error) {
	return []*lazy.Package{{Versions: []lazy.Version{{Version: semver.MustParse("1.0.0")}}}}[:len(names)], nil
}

func (damaged) Details(_ context.Context, versions []lazy.Ref) ([]lazy.Details, error) {
	p, err := properties.New(properties.TypeConstraint, []byte(`{"nonsense":{}}`))
	return []lazy.Details{{Properties: properties.NewSet(p)}}[:len(versions)], err
}

// TestProblemsInTheTermsOfTheResolver: what is wrong with a version is told in the nouns of the resolver.
func TestProblemsInTheTermsOfTheResolver(t *testing.T) {
	r := resolver.New(resolver.WithTerms(graph.Terms{Operator: "provider", Bundle: "release", Subscription: "configuration"}))
	s := lazy.NewSession(r, lazy.Catalog{Key: cache.Key{Namespace: "a", Name: "b"}, Provider: damaged{}})
	_, err := s.Resolve(t.Context(), resolver.Request{Subscriptions: []resolver.Subscription{{Name: "mine", Package: "p"}}})
	text := testkit.As[*resolver.Conflict](t, err).Text()
	require.Contains(t, text, `release "p.v1.0.0" has a constraint that cannot be used`)
	require.NotContains(t, text, "bundle")
}
