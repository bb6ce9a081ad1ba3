package resolver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	"github.com/seed109e2655/resolute/resolver/whatif"
)

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

// Each step that leaves a subscription without candidates has a code and names; for those that a
// text can say, see testdata/requests.txt.
func TestNoCandidateSteps(t *testing.T) {
	far := universe.Request(t, "db/stable db.v1\nsubscribe db")
	far.Subscriptions[0].Catalog = cache.Key{Namespace: "no", Name: "where"}
	f := factOf(t, universe.Conflict(t, far), argument.FactNoCandidate)
	require.Equal(t, argument.CauseCatalog, f.Cause)
	require.Equal(t, []string{"no/where"}, f.Names)
	require.Equal(t, []cache.Key{{Namespace: "no", Name: "where"}}, f.Catalogs)

	two := universe.Request(t, "db/stable db.v1")
	other := two.Catalogs[0]
	other.Key.Name = "another"
	two.Catalogs = append(two.Catalogs, other)
	two.Extensions = []resolver.Extension{{Name: "mine", Package: "db"}}
	f = factOf(t, universe.Conflict(t, two), argument.FactNoCandidate)
	require.Equal(t, argument.CauseAmbiguousCatalogs, f.Cause)
	require.Equal(t, []string{"test/another", two.Catalogs[0].Key.String()}, f.Names)
	require.Equal(t, []cache.Key{{Namespace: "test", Name: "another"}, two.Catalogs[0].Key}, f.Catalogs)
}

// The rules of a package and of an API name who takes part, and candidates where they
// come from.
func TestParticipants(t *testing.T) {
	req := universe.Request(t, `
		db/stable db.v1 provides=a.example.com/v1/A
		other/fast other.v1 provides=a.example.com/v1/A
		subscribe db
		subscribe other`)
	c := universe.Conflict(t, req)
	key := req.Catalogs[0].Key
	rule := factOf(t, c, argument.FactGVK)
	require.Equal(t, []argument.Participant{{Bundle: resolver.BundleRef{Catalog: key, Name: "db.v1"}, Channel: "stable"},
		{Bundle: resolver.BundleRef{Catalog: key, Name: "other.v1"}, Channel: "fast"}}, rule.Participants)
	require.Equal(t, properties.GVK{Group: "a.example.com", Version: "v1", Kind: "A"}, rule.API)
	require.Equal(t, "stable", c.Facts[0].Candidates[0].Channel)
	require.Equal(t, key, c.Facts[1].Candidates[0].Catalog)
	require.Equal(t, "fast", c.Facts[1].Candidates[0].Channel)

	twice := universe.Request(t, `
		db/stable db.v1
		db/fast db.v2
		subscribe db in=stable`)
	twice.Subscriptions = append(twice.Subscriptions, resolver.Subscription{Name: "again", Package: "db", Channels: []string{"fast"}})
	require.Equal(t, []argument.Participant{{Bundle: resolver.BundleRef{Catalog: key, Name: "db.v1"}, Channel: "stable"},
		{Bundle: resolver.BundleRef{Catalog: key, Name: "db.v2"}, Channel: "fast"}}, factOf(t, universe.Conflict(t, twice), argument.FactPackage).Participants)
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
	sol := universe.Solution(t, req)
	require.Equal(t, []string{"db.v4"}, sol.Set(), "an even version may move")
	require.Equal(t, mine{2}, sol.Steps[0].Payload)

	v3 := semver.MustParse("3.0.0")
	req.Installed[0] = resolver.Installed{Name: "db.v3", Package: "db", Version: &v3, Payload: mine{7}}
	req.Subscriptions[0].InstalledCSV = "db.v3"
	sol = universe.Solution(t, req)
	require.Equal(t, []string{"db.v3"}, sol.Set(), "an odd one may not")
	require.Equal(t, mine{7}, sol.Steps[0].Payload)
	require.Equal(t, key, sol.Steps[0].KeptFrom, "the catalog that has what is kept")

	req.Installed, req.Subscriptions[0].InstalledCSV = nil, ""
	req.Constraints = []resolver.BundleConstraint{{Bundle: resolver.BundleRef{Name: "db.v4"}, Constraint: &constraints.Package{Name: "none", Range: even}}}
	c := universe.Conflict(t, req)
	require.Equal(t, mine{2}, c.Facts[0].Candidates[0].Payload)
}

