package upgrade_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/upgrade"
)

// TestCatalogImage: the parts of the version of Kubernetes are filled in as far as they are
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
