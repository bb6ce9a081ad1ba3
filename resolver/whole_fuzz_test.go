package resolver_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/trace"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// choices draws a request from bytes: each byte is a choice among what there is.
type choices []byte

func (c *choices) below(n int) int {
	if len(*c) == 0 || n <= 0 {
		return 0
	}
	b := int((*c)[0])
	*c = (*c)[1:]
	return b % n
}

// pick returns one of the names, or one that a catalog cannot have foreseen.
func (c *choices) pick(names []string) string {
	names = append(slices.Clip(names), "nowhere", "\x1b[31m\u202e<b>")
	return names[c.below(len(names))]
}

// drawRequest draws a small request for a catalog.
func drawRequest(content *cache.Catalog, more []byte) resolver.Request {
	var packages, bundles, channels []string
	for p := range content.Packages() {
		packages = append(packages, p.Name)
		for _, ch := range p.Channels {
			channels = append(channels, ch.Name)
		}
	}
	for b := range content.Bundles() {
		bundles = append(bundles, b.Name)
	}
	c := choices(more)
	key := cache.Key{Namespace: "ns", Name: "c"}
	req := resolver.Request{Namespace: "ns", Catalogs: []resolver.Catalog{{Key: key, Content: content, Priority: c.below(3) - 1}}}
	for i := range c.below(3) {
		in := resolver.Installed{Name: c.pick(bundles), Automatic: c.below(4) == 1}
		if c.below(4) == 1 {
			in.Package, in.Version = c.pick(packages), &semver.Version{Major: uint64(i)}
		}
		req.Installed = append(req.Installed, in)
	}
	for i := range 1 + c.below(3) {
		s := resolver.Subscription{Name: string(rune('a' + i)), Package: c.pick(packages)}
		switch c.below(6) {
		case 1:
			s.Channels = []string{c.pick(channels)}
		case 2:
			s.StartingCSV = c.pick(bundles)
		case 3:
			s.InstalledCSV = c.pick(bundles)
		case 4:
			s.Pin = c.pick(bundles)
		case 5:
			s.VersionRange, _ = properties.ParseRange([]string{">=1.0.0", "<2.0.0", "=1.0.0 || >2.0.0"}[c.below(3)])
		}
		req.Subscriptions = append(req.Subscriptions, s)
	}
	switch c.below(5) {
	case 1:
		req.Forbid = []resolver.Forbidden{{Bundle: resolver.BundleRef{Name: c.pick(bundles)}, Message: "<script>\x1b[2J"}}
	case 2:
		req.Force = []resolver.BundleRef{{Name: c.pick(bundles)}}
	case 3:
		req.Cluster.APIs = []properties.GVK{{Group: "etcd.example.com", Version: "v1", Kind: "Etcd"}}
	}
	req.Policy = resolver.Policy{
		Upgrades:     []resolver.Upgrades{"", resolver.UpgradesSelfCertified}[c.below(2)],
		Compounds:    []resolver.Compounds{"", resolver.CompoundsPerBundle}[c.below(2)],
		Goal:         []resolver.Goal{"", resolver.MinimalChange, resolver.Oldest}[c.below(3)],
		Deprecations: []resolver.Deprecations{"", resolver.DeprecationsAvoid}[c.below(2)],
		Failures:     []resolver.Failures{"", resolver.FailuresPartial}[c.below(2)],
	}
	return req
}