// A step that replaces a higher version of its package is a downgrade, by the versions and not by the
// names; one that replaces another package is an upgrade.
func TestDowngrade(t *testing.T) {
	req := universe.Request(t, `
		db/stable db.v1 version=3.0.0
		db/stable db.v2 version=2.0.0 replaces=db.v1
		lib/stable lib.v1 replaces=old.v9
		installed db.v1
		installed old.v9 package=old version=9.0.0
		subscribe db at=db.v1
		subscribe lib at=old.v9`)
	sol := universe.Solution(t, req)
	actions := make(map[string]resolver.Action)
	for _, s := range sol.Steps {
		actions[s.Bundle] = s.Action
	}
	require.Equal(t, map[string]resolver.Action{"db.v2": resolver.Downgrade, "lib.v1": resolver.Upgrade}, actions)
	require.Contains(t, string(testkit.Must(json.Marshal(sol))(t)), `"action":"downgrade","bundle":"db.v2"`)

	req.Installed[0].Name, req.Subscriptions[0].InstalledCSV = "gone.v1", "gone.v1" // in no catalog, and without a version
	req.Subscriptions[0].Channels = nil
	require.NotContains(t, string(testkit.Must(json.Marshal(universe.Solution(t, req)))(t)), "downgrade")
}

// A veto is asked of what the request reaches, once in each problem, and its message is
// that of a prohibition.
func TestVeto(t *testing.T) {
	req := universe.Request(t, `
		db/stable db.v1 db.v2
		far/stable far.v1
		subscribe db`)
	asked := make(map[string]int)
	req.Veto = func(_ context.Context, key cache.Key, b *graph.Bundle) (string, error) {
		require.Equal(t, req.Catalogs[0].Key, key)
		if asked[b.Name]++; b.Version.Major == 2 {
			return "two is too many", nil
		}
		return "", nil
	}
	s := testkit.Must(resolver.New().Session(t.Context(), req))(t)
	for range 3 {
		sol := testkit.Must(s.Resolve(t.Context()))(t)
		require.Equal(t, []string{"db.v1"}, sol.Set())
	}
	require.Equal(t, map[string]int{"db.v1": 1, "db.v2": 1}, asked)

	req.Subscriptions[0].StartingCSV = "db.v2"
	c := universe.Conflict(t, req)
	f := factOf(t, c, argument.FactForbidden)
	require.Equal(t, "db.v2", f.Subject)
	require.Equal(t, "two is too many", f.Message)

	listed := req
	listed.Veto, listed.Forbid = nil, []resolver.Forbidden{{Bundle: resolver.BundleRef{Catalog: req.Catalogs[0].Key, Name: "db.v2"}, Message: "two is too many"}}
	require.Equal(t, universe.Conflict(t, listed).Text(), c.Text(), "as if it were listed")
}

// A veto is not asked of installed and forbidden bundles.
func TestVetoNotAsked(t *testing.T) {
	req := universe.Request(t, `
		db/stable db.v1 db.v2
		db/stable db.v3 replaces=db.v2 skips=db.v1
		installed db.v1
		forbid db.v3
		subscribe db at=db.v1`)
	var asked []string
	req.Veto = func(_ context.Context, _ cache.Key, b *graph.Bundle) (string, error) {
		asked = append(asked, b.Name)
		return "", nil
	}
	s := testkit.Must(resolver.New().Session(t.Context(), req))(t)
	require.Equal(t, []string{"db.v2"}, testkit.Must(s.Resolve(t.Context()))(t).Set())
	require.Equal(t, []string{"db.v2"}, asked)

	sol := testkit.Must(s.Resolve(t.Context(), resolver.AllowForbidden{Bundle: "db.v3"}))(t)
	require.Equal(t, []string{"db.v3"}, sol.Set())
	require.Contains(t, asked, "db.v3", "it is not forbidden any more")
}

