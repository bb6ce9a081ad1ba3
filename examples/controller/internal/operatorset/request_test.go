package operatorset

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
)

// Every field of a spec reaches the request.
func TestNewRequest(t *testing.T) {
	set := object("app")
	set.Spec.Subscriptions = []v1alpha1.Subscription{{
		Name: "my-app", Package: "app", Channel: "stable", Catalog: "olm/shop",
		StartingCSV: "app.v1.0.0", VersionRange: ">=1.0.0", InstalledCSV: "app.v0.9.0",
	}}
	set.Spec.Installed = []v1alpha1.Installed{
		{Name: "app.v0.9.0", Package: "app", Version: "0.9.0", Catalog: "olm/shop", Channel: "stable", Automatic: true, ReplacedBy: "b"},
		{Name: "b", Package: "b", Version: "1.0.0", Properties: []v1alpha1.Property{}},
	}
	set.Spec.Cluster = v1alpha1.Cluster{
		Properties: []v1alpha1.Property{{Type: "olm.kubeversion", Value: apiextensionsv1.JSON{Raw: []byte(`{"version":"1.33.0"}`)}}},
		APIs:       []v1alpha1.API{{Group: "example.com", Version: "v1", Kind: "Thing"}},
	}
	set.Spec.Policy = v1alpha1.Policy{Upgrades: "SelfCertified", Compounds: "PerBundle", Goal: "Oldest",
		Deprecations: "Avoid", Failures: "Partial", Unavailable: "LastGood"}
	set.Spec.Forbid = []v1alpha1.Forbid{{Bundle: "db.v1.1.0", Catalog: "olm/shop", Message: "data loss"}}
	priority := int32(9)
	set.Spec.Catalogs = []v1alpha1.CatalogRef{{Name: "olm/shop", Priority: &priority}, {Name: "olm/gone"}}
	snapshot := view(t, map[string]cache.Source{
		"olm/shop": cache.NewMemory(shop(t)), "olm/other": cache.NewMemory(shop(t)), "olm/gone": failing{errors.New("no route")},
	})

	req, err := newRequest(t.Context(), set, snapshot)
	require.NoError(t, err)
	require.Equal(t, "team", req.Namespace)
	shopKey := cache.Key{Namespace: "olm", Name: "shop"}
	sub := req.Subscriptions[0]
	require.Equal(t, ">=1.0.0", sub.VersionRange.String())
	sub.VersionRange = resolver.Subscription{}.VersionRange
	require.Equal(t, resolver.Subscription{Name: "my-app", Package: "app", Channels: []string{"stable"}, Catalog: shopKey,
		StartingCSV: "app.v1.0.0", InstalledCSV: "app.v0.9.0"}, sub)
	in := req.Installed[0]
	require.Equal(t, "0.9.0", in.Version.String())
	require.Nil(t, in.Properties)
	require.Equal(t, []any{"app.v0.9.0", "app", shopKey, "stable", true, "b"},
		[]any{in.Name, in.Package, in.Catalog, in.Channel, in.Automatic, in.ReplacedBy})
	require.Zero(t, req.Installed[1].Properties.Len())
	require.Equal(t, `{"version":"1.33.0"}`, req.Cluster.Properties.At(0).Raw())
	require.Equal(t, "example.com/v1/Thing", req.Cluster.APIs[0].String())
	require.Equal(t, resolver.Policy{Upgrades: resolver.UpgradesSelfCertified, Compounds: resolver.CompoundsPerBundle, Goal: resolver.Oldest,
		Deprecations: resolver.DeprecationsAvoid, Failures: resolver.FailuresPartial, Unavailable: resolver.UnavailableLastGood}, req.Policy)
	require.Equal(t, []resolver.Forbidden{{Bundle: resolver.BundleRef{Catalog: shopKey, Name: "db.v1.1.0"}, Message: "data loss"}}, req.Forbid)
	require.Len(t, req.Catalogs, 2)
	require.Equal(t, "olm/gone", req.Catalogs[0].Key.String())
	require.EqualError(t, req.Catalogs[0].Unavailable, "no route")
	require.Equal(t, 3, req.Catalogs[0].Priority, "from the controller")
	require.Equal(t, 9, req.Catalogs[1].Priority, "from the object")
	require.Equal(t, 3, req.Catalogs[1].Content.Len())
}

func TestInvalidRequests(t *testing.T) {
	snapshot := view(t, map[string]cache.Source{"olm/shop": cache.NewMemory(shop(t))})
	for field, change := range map[string]func(*v1alpha1.OperatorSetSpec){
		`spec.subscriptions[0].versionRange: "banana"`: func(s *v1alpha1.OperatorSetSpec) { s.Subscriptions[0].VersionRange = "banana" },
		`spec.subscriptions[0].catalog:`:               func(s *v1alpha1.OperatorSetSpec) { s.Subscriptions[0].Catalog = "shop" },
		`spec.installed[0].version: "one"`:             func(s *v1alpha1.OperatorSetSpec) { s.Installed = []v1alpha1.Installed{{Name: "a", Version: "one"}} },
		`spec.cluster.properties[0]`: func(s *v1alpha1.OperatorSetSpec) {
			s.Cluster.Properties = []v1alpha1.Property{{Type: "olm.package", Value: apiextensionsv1.JSON{Raw: []byte(`7`)}}}
		},
		`spec.policy.goal: "Newer"`:       func(s *v1alpha1.OperatorSetSpec) { s.Policy.Goal = "Newer" },
		`spec.policy.unavailable: "Wait"`: func(s *v1alpha1.OperatorSetSpec) { s.Policy.Unavailable = "Wait" },
		`spec.catalogs[1].name: the controller has no catalog "olm/no"; it has olm/shop`: func(s *v1alpha1.OperatorSetSpec) {
			s.Catalogs = []v1alpha1.CatalogRef{{Name: "olm/shop"}, {Name: "olm/no"}}
		},
	} {
		set := object("app")
		change(&set.Spec)
		_, err := newRequest(t.Context(), set, snapshot)
		var invalid *InvalidError
		require.ErrorAs(t, err, &invalid, field)
		require.ErrorContains(t, err, field)
		require.Len(t, invalid.Problems, 1)
	}
}

// Differences between two attempts to read a catalog are not reported.
func TestLastingCause(t *testing.T) {
	refused := func(port int) error {
		return fmt.Errorf("Get: %w", &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by peer"),
			Source: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}, Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 443}})
	}
	answered := func(excerpt string) error {
		return &cache.StatusError{Source: "the catalog at https://far/api/v1/all", Code: 503, Wait: 7e9, Excerpt: excerpt}
	}
	for want, attempts := range map[string][2]error{
		"read 10.0.0.7:443: connection reset by peer": {refused(40001), refused(40002)},
		answered("").(*cache.StatusError).Source:      {answered("request 1"), answered("request 2")},
		"no such file":                                {errors.New("no such file"), errors.New("no such file")},
		"context deadline exceeded":                   {context.DeadlineExceeded, context.DeadlineExceeded},
	} {
		first := lastingCause(&cache.SourceError{Failures: 1, Err: attempts[0]})
		second := lastingCause(&cache.SourceError{Failures: 2, Err: attempts[1]})
		require.Equal(t, first, second)
		require.Contains(t, first, want)
	}
}