// FuzzWholeWay goes the whole way from the bytes of a catalog to an answer and
// all that can be said of it. Nothing panics, errors are of the kinds that are
// told, an answer holds by the judgement of package upgradetest, which shares
// nothing with the resolver, the same request gets the same answer, and every
// text is inert.
func FuzzWholeWay(f *testing.F) {
	for i, line := range []string{
		"bundle a.v2 needs=etcd.example.com/v1/Etcd",
		`property a.v2 olm.constraint {"failureMessage":"<b>\u001b[31m\u202e","not":{"constraints":[{"package":{"packageName":"b","versionRange":">=0.0.0"}}]}}`,
		`property a.v2 olm.constraint {"any":{"constraints":[{"cel":{"rule":"properties.exists(p, p.type == 'olm.gvk')"}},{"all":{"constraints":[]}}]}}`,
		`property a.v2 olm.constraint {"all":{"constraints":[{"package":{"packageName":"b","versionRange":"<1.0.0"}},{"not":{"constraints":[{"not":{}}]}}]}}`,
		"bundle a.v2 barred",
	} {
		catalog := []byte(universe.JSON(f, "a/s a.v1\na/s a.v2 replaces=a.v1 range=<2.0.0\nb/s b.v1 provides=etcd.example.com/v1/Etcd\n"+line))
		f.Add(catalog, []byte{1, 0, 0, 2, byte(i), 0, 1, 1, byte(i), 3})
		f.Add(catalog, []byte{2, 0, 0, 1, 0, 0, 2, 0, 3, 0, 1, 0, byte(i), 0, 1, 1, 1, 1, 1})
	}
	f.Fuzz(func(t *testing.T, catalog, more []byte) {
		ctx := context.Background()
		content, err := fbc.Read(ctx, bytes.NewReader(catalog), "f.yaml", fbc.Options{MaxBlobBytes: 8 << 10, MaxTotalBytes: 64 << 10, MaxNodes: 1000, MaxProblems: 20})
		if err != nil {
			return // FuzzReadJSON and FuzzReadYAML look after that
		}
		for _, p := range content.Problems() {
			requireTame(t, p.Error())
		}
		req := drawRequest(content, more)
		r := resolver.New(resolver.WithLimits(resolver.Limits{Solves: 300, Bundles: 500, CELCost: 100_000}))
		first := allThatIsSaid(ctx, t, r, req)
		require.Equal(t, first, allThatIsSaid(ctx, t, r, req), "not the same twice")
	})
}

// allThatIsSaid asks all questions about a request and returns all that is said.
func allThatIsSaid(ctx context.Context, t *testing.T, r *resolver.Resolver, req resolver.Request) []string {
	t.Helper()
	record, sol, err := tracedBy(ctx, r, req, trace.Options{})
	said := []string{string(record.Outcome), record.Text()}
	said = append(said, answered(ctx, t, r, req, sol, err)...)
	path, err := r.Converge(ctx, req, resolver.ConvergeOptions{})
	if path != nil {
		for _, round := range path.Rounds {
			said = append(said, testkit.Written(t, draw.Solution(round).WriteMermaid))
		}
		said = append(said, path.Set()...)
	}
	said = append(said, answered(ctx, t, r, req, nil, err)...)
	if session, err := r.Session(ctx, req); err == nil {
		asked := 0
		for b := range req.Catalogs[0].Content.Bundles() {
			if asked++; asked > 3 {
				break
			}
			why, err := session.WhyNot(ctx, resolver.BundleRef{Name: b.Name})
			if why != nil {
				requireTame(t, why.Text())
				said = append(said, why.Text())
			}
			said = append(said, answered(ctx, t, r, req, nil, err)...)
		}
	}
	requireTame(t, record.Text())
	return said
}