// An error of a veto ends every question with that error, and nothing of it is kept: once the
// veto decides, the same session and resolver answer as if it always had.
func TestVetoFails(t *testing.T) {
	req := universe.Request(t, `
		db/stable db.v1
		db/stable db.v2 replaces=db.v1 needs=lib@>=1.0.0
		lib/stable lib.v1
		subscribe db`)
	gone := errors.New("the signature server does not answer")
	failing := ""
	req.Veto = func(_ context.Context, _ cache.Key, b *graph.Bundle) (string, error) {
		if b.Name == failing {
			return "ignored", gone
		}
		return "", nil
	}
	r := resolver.New()
	s := testkit.Must(r.Session(t.Context(), req))(t)
	for _, failing = range []string{"db.v2", "lib.v1"} {
		questions := map[string]func() error{
			"Resolve":     func() error { _, err := r.Resolve(t.Context(), req); return err },
			"WriteDIMACS": func() error { return r.WriteDIMACS(t.Context(), io.Discard, req) },
			"Prove":       func() error { _, err := r.Prove(t.Context(), req); return err },
			"Converge":    func() error { _, err := r.Converge(t.Context(), req, resolver.ConvergeOptions{}); return err },
			"Session": func() error {
				again, err := r.Session(t.Context(), req)
				if err == nil {
					_, err = again.Resolve(t.Context())
				}
				return err
			},
		}
		for name, ask := range questions {
			failed := testkit.As[*resolver.VetoError](t, ask())
			require.Equal(t, resolver.BundleRef{Catalog: req.Catalogs[0].Key, Name: failing}, failed.Bundle, name)
			require.ErrorIs(t, failed, gone, name)
		}
	}
	require.Equal(t, "Request.Veto cannot decide about "+req.Catalogs[0].Key.String()+":lib.v1: the signature server does not answer",
		testkit.As[*resolver.VetoError](t, func() error { _, err := r.Resolve(t.Context(), req); return err }()).Error())
	failing = ""
	for _, sol := range []*resolver.Solution{testkit.Must(s.Resolve(t.Context()))(t), testkit.Must(r.Resolve(t.Context(), req))(t)} {
		require.Equal(t, []string{"db.v2", "lib.v1"}, sol.Set())
	}
}

