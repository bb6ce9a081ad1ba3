package scenario_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/trace"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// upgrade is the example of the format: etcd.v0.9.2 is upgraded to etcd.v0.9.4, because 0.9.5 is
// forbidden.
const upgrade = `
namespace: operators
catalogs:
- name: community
  namespace: olm
  blobs:
  - {schema: olm.package, name: etcd, defaultChannel: stable}
  - schema: olm.channel
    package: etcd
    name: stable
    entries:
    - {name: etcd.v0.9.2}
    - {name: etcd.v0.9.4, replaces: etcd.v0.9.2}
    - {name: etcd.v0.9.5, replaces: etcd.v0.9.4, skipRange: <0.9.5}
  - {schema: olm.bundle, package: etcd, name: etcd.v0.9.2, image: i, properties: [{type: olm.package, value: {packageName: etcd, version: 0.9.2}}]}
  - {schema: olm.bundle, package: etcd, name: etcd.v0.9.4, image: i, properties: [{type: olm.package, value: {packageName: etcd, version: 0.9.4}}]}
  - {schema: olm.bundle, package: etcd, name: etcd.v0.9.5, image: i, properties: [{type: olm.package, value: {packageName: etcd, version: 0.9.5}}]}
  - {schema: olm.deprecations, package: etcd, entries: [{reference: {schema: olm.bundle, name: etcd.v0.9.4}, message: old}]}
installed: [{name: etcd.v0.9.2, catalog: olm/community, channel: stable}]
subscriptions: [{name: etcd, package: etcd, channel: stable, installedCSV: etcd.v0.9.2}]
forbid: [{bundle: etcd.v0.9.5}]
`

// TestAnswerAsJSON checks the bytes of an answer, including the order of keys, except for times,
// prose and counts.
func TestAnswerAsJSON(t *testing.T) {
	answer := new(scenario.Runner).Run(context.Background(), parse(t, upgrade))
	require.NotEmpty(t, answer.Warnings[0].Message)
	answer.Warnings[0] = resolver.Warning{Kind: answer.Warnings[0].Kind, Bundle: answer.Warnings[0].Bundle, Message: "…"}
	data := testkit.Must(json.Marshal(answer))(t)
	require.Equal(t, `{"status":"resolved","set":["etcd.v0.9.4"],`+
		`"steps":[{"wave":0,"action":"upgrade","bundle":"etcd.v0.9.4","package":"etcd","version":"0.9.4",`+
		`"catalog":"olm/community","channel":"stable","replaces":"etcd.v0.9.2",`+
		`"because":[{"subscription":"etcd"}],"passedOver":["etcd.v0.9.5"],"image":"i"}],`+
		`"warnings":[{"kind":"deprecated","bundle":"etcd.v0.9.4","message":"…"}],`+
		`"blocked":[{"subscription":"etcd","installed":"etcd.v0.9.2","bundle":"etcd.v0.9.5","text":"the request forbids etcd.v0.9.5",`+
		`"conflict":…}],`+
		`"stats":{"bundles":3,"reached":N,"variables":N,"clauses":N,"solves":N,"loadMs":N,"resolveMs":N}}`,
		regexp.MustCompile(`"conflict":{.*}}\]`).ReplaceAllString(withoutCounts(string(data)), `"conflict":…}]`))
}

// withoutCounts replaces numbers that no rule determines.
func withoutCounts(s string) string {
	return regexp.MustCompile(`("(reached|variables|clauses|solves|loadMs|resolveMs)":)[0-9.e-]+`).ReplaceAllString(s, "${1}N")
}

// keys returns the keys of a JSON object in their order.
func keys(t *testing.T, object json.RawMessage) []string {
	dec := json.NewDecoder(strings.NewReader(string(object)))
	_, err := dec.Token()
	require.NoError(t, err)
	var names []string
	for dec.More() {
		name := testkit.Must(dec.Token())(t)
		names = append(names, name.(string))
		var value json.RawMessage
		require.NoError(t, dec.Decode(&value))
	}
	return names
}

