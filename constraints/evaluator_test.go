package constraints

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

const blueBundle = `[
	{"type": "olm.package", "value": {"packageName": "blue", "version": "1.2.3"}},
	{"type": "olm.gvk", "value": {"group": "foos.example.com", "version": "v1", "kind": "Foo"}},
	{"type": "olm.label", "value": {"label": "nice"}},
	{"type": "certified", "value": "yes"}
]`

func TestMatch(t *testing.T) {
	bar := properties.GVK{Group: "bars.example.com", Version: "v1", Kind: "Bar"}
	baz := properties.GVK{Group: "bars.example.com", Version: "v1", Kind: "Baz"}
	yes, no := Constraint(newGVK(foo)), Constraint(newGVK(baz))
	rule := func(text string) Constraint { return parse(t, `{"cel": {"rule": `+quoteJSON(text)+`}}`) }
	tests := []struct {
		c    Constraint
		want bool
	}{
		{yes, true},
		{no, false},
		{newGVK(bar), true}, // the cluster serves it
		{newPackage("blue", ranged(t, ">=1.0.0")), true},
		{newPackage("blue", ranged(t, "<1.0.0")), false},
		{newPackage("red", ranged(t, ">=1.0.0")), false},
		{newLabel("nice"), true},
		{newLabel("nicer"), false},
		{rule(`properties.exists(p, p.type == "certified")`), true},
		{rule(`properties.exists(p, p.type == "other")`), false},
		{rule(`cluster.exists(p, p.type == "olm.kubeversion" && p.value.version == "1.33.0")`), true},
		{rule(`cluster.exists(p, p.type == "olm.kubeversion" && p.value.version == "1.32.0")`), false},
		{rule(`properties.exists(p, p.type == "certified" && p.value.x == 1)`), false},    // an error
		{rule(`!(properties.exists(p, p.type == "certified" && p.value.x == 1))`), false}, // still an error
		{&CEL{Rule: "true"}, false},                                                       // not compiled
		{NewAll(), true},
		{NewAny(), false},
		{NewNot(), true},
		{NewAll(yes, yes), true},
		{NewAll(yes, no), false},
		{NewAny(no, yes), true},
		{NewAny(no, no), false},
		{NewNot(no, no), true},
		{NewNot(no, yes), false},
		{NewNot(NewAll(yes, NewNot(no))), false},
		{NewNot(NewAny(no, NewNot(yes))), true},
		{nil, false},
	}
	e := NewEvaluator(EvaluatorOptions{
		Cluster: set(t, `[{"type": "olm.kubeversion", "value": {"version": "1.33.0"}}]`),
		APIs:    []properties.GVK{foo, bar},
	})
	s := NewSubject(set(t, blueBundle))
	require.Equal(t, 4, s.Properties().Len())
	for _, test := range tests {
		got := testkit.Must(e.Match(t.Context(), test.c, s))(t)
		require.Equal(t, test.want, got, "%v", test.c)
	}
	got := testkit.Must(e.Match(t.Context(), yes, nil))(t)
	require.False(t, got)
	got = testkit.Must(e.Match(t.Context(), newPackage("blue", ranged(t, "1.2.3")), NewSubject(properties.Set{})))(t)
	require.False(t, got)
}

// A rule is evaluated at most once for a bundle, once for all where it looks
// at the cluster alone, and never where it cannot match.
func TestRulesAreEvaluatedOnce(t *testing.T) {
	e := NewEvaluator(EvaluatorOptions{})
	blue, other := NewSubject(set(t, blueBundle)), NewSubject(set(t, `[{"type": "x", "value": 1}]`))
	match := func(c Constraint, s *Subject) uint64 {
		before := e.Cost()
		_, err := e.Match(t.Context(), c, s)
		require.NoError(t, err)
		return e.Cost() - before
	}
	certified := parse(t, celJSON)
	require.Zero(t, match(certified, other), "nothing to see")
	require.Positive(t, match(certified, blue))
	require.Zero(t, match(certified, blue))
	require.Zero(t, match(parse(t, `{"all": {"constraints": [`+celJSON+`,`+celJSON+`]}}`), blue), "another constraint, the same rule")
	require.Positive(t, match(certified, NewSubject(set(t, blueBundle))), "another bundle")

	cluster := parse(t, `{"cel": {"rule": "cluster.exists(c, c.type == 'a')"}}`)
	require.Positive(t, match(cluster, blue))
	require.Zero(t, match(cluster, other))

	failing := parse(t, `{"cel": {"rule": "properties.all(p, p.value.x == 1)"}}`)
	require.Positive(t, match(failing, blue))
	require.Zero(t, match(failing, blue), "an error is a result")
}

func TestBudget(t *testing.T) {
	s := NewSubject(set(t, blueBundle))
	certified := parse(t, celJSON)
	other := parse(t, `{"cel": {"rule": "properties.exists(p, p.value == 'yes')"}}`)

	e := NewEvaluator(EvaluatorOptions{Budget: 1})
	got := testkit.Must(e.Match(t.Context(), certified, s))(t)
	require.True(t, got, "what was started is finished")
	for _, c := range []Constraint{other, NewAll(other), NewAny(newLabel("x"), other), NewNot(other)} {
		got, err := e.Match(t.Context(), c, s)
		require.False(t, got)
		b := testkit.As[*BudgetError](t, err)
		require.Equal(t, uint64(1), b.Budget)
		require.Equal(t, e.Cost(), b.Cost)
		require.Equal(t, other.(*CEL).Rule, b.Rule)
		require.ErrorContains(t, err, "budget")
	}
	got = testkit.Must(e.Match(t.Context(), certified, s))(t)
	require.True(t, got, "what is known stays known")

	unbounded := NewEvaluator(EvaluatorOptions{Budget: -1})
	got = testkit.Must(unbounded.Match(t.Context(), other, s))(t)
	require.True(t, got)
}

func TestMatchStopsWithTheContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	e := NewEvaluator(EvaluatorOptions{})
	s := NewSubject(set(t, blueBundle))
	_, err := e.Match(ctx, parse(t, celJSON), s)
	require.ErrorIs(t, err, cause)
	got := testkit.Must(e.Match(t.Context(), parse(t, celJSON), s))(t)
	require.True(t, got, "the end of a context is no result")
}

// Catalogs are read without metadata and manifests: a rule must not see them on an
// installed bundle either.
func TestRulesDoNotSeeMetadata(t *testing.T) {
	set := properties.NewSet()
	require.NoError(t, set.UnmarshalJSON([]byte(`[
		{"type": "olm.csv.metadata", "value": {"installModes": []}},
		{"type": "olm.bundle.object", "value": {"data": "e30="}},
		{"type": "certified", "value": true}]`)))
	rule := parse(t, `{"cel": {"rule": "size(properties) == 1 && properties[0].type == 'certified'"}}`)
	got := testkit.Must(NewEvaluator(EvaluatorOptions{}).Match(t.Context(), rule, NewSubject(set)))(t)
	require.True(t, got)
}
