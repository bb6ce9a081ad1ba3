package resolver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// onCatalog is a request for some packages of a catalog that is given as text.
func onCatalog(t *testing.T, text string, packages ...string) resolver.Request {
	t.Helper()
	c, err := fbc.Read(context.Background(), strings.NewReader(text), "c.jsonl", fbc.Options{})
	require.NoError(t, err)
	require.Empty(t, c.Problems())
	req := resolver.Request{Catalogs: []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "c"}, Content: c}}}
	for _, name := range packages {
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: name, Package: name})
	}
	return req
}

const needsNewerBase = `{"schema":"olm.package","name":"base","defaultChannel":"x"}
{"schema":"olm.channel","package":"base","name":"x","entries":[{"name":"base.v1"}]}
{"schema":"olm.bundle","package":"base","name":"base.v1","properties":[{"type":"olm.package","value":{"packageName":"base","version":"1.0.0"}}]}
{"schema":"olm.package","name":"app","defaultChannel":"x"}
{"schema":"olm.channel","package":"app","name":"x","entries":[{"name":"app.v1"}]}
{"schema":"olm.bundle","package":"app","name":"app.v1","properties":[{"type":"olm.package","value":{"packageName":"app","version":"1.0.0"}},{"type":"olm.constraint","value":{"any":{"constraints":[{"package":{"packageName":"base","versionRange":">=1.5.0"}},{"package":{"packageName":"base","versionRange":">1.4.0"}}]}}}]}
`

// What a request says of an installed bundle counts, not what the catalog says of
// the one of the same name.
func TestVersionOfWhatIsInstalled(t *testing.T) {
	req := onCatalog(t, needsNewerBase, "app")
	version := semver.MustParse("1.5.0")
	req.Installed = []resolver.Installed{{Name: "base.v1", Version: &version}}
	sol, err := resolver.New().Resolve(context.Background(), req)
	require.NoError(t, err)
	require.Equal(t, []string{"app.v1", "base.v1"}, sol.Set())
	require.Equal(t, "1.5.0", sol.Steps[0].Version.String())

	req.Installed[0].Version = nil // that of the catalog then
	_, err = resolver.New().Resolve(context.Background(), req)
	var conflict *resolver.Conflict
	require.ErrorAs(t, err, &conflict)
}

// A bundle that would do for several parts of a constraint is one candidate.
func TestCandidateOfSeveralParts(t *testing.T) {
	req := onCatalog(t, strings.NewReplacer(">=1.5.0", ">=1.0.0", ">1.4.0", ">0.9.0").Replace(needsNewerBase), "app")
	req.Forbid = []resolver.Forbidden{{Bundle: resolver.BundleRef{Name: "base.v1"}, Message: "no"}}
	_, err := resolver.New().Resolve(context.Background(), req)
	var conflict *resolver.Conflict
	require.ErrorAs(t, err, &conflict)
	for _, f := range conflict.Facts {
		if f.Kind == argument.FactConstraint {
			require.Len(t, f.Candidates, 1)
			require.Equal(t, "base.v1", f.Candidates[0].Bundle)
			return
		}
	}
	t.Fatal("no fact is about the constraint")
}