// Every key of a conflict is in the format, in its order.
func TestConflictAsJSON(t *testing.T) {
	answer := new(scenario.Runner).Run(context.Background(), parse(t, problem(`
subscriptions: [{name: b, package: backup}, {name: e, package: etcd, channel: beta}]
forbid: [{bundle: etcd.v0.9.4, message: known data loss}, {bundle: etcd.v0.9.2}]
`)))
	require.Equal(t, scenario.Unsatisfiable, answer.Status)
	data := testkit.Must(json.Marshal(answer))(t)
	require.Equal(t, []string{"status", "conflict", "stats"}, keys(t, data))
	require.NotEmpty(t, answer.Conflict.Text())

	var raw struct {
		Conflict struct {
			Facts       []json.RawMessage
			Corrections []json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(data, &raw))
	require.NotEmpty(t, raw.Conflict.Facts)
	for _, f := range raw.Conflict.Facts {
		inOrder(t, f, "kind", "subject", "text", "message", "subscription", "bundle", "package", "catalog", "channel", "candidates")
	}
	require.NotEmpty(t, raw.Conflict.Corrections)
	for _, c := range raw.Conflict.Corrections {
		inOrder(t, c, "changes", "text", "result", "remaining")
	}
	require.Equal(t, 3, answer.Stats.Bundles, "the bundles of the catalog are counted, conflict or not")
}

// inOrder checks that the keys of an object are a subsequence of a list.
func inOrder(t *testing.T, object json.RawMessage, of ...string) {
	for _, key := range keys(t, object) {
		for len(of) > 0 && of[0] != key {
			of = of[1:]
		}
		require.NotEmpty(t, of, "%q is out of order in %s", key, object)
	}
}

// A conflict survives a round trip through JSON.
func TestConflictRoundTrip(t *testing.T) {
	s := parse(t, problem("subscriptions: [{name: e, package: etcd, channel: beta}]"))
	loaded := testkit.Must(s.Load(context.Background()))(t)
	_, err := resolver.New().Resolve(context.Background(), loaded.Request)
	conflict := testkit.As[*resolver.Conflict](t, err)
	want := testkit.Must(json.Marshal(conflict))(t)
	require.JSONEq(t, string(want), string(testkit.Must(json.Marshal(scenario.NewAnswer(nil, conflict).Conflict))(t)))
}

func TestReasonsAndSeveralReplacedBundles(t *testing.T) {
	a := scenario.NewAnswer(&resolver.Solution{Steps: []resolver.Step{{
		Action: resolver.Upgrade, Bundle: "c.v1", Replaces: []string{"a.v1", "b.v1"},
		Because:    []resolver.Reason{{Installed: true}, {Forced: true}, {Bundle: "x.v1", Constraint: "package c"}},
		PassedOver: []resolver.BundleRef{{Name: "c.v2"}},
	}}}, nil)
	data := testkit.Must(json.Marshal(a.Steps[0]))(t)
	require.Equal(t, `{"wave":0,"action":"upgrade","bundle":"c.v1","replaces":"a.v1","alsoReplaces":["b.v1"],`+
		`"because":[{"installed":true},{"forced":true},{"bundle":"x.v1","constraint":"package c"}],"passedOver":["c.v2"]}`, string(data))
}

func TestStatuses(t *testing.T) {
	ended := testkit.Ended()
	for name, tc := range map[string]struct {
		ctx    context.Context
		runner *scenario.Runner
		text   string
		want   scenario.Status
		says   string
	}{
		"resolved":      {nil, nil, "subscriptions: [{name: e, package: etcd}]", scenario.Resolved, ""},
		"unsatisfiable": {nil, nil, "subscriptions: [{name: e, package: none}]", scenario.Unsatisfiable, ""},
		"two subscriptions of one name": {nil, nil, "subscriptions:\n- {name: e, package: etcd}\n- {name: e, package: backup}", scenario.Invalid,
			"problem.yaml:25: subscriptions[1].name: \"e\": two subscriptions have this name"},
		"context ended": {ended, nil, "subscriptions: [{name: e, package: etcd}]", scenario.Incomplete, "context canceled"},
		"budget spent": {nil, &scenario.Runner{Resolver: resolver.New(resolver.WithLimits(resolver.Limits{Bundles: 1}))},
			"subscriptions: [{name: b, package: backup}]", scenario.Incomplete, "more than 1 candidate bundles"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.ctx == nil {
				tc.ctx = context.Background()
			}
			if tc.runner == nil {
				tc.runner = new(scenario.Runner)
			}
			a := tc.runner.Run(tc.ctx, parse(t, problem(tc.text)))
			require.Equal(t, tc.want, a.Status, a.Error)
			require.Contains(t, a.Error, tc.says)
			require.Equal(t, tc.says == "", a.Error == "")
			path := tc.runner.Converge(tc.ctx, parse(t, problem(tc.text)), nil)
			require.Equal(t, tc.want, path.Status)
			require.Contains(t, path.Error, tc.says)
			require.NotNil(t, path.Rounds, "the key is always a list")
		})
	}
	require.Equal(t, scenario.Incomplete, scenario.NewAnswer(nil, context.DeadlineExceeded).Status)
	require.Equal(t, scenario.Invalid, scenario.NewAnswer(nil, errors.New("disk on fire")).Status)
}