// A veto that ends with its context is an interruption, not a failed veto.
func TestVetoEndsWithItsContext(t *testing.T) {
	req := universe.Request(t, "db/stable db.v1\nsubscribe db")
	ctx, cancel := context.WithCancel(t.Context())
	req.Veto = func(ctx context.Context, _ cache.Key, _ *graph.Bundle) (string, error) {
		cancel()
		<-ctx.Done()
		return "", fmt.Errorf("asking the server: %w", ctx.Err())
	}
	_, err := resolver.New().Resolve(ctx, req)
	incomplete := testkit.As[*resolver.IncompleteError](t, err)
	require.Equal(t, resolver.LimitContext, incomplete.Limit)
	require.ErrorIs(t, err, context.Canceled)
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

// A program that shows conflicts in its own way starts from the headline, and
// tells candidates that were ruled out from those that nearly were some.
func ExampleConflict_Headline() {
	req := request("tracing")
	req.Forbid = []resolver.Forbidden{{Bundle: resolver.BundleRef{Name: "tracing.v1"}, Message: "known data loss"}}
	_, err := resolver.New().Resolve(context.Background(), req)
	var conflict *resolver.Conflict
	if !errors.As(err, &conflict) {
		fmt.Println("solved")
		return
	}
	fmt.Println(conflict.Headline())
	for _, f := range conflict.Facts {
		for _, c := range f.Candidates {
			if !c.NearMiss() {
				fmt.Printf("%s %s\n", c.Bundle, c.Text)
			}
		}
	}
	// Output:
	// subscription tracing cannot be met
	// tracing.v1 is forbidden by the request
}

// A session tells what it is about, and a catalog that is put in the place of
// another changes an answer as a fresh request would.
func TestReplaceInASession(t *testing.T) {
	ctx, req := context.Background(), request("tracing")
	s := testkit.Must(resolver.New().Session(ctx, req))(t)
	require.Equal(t, req, s.Request())
	before := testkit.Must(s.Resolve(ctx))(t)
	same := testkit.Must(s.Resolve(ctx, resolver.ReplaceCatalog{Catalog: req.Catalogs[0]}))(t)
	require.True(t, whatif.Compare(before, same).Empty())

	other := universe.Catalogs(t, "tracing/c tracing.v1")[0]
	other.Key = req.Catalogs[0].Key
	after := testkit.Must(s.Resolve(ctx, resolver.ReplaceCatalog{Catalog: other}))(t)
	require.False(t, whatif.Compare(before, after).Empty())
	require.Contains(t, after.Set(), "tracing.v1")
	require.Len(t, after.Set(), 1, "there tracing requires nothing")
	require.Equal(t, req, s.Request(), "a change holds for one answer")
}

// What is said of changes shows names as text.
func TestChangesAreInert(t *testing.T) {
	for _, c := range []resolver.Change{
		resolver.DropSubscription{Subscription: "\x1b[31m\u202e"}, resolver.PinSubscription{Subscription: "a\nb", Bundle: "\x00"}, resolver.RemoveInstalled{Bundle: "\u009b2J"},
		resolver.ForbidBundle{Bundle: resolver.BundleRef{Name: "\x1b"}, Message: "\x1b[2J"}, resolver.ForceBundle{Bundle: resolver.BundleRef{Name: "\u2028"}},
	} {
		requireTame(t, c.String())
		require.NotContains(t, c.String(), "\n")
	}
}

// TestCatalogSelector: selectors choose catalogs as label selectors of Kubernetes do.
func TestCatalogSelector(t *testing.T) {
	c := &resolver.Catalog{Key: cache.Key{Namespace: "olm", Name: "community"}, Labels: map[string]string{"tier": "gold"}}
	for _, tt := range []struct {
		key, operator string
		values        []string
		want          bool
	}{
		{"tier", "In", []string{"silver", "gold"}, true},
		{"tier", "In", []string{"silver"}, false},
		{"zone", "In", []string{"gold"}, false},
		{"tier", "NotIn", []string{"silver"}, true},
		{"tier", "NotIn", []string{"gold"}, false},
		{"zone", "NotIn", []string{"gold"}, true},
		{"tier", "Exists", nil, true},
		{"zone", "Exists", nil, false},
		{"zone", "DoesNotExist", nil, true},
		{"tier", "DoesNotExist", nil, false},
		{"tier", "Like", nil, false},
		{"olm.operatorframework.io/metadata.name", "In", []string{"community"}, true},
	} {
		s := resolver.CatalogSelector{MatchExpressions: []resolver.LabelRequirement{{Key: tt.key, Operator: resolver.SelectorOperator(tt.operator), Values: tt.values}}}
		require.Equal(t, tt.want, s.Matches(c), "%s %s %v", tt.key, tt.operator, tt.values)
	}
	require.True(t, resolver.CatalogSelector{MatchLabels: map[string]string{"tier": "gold"}}.Matches(c))
	require.False(t, resolver.CatalogSelector{MatchLabels: map[string]string{"tier": "silver"}}.Matches(c))
}

// TestExtensionValidate: everything that is wrong with an extension is said at once.
func TestExtensionValidate(t *testing.T) {
	require.NoError(t, (&resolver.Extension{Name: "db", Package: "db", VersionRange: "^1.2"}).Validate())
	err := (&resolver.Extension{VersionRange: "one", Upgrades: "Sometimes", Catalogs: resolver.CatalogSelector{
		MatchExpressions: []resolver.LabelRequirement{{Key: "a", Operator: "Like"}}}}).Validate()
	for _, want := range []string{"missing", "set the package to install", "write it like", "use Catalog or SelfCertified", "use In, NotIn, Exists or DoesNotExist"} {
		require.ErrorContains(t, err, want)
	}
}

// TestStepsReadBack: a step in JSON says all of it but the catalogs of what was passed over.
func TestStepsReadBack(t *testing.T) {
	v := semver.MustParse("1.2.0")
	want := resolver.Step{Wave: 2, Action: resolver.Upgrade, Bundle: "db.v1.2.0", Package: "db", Version: &v, Channel: "stable",
		Catalog: cache.Key{Namespace: "olm", Name: "community"}, Replaces: []string{"db.v1.1.0", "old.v1"},
		Because: []resolver.Reason{{Subscription: "db"}}, PassedOver: []resolver.BundleRef{{Name: "db.v1.3.0"}}, Image: "example.com/db"}
	data := testkit.Must(json.Marshal(want))(t)
	var got resolver.Step
	require.NoError(t, json.Unmarshal(data, &got))
	require.Equal(t, want, got)
	for _, bad := range []string{`{"version":"one"}`, `{"catalog":"a/b/c"}`, `{"wave":"two"}`} {
		require.Error(t, json.Unmarshal([]byte(bad), &got), bad)
	}
}

// TestChangesOfWhatIsNotThere: each change whose subject the request does not have is named.
func TestChangesOfWhatIsNotThere(t *testing.T) {
	key := cache.Key{Namespace: "olm", Name: "community"}
	changes := []resolver.Change{
		resolver.DropSubscription{Subscription: "db"}, resolver.PinSubscription{Subscription: "db", Bundle: "db.v1"}, resolver.RemoveInstalled{Bundle: "db.v1"},
		resolver.AdoptInstalled{Bundle: "db.v1", Subscription: "db"}, resolver.AllowForbidden{Bundle: "db.v1"}, resolver.SetPriority{Catalog: key, Priority: 5},
		resolver.UseName{Subscription: "db", Of: "name", To: "x"},
	}
	_, err := resolver.Request{}.Apply(changes...)
	malformed := testkit.As[*resolver.RequestError](t, err)
	require.Len(t, malformed.Problems, len(changes))
}
