package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// vetoPair is a rule, and the same as a function.
type vetoPair struct {
	rule string
	says func(b *graph.Bundle, pkg *graph.Package) bool
}

var vetoPairs = []vetoPair{
	{`semver_compare(bundle.version, "1.1.0") > 0`, func(b *graph.Bundle, _ *graph.Package) bool { return b.Version.GT(semver.MustParse("1.1.0")) }},
	{`bundle.package in ["a", "b", "p0", "p1"] && bundle.version.startsWith("1.0")`, func(b *graph.Bundle, _ *graph.Package) bool {
		return slices.Contains([]string{"a", "b", "p0", "p1"}, b.Package) && strings.HasPrefix(b.Version.String(), "1.0")
	}},
	{`size(bundle.channels) > 1`, func(b *graph.Bundle, pkg *graph.Package) bool {
		n := 0
		for _, ch := range pkg.Channels {
			if slices.ContainsFunc(ch.Entries, func(e graph.Entry) bool { return e.Name == b.Name }) {
				n++
			}
		}
		return n > 1
	}},
	{`bundle.deprecated`, func(b *graph.Bundle, pkg *graph.Package) bool {
		return b.Deprecated || pkg.Deprecated || b.Properties.Deprecated()
	}},
	{`bundle.properties.exists(p, p.type == "olm.gvk")`, func(b *graph.Bundle, _ *graph.Package) bool { return b.Properties.HasType("olm.gvk") }},
}

// drawnVeto returns some of the pairs for a drawn problem.
func drawnVeto(p *oracle.Problem) []vetoPair {
	h := fnv.New32()
	fmt.Fprintf(h, "%v %v", p.Subscriptions, p.Installed)
	var out []vetoPair
	for i, pair := range vetoPairs {
		if pair.says != nil && h.Sum32()>>i&1 == 1 {
			out = append(out, pair)
		}
	}
	return out
}

// TestPropertyVeto: rules exclude exactly the bundles for which a function would say the same.
func TestPropertyVeto(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 1, func(p *oracle.Problem) error {
		req := c.request(p)
		pairs := drawnVeto(p)
		byFunction := req
		byFunction.Veto = func(_ context.Context, key cache.Key, b *graph.Bundle) (string, error) {
			for _, pkg := range req.Packages(key, b.Package) {
				for i, pair := range pairs {
					if pair.says(b, pkg) {
						return fmt.Sprint("rule ", i), nil
					}
				}
			}
			return "", nil
		}
		for i, pair := range pairs {
			req.Policy.Veto = append(req.Policy.Veto, resolver.VetoRule{Rule: pair.rule, Message: fmt.Sprint("rule ", i)})
		}
		got, want := outcome(r.Resolve(context.Background(), req)), outcome(r.Resolve(context.Background(), byFunction))
		if got != want {
			return fmt.Errorf("by rules:\n%s\nby a function:\n%s", got, want)
		}
		s, err := r.Session(context.Background(), req)
		if err != nil {
			return err
		}
		for range 2 {
			if again := outcome(s.Resolve(context.Background())); again != want {
				return fmt.Errorf("in a session:\n%s\nby a function:\n%s", again, want)
			}
		}
		return nil
	})
}

// outcome describes an answer without what names the origin of a prohibition.
func outcome(sol *resolver.Solution, err error) string {
	var conflict *resolver.Conflict
	switch {
	case errors.As(err, &conflict):
		var b strings.Builder
		for _, one := range conflict.All() {
			for _, f := range one.Facts {
				fmt.Fprintln(&b, f.Kind, f.Subject, f.Message, f.Catalog)
			}
		}
		return b.String()
	case err != nil:
		return err.Error()
	}
	var b strings.Builder
	for _, s := range sol.Steps {
		fmt.Fprintln(&b, s.Wave, s.Action, s.Bundle, s.Catalog, s.Because, s.PassedOver)
	}
	for _, u := range sol.Unresolved {
		fmt.Fprintln(&b, u.Subscription, u.Installed, outcome(nil, u.Conflict))
	}
	return b.String()
}

// TestVetoConflict: a conflict quotes the rule and the message, and a correction that was verified
// relaxes the policy.
func TestVetoConflict(t *testing.T) {
	req := universe.Request(t, `
		db/stable db.v1 db.v2
		far/stable far.v1 needs=db@>=2.0.0
		subscribe far`)
	rule := `bundle.package == "db" && semver_compare(bundle.version, "2.0.0") >= 0`
	req.Policy.Veto = []resolver.VetoRule{{Rule: rule, Message: "db 2 is not approved"}}
	c := universe.Conflict(t, req)
	f := factOf(t, c, argument.FactForbidden)
	require.Equal(t, "db.v2", f.Subject)
	require.Equal(t, rule, f.Rule)
	require.Equal(t, "db 2 is not approved", f.Message)
	require.Contains(t, f.Text, rule)
	require.Contains(t, c.Text(), rule)
	require.Contains(t, c.Text(), "db 2 is not approved")

	require.NoError(t, whatif.FindCorrections(t.Context(), resolver.New(), req, c, whatif.FindOptions{}))
	k := c.Corrections[0]
	require.Len(t, k.Changes, 1)
	require.Equal(t, resolver.RelaxPolicy{Rule: rule}, k.Changes[0].Change)
	require.Equal(t, resolver.RoleAdministrator, k.Changes[0].Who)
	require.Equal(t, []string{"db.v2", "far.v1"}, k.Result)
	changed := testkit.Must(req.Apply(k.List()...))(t)
	require.Equal(t, k.Result, universe.Solution(t, changed).Set())
	require.Len(t, req.Policy.Veto, 1, "the request itself is unchanged")

	_, err := changed.Apply(k.List()...)
	require.ErrorContains(t, err, "the policy has no such rule")
}