// answered checks an answer, or an error, and returns what it says.
func answered(ctx context.Context, t *testing.T, r *resolver.Resolver, req resolver.Request, sol *resolver.Solution, err error) []string {
	t.Helper()
	var said []string
	if sol != nil {
		said = append(said, testkit.Written(t, draw.Solution(sol).WriteMermaid), testkit.Written(t, draw.Solution(sol).WriteDOT))
		for _, w := range sol.Warnings {
			said = append(said, string(w.Kind), w.Message)
		}
		if req.Policy.Compounds == "" && len(sol.Unresolved) == 0 && trusted(req) {
			wrong, err := unmet(ctx, req, sol)
			var budget *constraints.BudgetError
			require.True(t, err == nil || errors.As(err, &budget), "%v", err)
			require.Empty(t, wrong)
		}
		requireTame(t, testkit.Written(t, draw.Solution(sol).WriteMermaid))
		requireTame(t, testkit.Written(t, draw.Solution(sol).WriteDOT))
	}
	var conflict *resolver.Conflict
	var malformed *resolver.RequestError
	var stopped *resolver.IncompleteError
	switch {
	case err == nil:
	case errors.As(err, &conflict):
		require.NotEmpty(t, conflict.Facts)
		if err := whatif.FindCorrections(ctx, r, req, conflict, whatif.FindOptions{Commands: olm.Commands}); err != nil {
			require.ErrorAs(t, err, &stopped)
		}
		for _, c := range conflict.Corrections {
			requireTame(t, c.Text)
			said = append(said, c.Text)
		}
		data := testkit.Must(json.Marshal(conflict))(t)
		texts := []string{conflict.Error(), conflict.Text(), testkit.Written(t, draw.Conflict(conflict.Argument()).WriteDOT), testkit.Written(t, draw.Conflict(conflict.Argument()).WriteMermaid)}
		for _, text := range texts {
			requireTame(t, text)
		}
		said = append(append(said, texts...), string(data))
	case errors.As(err, &malformed), errors.As(err, &stopped):
		requireTame(t, err.Error())
		said = append(said, err.Error())
	default:
		t.Fatalf("an error of no kind: %v", err)
	}
	return said
}

// unmet are the constraints of bundles of a solution that the other bundles of it do not
// satisfy, by the table of section 3, and the packages and APIs that come twice.
func unmet(ctx context.Context, req resolver.Request, sol *resolver.Solution) (wrong []string, err error) {
	eval := constraints.NewEvaluator(constraints.EvaluatorOptions{Cluster: req.Cluster.Properties, APIs: req.Cluster.APIs})
	var members []*graph.Bundle
	packages, apis := make(map[string]bool), make(map[properties.GVK]bool)
	for _, st := range sol.Steps {
		content := req.Catalogs[0].Content
		for _, id := range content.Named(st.Bundle) {
			b := content.Bundle(id)
			if b.Package != st.Package {
				continue
			}
			members = append(members, b)
			for api := range b.Properties.GVKs() {
				if apis[api] {
					wrong = append(wrong, "API "+api.String())
				}
				apis[api] = true
			}
		}
		if packages[st.Package] && st.Package != "" {
			wrong = append(wrong, "package "+st.Package)
		}
		packages[st.Package] = true
	}
	var holds func(c constraints.Constraint) bool
	holds = func(c constraints.Constraint) bool {
		fails := func(c constraints.Constraint) bool { return !holds(c) }
		switch c := c.(type) {
		case *constraints.All:
			return !slices.ContainsFunc(c.Constraints, fails)
		case *constraints.Any:
			return slices.ContainsFunc(c.Constraints, holds)
		case *constraints.Not:
			return !slices.ContainsFunc(c.Constraints, holds)
		}
		return slices.ContainsFunc(members, func(b *graph.Bundle) bool {
			if pkg, is := c.(*constraints.Package); is {
				return b.Package == pkg.Name && pkg.Range.Contains(*b.Version)
			}
			ok, failed := eval.Match(ctx, c, constraints.NewSubject(b.Properties))
			err = cmp.Or(err, failed)
			return ok
		})
	}
	for _, b := range members {
		for _, q := range b.Constraints {
			if !holds(q.Constraint) {
				wrong = append(wrong, b.Name+" requires "+q.Constraint.String())
			}
		}
	}
	return wrong, err
}

// trusted reports whether the judge sees the same bundles as the resolver: it
// takes an installed bundle's properties from the catalog by the name of its
// package, and knows nothing of versions that only the request says.
func trusted(req resolver.Request) bool {
	for _, in := range req.Installed {
		if in.Package != "" || len(req.Catalogs[0].Content.Named(in.Name)) != 1 {
			return false
		}
	}
	return true
}
