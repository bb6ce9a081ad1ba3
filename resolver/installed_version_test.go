package resolver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

const needsNewerBase = `
	base/x base.v1
	app/x app.v1
	require app.v1 any(base@>=1.5.0, base@>1.4.0)
	subscribe app
`

// What a request says of an installed bundle counts, not what the catalog says of
// the one of the same name.
func TestVersionOfWhatIsInstalled(t *testing.T) {
	req := universe.Request(t, needsNewerBase)
	version := semver.MustParse("1.5.0")
	req.Installed = []resolver.Installed{{Name: "base.v1", Version: &version}}
	sol := testkit.Must(resolver.New().Resolve(context.Background(), req))(t)
	require.Equal(t, []string{"app.v1", "base.v1"}, sol.Set())
	require.Equal(t, "1.5.0", sol.Steps[0].Version.String())

	req.Installed[0].Version = nil // that of the catalog then
	_, err := resolver.New().Resolve(context.Background(), req)
	testkit.As[*resolver.Conflict](t, err)
}

// A bundle that would do for several parts of a constraint is one candidate.
func TestCandidateOfSeveralParts(t *testing.T) {
	req := universe.Request(t, strings.NewReplacer(">=1.5.0", ">=1.0.0", ">1.4.0", ">0.9.0").Replace(needsNewerBase))
	req.Forbid = []resolver.Forbidden{{Bundle: resolver.BundleRef{Name: "base.v1"}, Message: "no"}}
	_, err := resolver.New().Resolve(context.Background(), req)
	conflict := testkit.As[*resolver.Conflict](t, err)
	for _, f := range conflict.Facts {
		if f.Kind == argument.FactConstraint {
			require.Len(t, f.Candidates, 1)
			require.Equal(t, "base.v1", f.Candidates[0].Bundle)
			return
		}
	}
	t.Fatal("no fact is about the constraint")
}
