package packageoperator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	pko "github.com/seed109e2655/resolute/examples/ecosystems/packageoperator"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lazy"
)

// TestResolve has the cases of the project's own test, whose module no proxy serves:
// internal/packages/internal/packageresolving/resolve_test.go of package-operator.
func TestResolve(t *testing.T) {
	from := func(supports ...pko.Constraint) []pko.Entry {
		return []pko.Entry{{Repository: "deprepo", Name: "deppkg", Image: "image", Digest: "digest", Versions: []string{"1.0.0", "3.0.0", "2.0.0"}, Constraints: supports}}
	}
	on := func(within string) pko.Constraint { return pko.Constraint{Platform: "platform", Range: within} }
	dep := pko.Dependency{Name: "depname", Package: "deppkg.deprepo"}
	locked := []pko.Locked{{Name: "depname", Image: "image", Digest: "digest", Version: "3.0.0"}}
	tests := map[string]struct {
		within   string // of the dependency
		requires []pko.Constraint
		supports []pko.Constraint
		want     []pko.Locked
		invalid  bool
	}{
		"basic":          {want: locked},
		"platform good":  {requires: []pko.Constraint{on(">=4.12.x")}, supports: []pko.Constraint{{Platforms: []string{"platform", "formplat"}}, on(">=4.11.x")}, want: locked},
		"platform bad":   {requires: []pko.Constraint{on(">=4.11.x")}, supports: []pko.Constraint{on(">=4.12.x")}},
		"bad version":    {within: ">=4", requires: []pko.Constraint{on(">=4.11.x")}, supports: []pko.Constraint{on(">=4.12.x")}},
		"broken version": {within: ">=asdaa", invalid: true},
		// Not of the project.
		"in range":                {within: "<3", want: []pko.Locked{{Name: "depname", Image: "image", Digest: "digest", Version: "2.0.0"}}},
		"other platform":          {requires: []pko.Constraint{on("*")}, supports: []pko.Constraint{{Platforms: []string{"formplat"}}}},
		"the part between":        {requires: []pko.Constraint{on(">=4.11, <4.13")}, supports: []pko.Constraint{on(">=4.11, <4.12 || >=4.12.1")}},
		"all of it":               {requires: []pko.Constraint{on(">=4.11, <4.13")}, supports: []pko.Constraint{on(">=4.10, <4.13 || 5.x")}, want: locked},
		"disagreeing constraints": {requires: []pko.Constraint{on("*")}, supports: []pko.Constraint{{Platforms: []string{"platform"}}, {Platforms: []string{"formplat"}}}},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			d := dep
			d.Range = c.within
			got, err := pko.Lock(t.Context(), c.requires, []pko.Dependency{d}, from(c.supports...))
			var conflict *resolver.Conflict
			switch {
			case c.invalid:
				require.ErrorContains(t, err, "dependency depname")
			case c.want == nil:
				require.ErrorAs(t, err, &conflict)
				require.NotRegexp(t, "(?i)olm|operator|bundle|subscription", conflict.Text())
			default:
				require.NoError(t, err)
				require.Equal(t, c.want, got)
			}
		})
	}
	got, err := pko.Lock(t.Context(), nil, nil, nil)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestInconsistentRepository(t *testing.T) {
	entry := pko.Entry{Repository: "deprepo", Name: "deppkg", Versions: []string{"v1.0.0"}}
	_, err := pko.Lock(t.Context(), nil, []pko.Dependency{{Name: "depname", Package: "deppkg.deprepo"}}, []pko.Entry{entry, entry})
	var failed *lazy.ProviderError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, "deppkg.deprepo", failed.Package)
}
