package scenario_test

import (
	"encoding/json"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// answered returns an answer with every part that has its own comparison.
func answered() *scenario.Answer {
	return &scenario.Answer{
		Status: scenario.Resolved,
		Set:    []string{"a.v2", "b.v1"},
		Steps: []resolver.Step{
			{Wave: 0, Action: resolver.Install, Bundle: "b.v1", Package: "b", Version: &semver.Version{Major: 1}, Because: []resolver.Reason{
				{Subscription: "b"}, {Bundle: "a.v2", Constraint: "package b"},
			}},
			{Wave: 1, Action: resolver.Upgrade, Bundle: "a.v2", Package: "a", Version: &semver.Version{Major: 2}, Replaces: []string{"a.v1"}, PassedOver: []resolver.BundleRef{{Name: "a.v4"}, {Name: "a.v3"}}},
		},
		Warnings:   []resolver.Warning{{Kind: resolver.WarningGone, Bundle: "old.v1"}, {Kind: resolver.WarningDeprecated, Bundle: "a.v2"}},
		Unresolved: []resolver.Unresolved{{Subscription: "bad"}},
		Conflict: &resolver.Conflict{
			Minimal: true, Facts: []argument.Fact{{Kind: argument.FactSubscription, Subject: "a"}, {Kind: argument.FactGVK, Subject: "g/v1/K"}},
			Corrections: []resolver.Correction{
				{Changes: []resolver.CorrectionChange{{Change: resolver.DropSubscription{Subscription: "a"}}}, Result: []string{"b.v1"}},
				{Changes: []resolver.CorrectionChange{{Change: resolver.ReleasePin{Subscription: "a"}}, {Change: resolver.ReleasePin{Subscription: "b"}}}},
			},
		},
		WhatIf: []scenario.WhatIfAnswer{{Name: "one", Status: scenario.Resolved, Set: []string{"c.v1"}}, {Name: "two", Status: scenario.Unsatisfiable}},
		Stats:  scenario.Stats{Stats: resolver.Stats{Bundles: 12}, LoadMs: 1.5},
	}
}

// TestCompare checks the rules of the format.
func TestCompare(t *testing.T) {
	cases := testkit.Cases(t, "testdata/compare.txt", "expects", "differs")
	require.Greater(t, len(cases), 30)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			require.Equal(t, c.Rests("differs"), differences(t, c.Part("expects").Rest, answered()))
		})
	}
}

// differences compares an answer with an expectation.
func differences(t *testing.T, expect string, a *scenario.Answer) (got []string) {
	for _, d := range testkit.Must(scenario.Compare(json.RawMessage(expect), a))(t) {
		got = append(got, d.String())
	}
	return got
}

// Every answer matches itself as expectation.
func TestAnAnswerMatchesItself(t *testing.T) {
	require.Empty(t, differences(t, asJSON(t, answered()), answered()))
}

func TestCompareWithEmptyAnswer(t *testing.T) {
	empty := &scenario.Answer{Status: scenario.Resolved}
	require.Empty(t, differences(t, `{"set":[],"steps":[],"conflict":{"facts":[]},"warnings":[]}`, empty))
	require.Equal(t, []string{`warnings[0]: want {"kind":"gone"}, got no such item`}, differences(t, `{"warnings":[{"kind":"gone"}]}`, empty))
}

func TestLongValuesAreCut(t *testing.T) {
	require.Less(t, len(differences(t, `{"set":["a"]}`, &scenario.Answer{Set: make([]string, 1000)})[0]), 1000)
}

func TestCompareInvalidJSON(t *testing.T) {
	for _, text := range []string{"", "{", "{} {}"} {
		_, err := scenario.Compare(json.RawMessage(text), answered())
		require.ErrorContains(t, err, "not JSON", "%q", text)
	}
}
