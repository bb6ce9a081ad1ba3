package catalogdiff_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// Versions that could never be installed are not losses, and a skipRange that covers a removed
// head is an upgrade edge.
func TestLossesOfInstallableVersions(t *testing.T) {
	const other = "x/stable x.v1\n"
	tests := []struct{ name, old, now, code, says string }{
		{"a package", "a/stable a.v1 needs=Nothing", "", "", ""},
		{"a package of which one version can be", "a/stable a.v1\na/stable a.v2 replaces=a.v1 needs=Nothing", "", "packageRemoved", "with 1 version that"},
		{"a bundle", "a/stable a.v1\na/stable a.v2 replaces=a.v1 needs=Nothing", "a/stable a.v1", "", ""},
		{"an edge", "a/stable a.v0\na/stable a.v1 replaces=a.v0 needs=Nothing\na/stable a.v2 replaces=a.v1\na/beta a.v1",
			"a/stable a.v0\na/stable a.v2 replaces=a.v0\na/beta a.v1 needs=Nothing", "", ""},
		{"a lower head that a skipRange leads to", "a/stable a.v1 a.v2", "a/stable a.v1 range=<3.0.0\nbundle a.v2", "headLowered", "upgrade to a.v1"},
		{"a bundle that a skipRange moves on", "a/stable a.v1 a.v2", "a/stable a.v1\na/stable a.v3 replaces=a.v1 range=<3.0.0", "bundleRemoved", "can upgrade to a.v3"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			old, now := universe.Content(t, other+test.old), universe.Content(t, other+test.now)
			r := testkit.Must(catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{}))(t)
			said := make(map[string]string)
			for _, f := range r.Worse {
				said[f.Code] += f.Text
			}
			t.Log(said)
			if test.says != "" {
				require.Contains(t, said[test.code], test.says)
				return
			}
			for _, code := range []string{"packageRemoved", "bundleRemoved", "edgeLost", "headLowered"} {
				require.NotContains(t, said, code)
			}
		})
	}
}
