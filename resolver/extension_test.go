package resolver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

func ExampleExtension() {
	req := request()
	req.Extensions = []resolver.Extension{{Name: "collect", Package: "collector", VersionRange: "<3"}, {Name: "trace", Package: "tracing"}}
	_, err := resolver.New().Resolve(context.Background(), req)
	fmt.Println(strings.SplitN(err.Error(), "\n", 2)[0])

	req.Policy.Dependencies = resolver.DependenciesPlan
	sol, err := resolver.New().Resolve(context.Background(), req)
	fmt.Println(sol.Set(), err)
	// Output:
	// extension trace cannot be met: tracing.v1 is the best version and requires an operator that provides collector.example.com/v1/Collector, and OLM v1 refuses a bundle that requires anything; narrow the version range, or have its dependencies planned (policy dependencies: Plan)
	// [collector.v2 tracing.v1] <nil>
}

// A conflict calls an extension what it is, in its facts, its headline and its argument,
// also once it was read from JSON; the kind of the fact stays.
func TestExtensionInWords(t *testing.T) {
	req := request()
	req.Extensions = []resolver.Extension{{Name: "trace", Package: "tracing"}}
	_, err := resolver.New().Resolve(t.Context(), req)
	var conflict, again *resolver.Conflict
	require.ErrorAs(t, err, &conflict)
	encoded := testkit.Must(json.Marshal(conflict))(t)
	require.NoError(t, json.Unmarshal(encoded, &again))
	for _, c := range []*resolver.Conflict{conflict, again} {
		require.Equal(t, "extension trace cannot be met", c.Headline())
		require.Equal(t, argument.FactSubscription, c.Facts[0].Kind)
		require.Equal(t, "extension trace asks for package tracing", c.Facts[0].Text)
		require.Contains(t, c.Text(), "Extension trace asks for package tracing")
		require.NotContains(t, strings.ToLower(c.Text()), "subscription")
	}
}

// A path of extensions goes edge by edge, and what a plan brings goes with it.
func TestExtensionPath(t *testing.T) {
	req := request()
	req.Extensions = []resolver.Extension{{Name: "trace", Package: "tracing"}}
	req.Policy.Dependencies = resolver.DependenciesPlan
	path := testkit.Must(resolver.New().Converge(t.Context(), req, resolver.ConvergeOptions{}))(t)
	require.Equal(t, []string{"collector.v3", "tracing.v1"}, path.Set())
	require.Len(t, path.Final.Extensions, 2)
	require.Equal(t, "collector", path.Final.Extensions[1].Package)
	require.Equal(t, "collector.v3", path.Final.Extensions[1].InstalledCSV)
}

// The release of an installed bundle can be given without properties: it tells which bundle of the
// same version is the installed one, whatever its name.
func TestExtensionRelease(t *testing.T) {
	req := universe.Request(t, `
		db/stable db.v1-r1 version=1.0.0 release=1
		db/stable db.v1-r2 version=1.0.0 release=2 replaces=db.v1-r1
		extend db db`)
	one := semver.MustParse("1.0.0")
	req.Extensions[0].InstalledCSV = "db.own"
	for release, want := range map[properties.Release]string{"1": "db.v1-r1", "2": "db.v1-r2"} {
		req.Installed = []resolver.Installed{{Name: "db.own", Package: "db", Version: &one, Release: release}}
		require.Equal(t, []string{want}, universe.Solution(t, req).Set(), release)
	}
	req.Installed[0].Release = "no release!"
	_, err := resolver.New().Resolve(t.Context(), req)
	invalid := testkit.As[*resolver.RequestError](t, err)
	require.Equal(t, "installed[0].release", invalid.Problems[0].Field)
}

// Changes and corrections reach extensions as they reach subscriptions.
func TestExtensionChanges(t *testing.T) {
	req := request()
	req.Extensions = []resolver.Extension{{Name: "collect", Package: "collector", VersionRange: ">=7"}}
	conflict := universe.Conflict(t, req)
	require.NoError(t, whatif.FindCorrections(t.Context(), resolver.New(), req, conflict, whatif.FindOptions{}))
	require.NotEmpty(t, conflict.Corrections)
	require.Equal(t, resolver.CorrectionChange{Change: resolver.ReleasePin{Subscription: "collect", Extension: true, VersionRange: ">=7"}, Who: resolver.RoleAdministrator},
		conflict.Corrections[0].Changes[0])
	require.Equal(t, []string{"collector.v3"}, conflict.Corrections[0].Result)

	session := testkit.Must(resolver.New().Session(t.Context(), req))(t)
	sol, err := session.Resolve(t.Context(), resolver.ReleasePin{Subscription: "collect"}, resolver.PinSubscription{Subscription: "collect", Bundle: "collector.v3"})
	require.NoError(t, err)
	require.Equal(t, []string{"collector.v3"}, sol.Set())
	_, err = session.Resolve(t.Context(), resolver.DropSubscription{Subscription: "other"})
	require.Error(t, err)

	req.Subscriptions = []resolver.Subscription{{Name: "s", Package: "collector"}}
	_, err = resolver.New().Resolve(t.Context(), req)
	require.ErrorContains(t, err, "extensions and subscriptions")
}
