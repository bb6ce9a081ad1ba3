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

// answered is an answer with something in every part that is compared in a way of
// its own.
func answered() *scenario.Answer {
	return &scenario.Answer{
		Status: scenario.Resolved,
		Set:    []string{"a.v2", "b.v1"},
		Steps: []resolver.Step{
			{Wave: 0, Action: "install", Bundle: "b.v1", Package: "b", Version: &semver.Version{Major: 1}, Because: []resolver.Reason{
				{Subscription: "b"}, {Bundle: "a.v2", Constraint: "package b"},
			}},
			{Wave: 1, Action: "upgrade", Bundle: "a.v2", Package: "a", Version: &semver.Version{Major: 2}, Replaces: []string{"a.v1"}, PassedOver: []resolver.BundleRef{{Name: "a.v4"}, {Name: "a.v3"}}},
		},
		Warnings:   []resolver.Warning{{Kind: "gone", Bundle: "old.v1"}, {Kind: "deprecated", Bundle: "a.v2"}},
		Unresolved: []resolver.Unresolved{{Subscription: "bad"}},
		Conflict: &resolver.Conflict{
			Minimal: true, Facts: []argument.Fact{{Kind: "subscription", Subject: "a"}, {Kind: "gvk", Subject: "g/v1/K"}},
			Corrections: []resolver.Correction{
				{Changes: []resolver.Change{{Kind: "dropSubscription", Subject: "a"}}, Result: []string{"b.v1"}},
				{Changes: []resolver.Change{{Kind: "releasePin", Subject: "a"}, {Kind: "releasePin", Subject: "b"}}},
			},
		},
		WhatIf: []scenario.WhatIfAnswer{{Name: "one", Status: scenario.Resolved, Set: []string{"c.v1"}}, {Name: "two", Status: scenario.Unsatisfiable}},
		Stats:  scenario.Stats{Stats: resolver.Stats{Bundles: 12}, LoadMs: 1.5},
	}
}

