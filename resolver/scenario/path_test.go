package scenario_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// pathOf returns the upgrade path of a scenario file.
func pathOf(t *testing.T, file string) *scenario.Path {
	s := testkit.Must(scenario.ReadFile(context.Background(), file))(t)
	return new(scenario.Runner).Converge(context.Background(), s, nil)
}

// The documented path from 0.1.1 by 0.1.2 to 0.1.3 has two rounds, one edge each.
func TestConvergeDocumentedPath(t *testing.T) {
	s := testkit.Must(scenario.ReadFile(context.Background(), "testdata/conformance/upgrade-one-edge.yaml"))(t)
	var heard []int
	path := new(scenario.Runner).Converge(context.Background(), s, func(round int) { heard = append(heard, round) })
	require.Equal(t, scenario.Resolved, path.Status, path.Error)
	require.Len(t, path.Rounds, 2)
	require.Equal(t, []int{1, 2}, heard)
	require.Equal(t, []string{"example.v0.1.1"}, path.Rounds[0].Steps[0].Replaces)
	require.Equal(t, []string{"example.v0.1.2"}, path.Rounds[0].Set)
	require.Equal(t, []string{"example.v0.1.2"}, path.Rounds[1].Steps[0].Replaces)
	require.Equal(t, []string{"example.v0.1.3"}, path.Set)
	require.False(t, path.Loop)
}

// The keys and their order are those of the format.
func TestPathAsJSON(t *testing.T) {
	data := testkit.Must(json.Marshal(pathOf(t, "testdata/conformance/upgrade-one-edge.yaml")))(t)
	require.Equal(t, []string{"status", "rounds", "loop", "set"}, keys(t, data))
	var raw struct{ Rounds []json.RawMessage }
	require.NoError(t, json.Unmarshal(data, &raw))
	require.Equal(t, []string{"status", "set", "steps", "stats"}, keys(t, raw.Rounds[0]))

	data = testkit.Must(json.Marshal(scenario.NewPath(nil, errors.New("disk on fire"))))(t)
	require.Equal(t, `{"status":"invalid","error":"disk on fire","rounds":[],"loop":false}`, string(data))
}

// The first round enters the loop; the scenario explains how it arises.
func TestConvergeALoop(t *testing.T) {
	path := pathOf(t, "../../examples/scenarios/loop.yaml")
	require.Equal(t, scenario.Resolved, path.Status)
	require.True(t, path.Loop)
	sets := testkit.Map(path.Rounds, func(r *scenario.Answer) []string { return r.Set })
	require.Equal(t, [][]string{{"tempo-operator.v1.1.0"}, {"tempo-operator.v1.0.2"}, {"tempo-operator.v1.1.0"}}, sets)
	require.Equal(t, 1, path.LoopStart, "the second round comes next")
}

// A path without changes has no round, and the warnings of the final state.
func TestConvergeWithoutChanges(t *testing.T) {
	path := new(scenario.Runner).Converge(context.Background(), parse(t, problem("installed: [{name: etcd.v0.9.4, automatic: true}]")), nil)
	require.Equal(t, scenario.Resolved, path.Status)
	require.Empty(t, path.Rounds)
	require.Equal(t, []string{"etcd.v0.9.4"}, path.Set)
	require.Contains(t, kindsOf(path.Warnings), "orphan")
	data := testkit.Must(json.Marshal(path))(t)
	require.Equal(t, []string{"status", "rounds", "loop", "set", "warnings"}, keys(t, data))
}

func kindsOf(warnings []resolver.Warning) []string {
	kinds := testkit.Map(warnings, func(w resolver.Warning) string { return string(w.Kind) })
	return kinds
}

// An orphan follows its channel, with a warning in every round.
func TestConvergeOfAnOrphan(t *testing.T) {
	path := pathOf(t, "testdata/rules/orphan.yaml")
	require.Len(t, path.Rounds, 2)
	for _, round := range path.Rounds {
		require.Equal(t, []string{"orphan"}, kindsOf(round.Warnings))
	}
	require.Equal(t, []string{"a.v3"}, path.Set)
	require.Equal(t, []string{"orphan"}, kindsOf(path.Warnings))
}

// The final state lists the unresolved subscriptions.
func TestConvergeUnderPartial(t *testing.T) {
	path := pathOf(t, "../../examples/scenarios/partial.yaml")
	require.Len(t, path.Rounds, 1)
	require.Equal(t, "gateway", path.Unresolved[0].Subscription)
	require.Equal(t, "gateway", path.Rounds[0].Unresolved[0].Subscription)
}