// An invalid scenario of a program is rejected when it runs.
func TestInvalidScenarioOfAProgram(t *testing.T) {
	s := &scenario.Scenario{Subscriptions: []scenario.Subscription{{Name: "a"}}, Expect: json.RawMessage(`{"status":"invalid"}`)}
	a, diffs, err := new(scenario.Runner).Test(context.Background(), s)
	require.NoError(t, err)
	require.Empty(t, diffs)
	require.Equal(t, "subscriptions[0]: package is missing", a.Error)

	for _, expect := range []string{`[]`, `null`, `{"sets":[]}`, `{`} {
		s := &scenario.Scenario{Expect: json.RawMessage(expect)}
		require.ErrorContains(t, s.Validate(), "not a valid answer", expect)
	}
}

func TestTestWithoutExpectation(t *testing.T) {
	_, _, err := new(scenario.Runner).Test(context.Background(), parse(t, "namespace: a"))
	require.ErrorIs(t, err, scenario.ErrNoExpectation)
	_, _, err = new(scenario.Runner).Test(context.Background(), parse(t, "expect: null"))
	require.ErrorIs(t, err, scenario.ErrNoExpectation)
}

// TestWhatIfsEqualChangedProblems compares each what-if with the equivalent problem.
func TestWhatIfsEqualChangedProblems(t *testing.T) {
	s := parse(t, problem(`
subscriptions: [{name: b, package: backup}]
whatif:
- name: older
  forbid: [{bundle: etcd.v0.9.4}]
- name: nothing
  drop: {subscriptions: [b]}
- name: impossible
  add: {subscriptions: [{name: x, package: none}]}
`))
	a := new(scenario.Runner).RunWhatIf(context.Background(), s)
	require.Equal(t, []string{"backup.v1.0.0", "etcd.v0.9.4"}, a.Set)
	require.Len(t, a.WhatIf, 3)

	require.Equal(t, "older", a.WhatIf[0].Name)
	require.Equal(t, []string{"backup.v1.0.0", "etcd.v0.9.2"}, a.WhatIf[0].Set)
	require.Equal(t, &whatif.Diff{Upgrade: []whatif.Move{{Package: "etcd", From: "etcd.v0.9.4", To: "etcd.v0.9.2"}}, Keep: []string{"backup.v1.0.0"}}, a.WhatIf[0].Diff)
	written := new(scenario.Runner).Run(context.Background(), parse(t, problem("subscriptions: [{name: b, package: backup}]\nforbid: [{bundle: etcd.v0.9.4}]")))
	require.Equal(t, written.Steps, a.WhatIf[0].Steps)

	require.Equal(t, scenario.Resolved, a.WhatIf[1].Status)
	require.Empty(t, a.WhatIf[1].Set)
	require.Equal(t, []string{"backup.v1.0.0", "etcd.v0.9.4"}, a.WhatIf[1].Diff.Remove)

	require.Equal(t, scenario.Unsatisfiable, a.WhatIf[2].Status)
	require.NotNil(t, a.WhatIf[2].Conflict)
	require.NotEmpty(t, a.WhatIf[2].Conflict.Corrections)
	require.Nil(t, a.WhatIf[2].Diff)

	require.Nil(t, new(scenario.Runner).Run(context.Background(), s).WhatIf)
}

