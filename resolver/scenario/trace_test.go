package scenario_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/trace"
)

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

// TestRunnerTraces: the trace is of the base problem, and the last key of the JSON;
// without being asked for there is none.
func TestRunnerTraces(t *testing.T) {
	s, ctx := parse(t, traceable), context.Background()
	require.Nil(t, new(scenario.Runner).Run(ctx, s).Trace)
	r := &scenario.Runner{Trace: &trace.Options{}}
	a := r.RunWhatIf(ctx, s)
	require.Equal(t, trace.OutcomeUnsatisfiable, a.Trace.Outcome)
	require.Equal(t, 1, a.Trace.Subscriptions)
	require.NotEmpty(t, a.Conflict.Corrections, "corrections are looked for all the same")
	require.NotContains(t, a.Trace.Text(), "correct")
	require.Len(t, a.WhatIf, 1)
	text := testkit.Must(json.Marshal(a))(t)
	require.Equal(t, "trace", lastKey(t, text))

	_, diffs, err := r.Test(ctx, s)
	require.NoError(t, err)
	require.Empty(t, diffs)
}

// lastKey is the last key of a JSON object.
func lastKey(t *testing.T, text []byte) string {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	_, err := dec.Token()
	require.NoError(t, err)
	key := ""
	for dec.More() {
		name := testkit.Must(dec.Token())(t)
		key = name.(string)
		var value json.RawMessage
		require.NoError(t, dec.Decode(&value))
	}
	return key
}

// TestRunnerWritesDIMACS: what is wrong with a scenario is said as Run says it, with
// its line.
func TestRunnerWritesDIMACS(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, new(scenario.Runner).WriteDIMACS(context.Background(), &out, parse(t, traceable)))
	require.Contains(t, out.String(), "p cnf 0 1\n0\n", "nothing is left to choose")
	twice := "subscriptions:\n- {name: a, package: p}\n- {name: a, package: q}\n"
	err := new(scenario.Runner).WriteDIMACS(context.Background(), &out, parse(t, twice))
	require.ErrorContains(t, err, "problem.yaml:3")
	require.Equal(t, scenario.NewAnswer(nil, err).Error, new(scenario.Runner).Run(context.Background(), parse(t, twice)).Error)
	require.ErrorIs(t, new(scenario.Runner).WriteDIMACS(context.Background(), failing{}, parse(t, traceable)), errFull)
}

var errFull = errors.New("no space left")

// failing is a writer that takes nothing.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }
