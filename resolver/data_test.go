package resolver_test

import (
	"encoding/json"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// TestCatalogSelector: selectors choose catalogs as label selectors of Kubernetes do.
func TestCatalogSelector(t *testing.T) {
	c := &resolver.Catalog{Key: cache.Key{Namespace: "olm", Name: "community"}, Labels: map[string]string{"tier": "gold"}}
	for _, tt := range []struct {
		key, operator string
		values        []string
		want          bool
	}{
		{"tier", "In", []string{"silver", "gold"}, true},
		{"tier", "In", []string{"silver"}, false},
		{"zone", "In", []string{"gold"}, false},
		{"tier", "NotIn", []string{"silver"}, true},
		{"tier", "NotIn", []string{"gold"}, false},
		{"zone", "NotIn", []string{"gold"}, true},
		{"tier", "Exists", nil, true},
		{"zone", "Exists", nil, false},
		{"zone", "DoesNotExist", nil, true},
		{"tier", "DoesNotExist", nil, false},
		{"tier", "Like", nil, false},
		{"olm.operatorframework.io/metadata.name", "In", []string{"community"}, true},
	} {
		s := resolver.CatalogSelector{MatchExpressions: []resolver.LabelRequirement{{Key: tt.key, Operator: tt.operator, Values: tt.values}}}
		require.Equal(t, tt.want, s.Matches(c), "%s %s %v", tt.key, tt.operator, tt.values)
	}
	require.True(t, resolver.CatalogSelector{MatchLabels: map[string]string{"tier": "gold"}}.Matches(c))
	require.False(t, resolver.CatalogSelector{MatchLabels: map[string]string{"tier": "silver"}}.Matches(c))
}

// TestExtensionValidate: everything that is wrong with an extension is said at once.
func TestExtensionValidate(t *testing.T) {
	require.NoError(t, (&resolver.Extension{Name: "db", Package: "db", VersionRange: "^1.2"}).Validate())
	err := (&resolver.Extension{VersionRange: "one", Upgrades: "Sometimes", Catalogs: resolver.CatalogSelector{
		MatchExpressions: []resolver.LabelRequirement{{Key: "a", Operator: "Like"}}}}).Validate()
	for _, want := range []string{"missing", "say which package", "write it like", "use Catalog or SelfCertified", "use In, NotIn, Exists or DoesNotExist"} {
		require.ErrorContains(t, err, want)
	}
}

// TestStepsReadBack: a step in JSON says all of it but the catalogs of what was passed over.
func TestStepsReadBack(t *testing.T) {
	v := semver.MustParse("1.2.0")
	want := resolver.Step{Wave: 2, Action: resolver.Upgrade, Bundle: "db.v1.2.0", Package: "db", Version: &v, Channel: "stable",
		Catalog: cache.Key{Namespace: "olm", Name: "community"}, Replaces: []string{"db.v1.1.0", "old.v1"},
		Because: []resolver.Reason{{Subscription: "db"}}, PassedOver: []resolver.BundleRef{{Name: "db.v1.3.0"}}, Image: "example.com/db"}
	data := testkit.Must(json.Marshal(want))(t)
	var got resolver.Step
	require.NoError(t, json.Unmarshal(data, &got))
	require.Equal(t, want, got)
	for _, bad := range []string{`{"version":"one"}`, `{"catalog":"a/b/c"}`, `{"wave":"two"}`} {
		require.Error(t, json.Unmarshal([]byte(bad), &got), bad)
	}
}

// TestChangesOfWhatIsNotThere: each change whose subject the request does not have is named.
func TestChangesOfWhatIsNotThere(t *testing.T) {
	key := cache.Key{Namespace: "olm", Name: "community"}
	changes := []resolver.Change{
		whatif.DropSubscription("db"), whatif.PinSubscription("db", "db.v1"), whatif.RemoveInstalled("db.v1"),
		whatif.AdoptInstalled("db.v1", "db"), whatif.AllowForbidden("db.v1"), whatif.SetPriority(key, 5),
		{Kind: "replaceCatalog", Subject: key.String(), Catalog: key}, {Kind: "improve", Subject: "db"},
		{Kind: "relaxConstraint", Subject: "db.v1", Constraint: "an operator that provides A"},
	}
	_, err := resolver.Request{}.Apply(changes...)
	malformed := testkit.As[*resolver.RequestError](t, err)
	require.Len(t, malformed.Problems, len(changes))
}
