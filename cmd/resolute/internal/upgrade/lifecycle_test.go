package upgrade

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

const schema = "io.openshift.operators.lifecycles.v1alpha1"

// TestLifecycles: a catalog says how long versions are supported, if it is understood and
// says so once.
func TestLifecycles(t *testing.T) {
	known := make(Lifecycles)
	add := func(schema, raw string) { known.Add(schema, []byte(raw)) }
	add("olm.package", `{"package":"a"}`)
	add(schema, `{"package":`)
	add(schema, `{"versions":[{"name":"1.0"}]}`)
	require.Empty(t, known)
	add(schema, `{"package":"foo","versions":[{"name":"1.0","phases":[{"name":"Full Support","startDate":"2025-01-01"}],
		"platformCompatibility":[{"name":"openshift","versions":["4.18","4.19"]}]}]}`)
	add(schema, `{"package":"bar","versions":[{"name":"1.0","phases":[]}]}`)
	add(schema, `{"package":"bar","versions":[{"name":"1.0","phases":[]}]}`)
	require.Nil(t, known["bar"], "it is there twice")

	req := universe.Request(t, `
		catalog olm/community
		foo/stable foo.v1.0.0
		bar/stable bar.v1.0.0
		installed foo.v1.0.0
		installed bar.v1.0.0
		subscribe foo in=stable at=foo.v1.0.0
		subscribe bar in=stable at=bar.v1.0.0`)
	req.Cluster.OpenShiftVersion = "4.18"
	next := []NextCatalog{{For: "community", Content: req.Catalogs[0].Content, Lifecycles: known}}
	report := testkit.Must(Check(t.Context(), resolver.New(), req, Options{Versions: []Version{{OpenShift: "4.19", Catalogs: next}}}))(t)
	for _, o := range report.Operators {
		var said []string
		for _, r := range o.Reasons {
			if r.Code == "lifecycle" {
				said = append(said, r.Text)
			}
		}
		want := map[string][]string{"foo": {"version 1.0: Full Support from 2025-01-01 to ?; for openshift 4.18 and 4.19"}}
		require.Equal(t, want[o.Package], said, o.Package)
	}
}

// FuzzLifecycle: no blob panics.
func FuzzLifecycle(f *testing.F) {
	f.Add([]byte(`{"package":"foo","versions":[{"name":"1.0","phases":[{"name":"a","startDate":"x"}],"platformCompatibility":[{"name":"openshift","versions":["4.12"]}]}]}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		to := make(Lifecycles)
		to.Add(schema, data)
		for _, versions := range to {
			for i := range versions {
				_ = versions[i].String()
			}
		}
	})
}
