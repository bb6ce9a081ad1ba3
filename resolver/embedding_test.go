package resolver_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// conflictIn is the conflict of a request that has no solution.
func conflictIn(t *testing.T, req resolver.Request) *resolver.Conflict {
	t.Helper()
	_, err := resolver.New().Resolve(t.Context(), req)
	conflict := testkit.As[*resolver.Conflict](t, err)
	return conflict
}

// factOf is the only fact of a kind.
func factOf(t *testing.T, c *resolver.Conflict, kind argument.FactKind) argument.Fact {
	t.Helper()
	var found []argument.Fact
	for _, f := range c.Facts {
		if f.Kind == kind {
			found = append(found, f)
		}
	}
	require.Len(t, found, 1)
	return found[0]
}

// Each step that leaves a subscription without candidates has a code and names.
func TestNoCandidateSteps(t *testing.T) {
	const catalog = `
		db/stable db.v1 db.v2
		db/fast db.v3
		installed db.v1 package=db
		`
	versions := func(text string) properties.Range { return properties.MustParseRange(text) }
	for _, tt := range []struct {
		ask   resolver.Subscription
		step  string
		names []string
	}{
		{resolver.Subscription{Package: "db", Catalog: cache.Key{Namespace: "no", Name: "where"}}, "catalog", []string{"no/where"}},
		{resolver.Subscription{Package: "queue"}, "package", []string{"queue"}},
		{resolver.Subscription{Package: "db", Channels: []string{"slow", "slower"}}, "channel", []string{"slow", "slower"}},
		{resolver.Subscription{Package: "db", Channels: []string{"stable"}, StartingCSV: "db.v3"}, "startingCSV", []string{"db.v3"}},
		{resolver.Subscription{Package: "db", Pin: "db.v9"}, "pin", []string{"db.v9"}},
		{resolver.Subscription{Package: "db", Channels: []string{"fast"}, InstalledCSV: "db.v1", Pin: "db.v3"}, "edge", []string{"db.v3"}},
		{resolver.Subscription{Package: "db", VersionRange: versions(">=7.0.0")}, "range", []string{">=7.0.0"}},
	} {
		req := universe.Request(t, catalog)
		if tt.ask.InstalledCSV == "" {
			req.Installed = nil
		}
		tt.ask.Name = "mine"
		req.Subscriptions = []resolver.Subscription{tt.ask}
		f := factOf(t, conflictIn(t, req), argument.FactNoCandidate)
		require.Equal(t, tt.step, f.Step, f.Text)
		require.Equal(t, tt.names, f.Names)
	}
	two := universe.Request(t, "db/stable db.v1")
	other := two.Catalogs[0]
	other.Key.Name = "another"
	two.Catalogs = append(two.Catalogs, other)
	two.Extensions = []resolver.Extension{{Name: "mine", Package: "db"}}
	f := factOf(t, conflictIn(t, two), argument.FactNoCandidate)
	require.Equal(t, "ambiguousCatalogs", f.Step)
	require.Equal(t, []string{"test/another", two.Catalogs[0].Key.String()}, f.Names)
}

// The rules of a package and of an API name who takes part, and candidates where they
// come from.
func TestParticipants(t *testing.T) {
	req := universe.Request(t, `
		db/stable db.v1 provides=a.example.com/v1/A
		other/fast other.v1 provides=a.example.com/v1/A
		subscribe db
		subscribe other`)
	c := conflictIn(t, req)
	key := req.Catalogs[0].Key
	require.Equal(t, []resolver.BundleRef{{Catalog: key, Name: "db.v1"}, {Catalog: key, Name: "other.v1"}}, factOf(t, c, argument.FactGVK).Participants)
	require.Equal(t, "stable", c.Facts[0].Candidates[0].Channel)
	require.Equal(t, key.String(), c.Facts[1].Candidates[0].Catalog)
	require.Equal(t, "fast", c.Facts[1].Candidates[0].Channel)

	twice := universe.Request(t, `
		db/stable db.v1
		db/fast db.v2
		subscribe db in=stable`)
	twice.Subscriptions = append(twice.Subscriptions, resolver.Subscription{Name: "again", Package: "db", Channels: []string{"fast"}})
	require.Equal(t, []resolver.BundleRef{{Catalog: key, Name: "db.v1"}, {Catalog: key, Name: "db.v2"}},
		factOf(t, conflictIn(t, twice), argument.FactPackage).Participants)
}

// Of two subscriptions for one package, one of which owns what is installed, a conflict
// says so.
func TestTwoSubscriptionsForOnePackage(t *testing.T) {
	req := universe.Request(t, `
		db/stable db.v1
		installed db.v1 package=db
		subscribe db at=db.v1`)
	req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: "again", Package: "db"})
	text := conflictIn(t, req).Text()
	require.Contains(t, text, "Subscriptions again and db want the same package, and db owns the installed db.v1")
	require.NotContains(t, text, "beside db.v1")
}

// mine is what a program keeps of a bundle.
type mine struct{ row int }

// What a program declares carries values of its own, ranges of its own syntax and
// constraints, and all of it comes back.
func TestPayloads(t *testing.T) {
	key := cache.Key{Namespace: "n", Name: "c"}
	version := func(v string) properties.Set {
		p := testkit.Must(properties.New("olm.package", []byte(`{"packageName":"db","version":"`+v+`"}`)))(t)
		return properties.NewSet(p)
	}
	even := properties.NewRange("even", func(v semver.Version) bool { return v.Major%2 == 0 })
	var decls []graph.BundleDecl
	entries := []graph.EntryDecl{{Name: "db.v4", SkipVersions: even}}
	for row, v := range []string{"2.0.0", "3.0.0", "4.0.0"} {
		decls = append(decls, graph.BundleDecl{Name: "db.v" + v[:1], Properties: version(v), Payload: mine{row}})
	}
	pkg := graph.Build(graph.PackageDecl{Name: "db", Definitions: []graph.DefinitionDecl{{DefaultChannel: "c"}},
		Channels: []graph.ChannelDecl{{Name: "c", Entries: entries}}, Bundles: decls}, graph.Options{})
	content := cache.NewCatalog([]*graph.Package{pkg}, nil)
	v2 := semver.MustParse("2.0.0")
	req := resolver.Request{Catalogs: []resolver.Catalog{{Key: key, Content: content}},
		Installed:     []resolver.Installed{{Name: "db.v2", Package: "db", Version: &v2}},
		Subscriptions: []resolver.Subscription{{Name: "db", Package: "db", InstalledCSV: "db.v2"}}}
	sol := testkit.Must(resolver.New().Resolve(t.Context(), req))(t)
	require.Equal(t, []string{"db.v4"}, sol.Set(), "an even version may move")
	require.Equal(t, mine{2}, sol.Steps[0].Payload)

	v3 := semver.MustParse("3.0.0")
	req.Installed[0] = resolver.Installed{Name: "db.v3", Package: "db", Version: &v3, Payload: mine{7}}
	req.Subscriptions[0].InstalledCSV = "db.v3"
	sol = testkit.Must(resolver.New().Resolve(t.Context(), req))(t)
	require.Equal(t, []string{"db.v3"}, sol.Set(), "an odd one may not")
	require.Equal(t, mine{7}, sol.Steps[0].Payload)
	require.Equal(t, key, sol.Steps[0].KeptFrom, "the catalog that has what is kept")

	req.Installed, req.Subscriptions[0].InstalledCSV = nil, ""
	req.Constraints = []resolver.BundleConstraint{{Bundle: resolver.BundleRef{Name: "db.v4"}, Constraint: &constraints.Package{Name: "none", Range: even}}}
	c := conflictIn(t, req)
	require.Equal(t, mine{2}, c.Facts[0].Candidates[0].Payload)
}

// A veto is asked of what the request reaches, once in each problem, and its message is
// that of a prohibition.
func TestVeto(t *testing.T) {
	req := universe.Request(t, `
		db/stable db.v1 db.v2
		far/stable far.v1
		subscribe db`)
	asked := make(map[string]int)
	req.Veto = func(key cache.Key, b *graph.Bundle) string {
		require.Equal(t, req.Catalogs[0].Key, key)
		if asked[b.Name]++; b.Version.Major == 2 {
			return "two is too many"
		}
		return ""
	}
	s := testkit.Must(resolver.New().Session(t.Context(), req))(t)
	for range 3 {
		sol := testkit.Must(s.Resolve(t.Context()))(t)
		require.Equal(t, []string{"db.v1"}, sol.Set())
	}
	require.Equal(t, map[string]int{"db.v1": 1, "db.v2": 1}, asked)

	req.Subscriptions[0].StartingCSV = "db.v2"
	c := conflictIn(t, req)
	f := factOf(t, c, argument.FactForbidden)
	require.Equal(t, "db.v2", f.Subject)
	require.Equal(t, "two is too many", f.Message)

	listed := req
	listed.Veto, listed.Forbid = nil, []resolver.Forbidden{{Bundle: resolver.BundleRef{Catalog: req.Catalogs[0].Key, Name: "db.v2"}, Message: "two is too many"}}
	require.Equal(t, conflictIn(t, listed).Text(), c.Text(), "as if it were listed")
}

// An invalid request keeps its causes.
func TestInvalidRequestKeepsItsCause(t *testing.T) {
	req := universe.Request(t, "db/stable db.v1\nsubscribe db")
	req.Catalogs[0].Unavailable = &fs.PathError{Op: "open", Path: "there", Err: errors.New("gone")}
	_, err := resolver.New().Resolve(context.Background(), req)
	cause := testkit.As[*fs.PathError](t, err)
	require.Equal(t, "there", cause.Path)
}

// An extension that is checked by itself keeps the causes that a request would keep.
func TestInvalidExtensionKeepsItsCause(t *testing.T) {
	e := resolver.Extension{Name: "mine", Package: "db", VersionRange: "one"}
	_, err := resolver.New().Resolve(t.Context(), resolver.Request{Extensions: []resolver.Extension{e}})
	invalid := testkit.As[*resolver.RequestError](t, err)
	require.Len(t, invalid.Problems, 1)
	require.Error(t, invalid.Problems[0].Err)

	joined, several := e.Validate().(interface{ Unwrap() []error })
	require.True(t, several)
	require.Len(t, joined.Unwrap(), 1)
	require.EqualError(t, joined.Unwrap()[0], invalid.Problems[0].Message)
	require.Equal(t, invalid.Problems[0].Err, errors.Unwrap(joined.Unwrap()[0]))
}