// A conflict is the last round, with its corrections if enabled.
func TestConvergeIntoAConflict(t *testing.T) {
	s := testkit.Must(scenario.ReadFile(context.Background(), "../../examples/scenarios/conflict.yaml"))(t)
	for _, without := range []bool{false, true} {
		path := (&scenario.Runner{NoCorrections: without}).Converge(context.Background(), s, nil)
		require.Equal(t, scenario.Unsatisfiable, path.Status)
		require.Empty(t, path.Error)
		require.Len(t, path.Rounds, 1)
		require.Equal(t, scenario.Unsatisfiable, path.Rounds[0].Status)
		require.Equal(t, without, len(path.Rounds[0].Conflict.Corrections) == 0)
		require.Empty(t, path.Set)
	}
}

// What-ifs have the warnings and unresolved subscriptions of the changed problem.
func TestWhatIfsKeepWarningsAndUnresolved(t *testing.T) {
	a := new(scenario.Runner).RunWhatIf(context.Background(), parse(t, problem(`
installed: [{name: etcd.v0.9.2, automatic: true}]
subscriptions: [{name: b, package: backup}]
policy: {failures: Partial}
whatif:
- name: without backup
  drop: {subscriptions: [b]}
- name: one that cannot be
  add: {subscriptions: [{name: x, package: none}]}
`)))
	require.Equal(t, scenario.Resolved, a.Status, a.Error)
	require.Empty(t, a.Warnings)
	require.Equal(t, resolver.WarningOrphan, a.WhatIf[0].Warnings[0].Kind)
	require.Empty(t, a.WhatIf[0].Unresolved)
	require.Equal(t, "x", a.WhatIf[1].Unresolved[0].Subscription)
	data := testkit.Must(json.Marshal(a.WhatIf[1]))(t)
	require.Equal(t, []string{"name", "status", "set", "steps", "unresolved", "diff"}, keys(t, data))
}

// The same path as rows, as a graph and as a chart.
func TestPathPictures(t *testing.T) {
	answer := func(steps ...resolver.Step) *scenario.Answer {
		return &scenario.Answer{Status: scenario.Resolved, Steps: steps}
	}
	path := &scenario.Path{Status: scenario.Resolved, Rounds: []*scenario.Answer{
		answer(resolver.Step{Action: resolver.Upgrade, Package: "a", Bundle: "a.v2", Replaces: []string{"a.v1"}}, resolver.Step{Action: resolver.Keep, Package: "k", Bundle: "k.v1"}),
		answer(resolver.Step{Action: resolver.Keep, Package: "a", Bundle: "a.v2"}, resolver.Step{Action: resolver.Keep, Package: "k", Bundle: "k.v1"}, resolver.Step{Action: resolver.Install, Package: "b", Bundle: "b.v1"}),
	}}
	require.Equal(t, []scenario.PackagePath{
		{Package: "a", Bundles: []string{"a.v1", "a.v2", "a.v2"}}, {Package: "k", Bundles: []string{"k.v1", "k.v1", "k.v1"}}, {Package: "b", Bundles: []string{"", "", "b.v1"}},
	}, path.Packages())
	require.Empty(t, path.End())
	require.Contains(t, testkit.Written(t, draw.Path(path).WriteDOT), "n0_0 -> n1_0;\n")
	require.NotContains(t, testkit.Written(t, draw.Path(path).WriteDOT), "n2_0", "a stays")
	require.Contains(t, testkit.Written(t, draw.Path(path).WriteSVG), "<desc>a: a.v1, then a.v2. k: k.v1. b: nothing, then b.v1.</desc>")
	path.Loop, path.LoopStart = true, 1
	require.Equal(t, "the upgrades repeat forever: round 2 returns to the state after round 1", path.End())
	require.Contains(t, testkit.Written(t, draw.Path(path).WriteSVG), ">the upgrades repeat forever: round 2 returns to the state after round 1<")
	require.Contains(t, testkit.Written(t, draw.Path(path).WriteMermaid), `  r2 -.->|"and again"| r2`)
	require.Equal(t, "no solution in round 1: subscriptions gateway and authorization cannot both be met", pathOf(t, "../../examples/scenarios/conflict.yaml").End())
	require.Equal(t, "the end of the upgrade path is unknown", (&scenario.Path{Status: scenario.Incomplete}).End())
}