// TestCompare follows the rules of the format: only the keys that are given,
// objects key by key, lists as wholes in order, some lists item by item.
func TestCompare(t *testing.T) {
	for name, tc := range map[string]struct {
		expect string
		want   []string // the differences, none if it matches
	}{
		"nothing":                          {`{}`, nil},
		"one key":                          {`{"status":"resolved"}`, nil},
		"another status":                   {`{"status":"invalid"}`, []string{`status: want "invalid", got "resolved"`}},
		"the set":                          {`{"set":["a.v2","b.v1"]}`, nil},
		"the set in another order":         {`{"set":["b.v1","a.v2"]}`, []string{`set: want ["b.v1","a.v2"], got ["a.v2","b.v1"]`}},
		"part of the set":                  {`{"set":["a.v2"]}`, []string{`set: want ["a.v2"], got ["a.v2","b.v1"]`}},
		"the empty set":                    {`{"set":[]}`, []string{`set: want [], got ["a.v2","b.v1"]`}},
		"steps, some keys":                 {`{"steps":[{"bundle":"b.v1"},{"action":"upgrade","replaces":"a.v1"}]}`, nil},
		"steps, another value":             {`{"steps":[{"bundle":"b.v1"},{"wave":0}]}`, []string{`steps[1].wave: want 0, got 1`}},
		"steps, in another order":          {`{"steps":[{"bundle":"a.v2"},{"bundle":"b.v1"}]}`, []string{`steps[0].bundle: want "a.v2", got "b.v1"`, `steps[1].bundle: want "b.v1", got "a.v2"`}},
		"steps, one left out":              {`{"steps":[{"bundle":"b.v1"}]}`, []string{`steps: want [{"bundle":"b.v1"}], got [{"action":"install","because":[{"subscription":"b"},{"bundle":"a.v2","constraint":"package b"}],"bundle":"b.v1","package":"b","version":"1.0.0","wave":0},{"action":"upgrade","bundle":"a.v2","package":"a","passedOver":["a.v4","a.v3"],"replaces":"a.v1","version":"2.0.0","wave":1}] (want 1 items, got 2)`}},
		"an absent key of a step":          {`{"steps":[{"replaces":"a.v1"},{}]}`, []string{`steps[0].replaces: want "a.v1", got nothing`}},
		"because, one of two":              {`{"steps":[{"because":[{"bundle":"a.v2"}]},{}]}`, nil},
		"because, none such":               {`{"steps":[{"because":[{"installed":true}]},{}]}`, []string{`steps[0].because[0]: want {"installed":true}, got no such item (nearest: steps[0].because[0].installed: want true, got nothing)`}},
		"passedOver is a whole":            {`{"steps":[{},{"passedOver":["a.v4"]}]}`, []string{`steps[1].passedOver: want ["a.v4"], got ["a.v4","a.v3"]`}},
		"warnings, in any order":           {`{"warnings":[{"kind":"deprecated"},{"kind":"gone","bundle":"old.v1"}]}`, nil},
		"warnings, none given":             {`{"warnings":[]}`, nil},
		"warnings, mixed from two":         {`{"warnings":[{"kind":"deprecated","bundle":"old.v1"}]}`, []string{`warnings[0]: want {"bundle":"old.v1","kind":"deprecated"}, got no such item (nearest: warnings[0].kind: want "deprecated", got "gone")`}},
		"unresolved":                       {`{"unresolved":[{"subscription":"bad"}]}`, nil},
		"unresolved, another":              {`{"unresolved":[{"subscription":"good"}]}`, []string{`unresolved[0]: want {"subscription":"good"}, got no such item (nearest: unresolved[0].subscription: want "good", got "bad")`}},
		"facts":                            {`{"conflict":{"facts":[{"kind":"gvk","subject":"g/v1/K"}]}}`, nil},
		"facts, another subject":           {`{"conflict":{"facts":[{"kind":"gvk","subject":"g/v2/K"}]}}`, []string{`conflict.facts[0]: want {"kind":"gvk","subject":"g/v2/K"}, got no such item (nearest: conflict.facts[1].subject: want "g/v2/K", got "g/v1/K")`}},
		"corrections":                      {`{"conflict":{"corrections":[{"changes":[{"kind":"dropSubscription"}],"result":["b.v1"]}]}}`, nil},
		"changes are a whole":              {`{"conflict":{"corrections":[{"changes":[{"kind":"releasePin","subject":"a"}]}]}}`, []string{`conflict.corrections[0]: want {"changes":[{"kind":"releasePin","subject":"a"}]}, got no such item (nearest: conflict.corrections[0].changes[0].kind: want "releasePin", got "dropSubscription")`}},
		"no conflict":                      {`{"conflict":null}`, []string{`conflict: want null, got {"corrections":[{"changes":[{"kind":"dropSubscription","subject":"a"}],"result":["b.v1"]},{"changes":[{"kind":"releasePin","subject":"a"},{"kind":"releasePin","subject":"b"}]}],"facts":[{"kind":"subscription","subject":"a","text":""},{"kind":"gvk","subject":"g/v1/K","text":""}],"minimal":true,"text":"Subscription a cannot be met:\n.\n.\n"}`}},
		"whatif by name":                   {`{"whatif":[{"name":"two","status":"unsatisfiable"},{"name":"one","set":["c.v1"]}]}`, nil},
		"whatif, another answer":           {`{"whatif":[{"name":"one","set":["d.v1"]}]}`, []string{`whatif[0]: want {"name":"one","set":["d.v1"]}, got no such item (nearest: whatif[0].set: want ["d.v1"], got ["c.v1"])`}},
		"numbers by value":                 {`{"stats":{"bundles":12.0,"loadMs":15e-1}}`, nil},
		"another number":                   {`{"stats":{"bundles":13}}`, []string{`stats.bundles: want 13, got 12`}},
		"what is absent is empty":          {`{"error":"","steps":[{"passedOver":[],"replaces":"","because":[{"installed":false,"subscription":"b"}]},{}]}`, nil},
		"the status comes first":           {`{"set":["c.v1"],"status":"invalid"}`, []string{`status: want "invalid", got "resolved"`, `set: want ["c.v1"], got ["a.v2","b.v1"]`}},
		"an object for what is not one":    {`{"status":{"a":1}}`, []string{`status: want {"a":1}, got "resolved"`}},
		"a list for what is not one":       {`{"status":["resolved"]}`, []string{`status: want ["resolved"], got "resolved"`}},
		"text for a list":                  {`{"set":"a.v2"}`, []string{`set: want "a.v2", got ["a.v2","b.v1"]`}},
		"a number for text":                {`{"status":1}`, []string{`status: want 1, got "resolved"`}},
		"several differences, all of them": {`{"stats":{"bundles":1,"loadMs":2}}`, []string{`stats.bundles: want 1, got 12`, `stats.loadMs: want 2, got 1.5`}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, differences(t, tc.expect, answered()))
		})
	}
}

// differences compares an answer with what is expected.
func differences(t *testing.T, expect string, a *scenario.Answer) (got []string) {
	for _, d := range testkit.Must(scenario.Compare(json.RawMessage(expect), a))(t) {
		got = append(got, d.String())
	}
	return got
}

// TestAnAnswerMatchesItself: whatever an answer says may be expected.
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

func TestCompareWithWhatIsNotJSON(t *testing.T) {
	for _, text := range []string{"", "{", "{} {}"} {
		_, err := scenario.Compare(json.RawMessage(text), answered())
		require.ErrorContains(t, err, "not JSON", "%q", text)
	}
}
