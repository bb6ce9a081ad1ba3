package upgrade_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// TestKnown: what a request leaves to its catalogs is written down, as it is resolved with
// them, so that it still holds where other catalogs know nothing of it.
func TestKnown(t *testing.T) {
	catalogs := universe.Catalogs(t, `
catalog olm/one 5
db/stable db.v1 provides=Disk
web/stable web.v1
twin/stable same.v1
catalog olm/two 0
db/stable db.v1 provides=Net
pair/stable same.v1
`)
	one, two := catalogs[0].Content, catalogs[1].Content
	req := resolver.Request{Namespace: "olm", Catalogs: []resolver.Catalog{catalogs[1], catalogs[0]},
		Installed:     []resolver.Installed{{Name: "db.v1"}, {Name: "web.v1", Subscription: "my-web"}, {Name: "same.v1"}, {Name: "gone.v1"}},
		Subscriptions: []resolver.Subscription{{Name: "my-web", Package: "web"}, {Name: "my-gone", Package: "gone", InstalledCSV: "gone.v1"}}}
	known := req.Known()
	require.Empty(t, req.Subscriptions[0].InstalledCSV, "the request itself is not changed")
	require.Empty(t, req.Installed[0].Package)

	db := known.Installed[0]
	require.Equal(t, "db", db.Package)
	require.Equal(t, &one.Package("db").Bundle("db.v1").Properties, db.Properties, "of the best catalog")
	require.Equal(t, "web.v1", known.Subscriptions[0].InstalledCSV, "from the other side")
	require.Equal(t, "web", known.Installed[1].Package)
	require.Empty(t, known.Installed[2].Package, "two packages have such a bundle")
	require.Nil(t, known.Installed[2].Properties)
	require.Equal(t, resolver.Installed{Name: "gone.v1", Package: "gone"}, known.Installed[3], "only its owner knows it")

	req.Installed[0].Catalog = cache.Key{Namespace: "olm", Name: "two"}
	require.Equal(t, &two.Package("db").Bundle("db.v1").Properties, req.Known().Installed[0].Properties, "of the catalog that it came from")

	// Both requests have the same answer.
	req.Installed = req.Installed[:2]
	want, err := resolver.New().Resolve(t.Context(), resolver.Request{Namespace: "olm", Catalogs: req.Catalogs, Installed: req.Installed, Subscriptions: req.Subscriptions[:1]})
	require.NoError(t, err)
	known = req.Known()
	known.Subscriptions = known.Subscriptions[:1]
	require.Equal(t, want.Steps, testkit.Must(resolver.New().Resolve(t.Context(), known))(t).Steps)
}

// TestCatalogImage: the parts of the version of Kubernetes are filled in if they are
// known; what is not known is an error that names it.
func TestCatalogImage(t *testing.T) {
	const template = "quay.io/ns/c:v{kube_major_version}.{kube_minor_version}"
	for _, tc := range []struct {
		version         upgrade.Version
		template, image string
	}{
		{upgrade.Version{Kubernetes: "1.33.2"}, template, "quay.io/ns/c:v1.33"},
		{upgrade.Version{OpenShift: "4.20"}, template, "quay.io/ns/c:v1.33"},
		{upgrade.Version{Kubernetes: "1.33.2"}, template + ".{kube_patch_version}", "quay.io/ns/c:v1.33.2"},
		{upgrade.Version{Kubernetes: "1.33.2"}, "quay.io/ns/c:latest", "quay.io/ns/c:latest"},
	} {
		image := testkit.Must(tc.version.CatalogImage(tc.template))(t)
		require.Equal(t, tc.image, image)
	}
	for unknown, tc := range map[string]struct {
		version  upgrade.Version
		template string
	}{
		`"{kube_patch_version}" of`: {upgrade.Version{OpenShift: "4.20"}, template + ".{kube_patch_version}"},
		`"{kube_major_version}" of`: {upgrade.Version{}, template},
		"{group:config.io":          {upgrade.Version{Kubernetes: "1.33.2"}, "quay.io/ns/c:{group:config.io,version:v1,kind:X,name:x,namespace:y,jsonpath:.spec}"},
	} {
		_, err := tc.version.CatalogImage(tc.template)
		require.ErrorContains(t, err, unknown)
	}
}