func TestCorrectionsOnlyWhereAskedFor(t *testing.T) {
	s := parse(t, problem("subscriptions: [{name: e, package: etcd, channel: beta}]\nexpect: {status: unsatisfiable}"))
	require.NotEmpty(t, new(scenario.Runner).Run(context.Background(), s).Conflict.Corrections)
	require.Empty(t, (&scenario.Runner{NoCorrections: true}).Run(context.Background(), s).Conflict.Corrections)
	a, _, err := new(scenario.Runner).Test(context.Background(), s)
	require.NoError(t, err)
	require.Empty(t, a.Conflict.Corrections)
}

const traceable = `
catalogs:
- name: c
  blobs:
  - {schema: olm.package, name: p, defaultChannel: s}
  - {schema: olm.channel, package: p, name: s, entries: [{name: p.v1}]}
  - {schema: olm.bundle, package: p, name: p.v1, image: i, properties: [{type: olm.package, value: {packageName: p, version: 1.0.0}}]}
subscriptions: [{name: p, package: p}]
forbid: [{bundle: p.v1}]
whatif: [{name: nothing, drop: {subscriptions: [p]}}]
expect: {status: unsatisfiable}
`

// The trace records the base problem, and is the last key of the JSON; without the option there
// is none.
func TestRunnerTraces(t *testing.T) {
	s, ctx := parse(t, traceable), context.Background()
	require.Nil(t, new(scenario.Runner).Run(ctx, s).Trace)
	r := &scenario.Runner{Trace: &trace.Options{}}
	a := r.RunWhatIf(ctx, s)
	require.EqualValues(t, trace.OutcomeUnsatisfiable, a.Trace.Outcome)
	require.Equal(t, 1, a.Trace.Subscriptions)
	require.NotEmpty(t, a.Conflict.Corrections, "corrections are still computed")
	require.NotContains(t, a.Trace.Text(), "correct")
	require.Len(t, a.WhatIf, 1)
	text := testkit.Must(json.Marshal(a))(t)
	all := keys(t, text)
	require.Equal(t, "trace", all[len(all)-1])

	_, diffs, err := r.Test(ctx, s)
	require.NoError(t, err)
	require.Empty(t, diffs)
}

// WriteDIMACS reports an invalid scenario as Run does, with its line.
func TestRunnerWritesDIMACS(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, new(scenario.Runner).WriteDIMACS(context.Background(), &out, parse(t, traceable)))
	require.Contains(t, out.String(), "p cnf 0 1\n0\n", "nothing is left to choose")
	twice := "subscriptions:\n- {name: a, package: p}\n- {name: a, package: q}\n"
	err := new(scenario.Runner).WriteDIMACS(context.Background(), &out, parse(t, twice))
	require.ErrorContains(t, err, "problem.yaml:3")
	require.Equal(t, scenario.NewAnswer(nil, err).Error, new(scenario.Runner).Run(context.Background(), parse(t, twice)).Error)
	require.ErrorIs(t, new(scenario.Runner).WriteDIMACS(context.Background(), new(testkit.Full), parse(t, traceable)), testkit.ErrFull)
}