// TestVetoOfTwoRules: where two rules forbid a bundle, the first is quoted, and relaxing takes both.
func TestVetoOfTwoRules(t *testing.T) {
	req := universe.Request(t, "db/stable db.v1\nsubscribe db")
	req.Policy.Veto = []resolver.VetoRule{{Rule: `bundle.name == "db.v1"`}, {Rule: `bundle.version == "1.0.0"`}}
	c := universe.Conflict(t, req)
	require.Equal(t, `bundle.name == "db.v1"`, factOf(t, c, argument.FactForbidden).Rule)
	require.NoError(t, whatif.FindCorrections(t.Context(), resolver.New(), req, c, whatif.FindOptions{}))
	var found bool
	for _, k := range c.Corrections {
		found = found || len(k.Changes) == 2 && k.Changes[0].Change.Kind() == resolver.ChangeRelaxPolicy && k.Changes[1].Change.Kind() == resolver.ChangeRelaxPolicy
	}
	require.True(t, found, "%v", c.Corrections)
}

// TestVetoOfInstalled: an installed bundle may stay, and nothing that the policy forbids replaces it.
func TestVetoOfInstalled(t *testing.T) {
	req := universe.Request(t, "db/stable db.v1 db.v2\ninstalled db.v1\nsubscribe db at=db.v1")
	require.Equal(t, []string{"db.v2"}, universe.Solution(t, req).Set())
	req.Policy.Veto = []resolver.VetoRule{{Rule: `bundle.package == "db"`}}
	require.Equal(t, []string{"db.v1"}, universe.Solution(t, req).Set())
}

// TestVetoThatFails: a rule that fails on a bundle excludes it, and says so.
func TestVetoThatFails(t *testing.T) {
	req := universe.Request(t, "db/stable db.v1\nsubscribe db")
	req.Policy.Veto = []resolver.VetoRule{{Rule: `bundle.labels["team"] == "a"`, Message: "only of team b"}}
	f := factOf(t, universe.Conflict(t, req), argument.FactForbidden)
	require.Equal(t, "only of team b", f.Message)
	require.Contains(t, f.Text, "because its rule bundle.labels[\"team\"] == \"a\" failed: the annotations and labels of the bundle are not known")
}

// TestInvalidVeto: rules that do not compile, and one that needs a time which the request lacks,
// make the request invalid.
func TestInvalidVeto(t *testing.T) {
	req := universe.Request(t, "db/stable db.v1\nsubscribe db")
	req.Policy.Veto = []resolver.VetoRule{{Rule: `bundle.verson == "1"`}, {Rule: "true"}, {Rule: "1 +"}}
	_, err := resolver.New().Resolve(t.Context(), req)
	problems := testkit.As[*resolver.RequestError](t, err).Problems
	require.Len(t, problems, 2)
	require.Equal(t, "policy.veto[0].rule", problems[0].Field)
	require.Contains(t, problems[0].Message, "undefined field 'verson'")
	require.Equal(t, "policy.veto[2].rule", problems[1].Field)

	req.Policy.Veto = []resolver.VetoRule{{}}
	_, err = resolver.New().Resolve(t.Context(), req)
	require.ErrorContains(t, err, "policy.veto[0].rule: missing")

	req.Policy.Veto = []resolver.VetoRule{{Rule: `now < timestamp("2026-01-01T00:00:00Z")`}}
	_, err = resolver.New().Resolve(t.Context(), req)
	require.ErrorContains(t, err, "the request gives no time; set now")
	req.Now = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	require.Equal(t, []string{"db.v1"}, universe.Solution(t, req).Set())

	req.Policy.Veto = make([]resolver.VetoRule, constraints.MaxVetoRules+1)
	_, err = resolver.New().Resolve(t.Context(), req)
	require.ErrorContains(t, err, "10001 rules exceed the limit of 10000")
}

// TestVetoBudget: the cost of rules counts against the limit, and nothing is kept of an answer that
// the limit cut short.
func TestVetoBudget(t *testing.T) {
	req := universe.Request(t, "db/stable db.v1 db.v2\nsubscribe db")
	req.Policy.Veto = []resolver.VetoRule{{Rule: `bundle.properties.exists(p, p.value.version == "2.0.0")`}}
	want := outcome(resolver.New().Resolve(t.Context(), req))
	r := resolver.New(resolver.WithLimits(resolver.Limits{CELCost: 1}))
	_, err := r.Resolve(t.Context(), req)
	require.Equal(t, resolver.LimitCELCost, testkit.As[*resolver.IncompleteError](t, err).Limit)
	for cost := int64(1); cost < 200; cost++ {
		limited := r.With(resolver.WithLimits(resolver.Limits{CELCost: cost}))
		var stopped *resolver.IncompleteError
		if sol, err := limited.Resolve(t.Context(), req); !errors.As(err, &stopped) {
			require.Equal(t, want, outcome(sol, err))
		}
		require.Equal(t, want, outcome(limited.With(resolver.WithLimits(resolver.Limits{})).Resolve(t.Context(), req)))
	}
}
