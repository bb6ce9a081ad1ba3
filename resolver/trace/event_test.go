package trace_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver/trace"
)

// A duration is written as milliseconds, and read back.
func TestDuration(t *testing.T) {
	var d trace.Duration
	require.NoError(t, json.Unmarshal([]byte("1.5"), &d))
	require.Equal(t, ", in 1.5ms", d.String())
	require.Empty(t, trace.Duration(0).String())
	data, err := json.Marshal(d)
	require.NoError(t, err)
	require.Equal(t, "1.5", string(data))
	require.Error(t, json.Unmarshal([]byte(`"soon"`), &d))
}

func TestOutcomeOfASolverCall(t *testing.T) {
	require.EqualValues(t, trace.OutcomeResolved, trace.Solve{Satisfiable: 1}.Outcome())
	require.EqualValues(t, trace.OutcomeUnsatisfiable, trace.Solve{Unsatisfiable: 1}.Outcome())
	require.EqualValues(t, trace.OutcomeIncomplete, trace.Solve{Stopped: 1}.Outcome())
}

// Each end of a resolution has a level and words of its own; what is part of a larger
// operation is for debugging, and what a catalog says is made inert.
func TestLog(t *testing.T) {
	var b strings.Builder
	hooks := trace.Log(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug})))
	said := func(do func()) string {
		b.Reset()
		do()
		return b.String()
	}
	for outcome, want := range map[trace.Outcome]string{
		trace.OutcomeInvalid:       `level=INFO msg="request is invalid"`,
		trace.OutcomeIncomplete:    `level=WARN msg="resolution stopped"`,
		trace.OutcomeFailed:        `level=ERROR msg="resolution failed"`,
		trace.OutcomeUnsatisfiable: `level=INFO msg="no solution"`,
	} {
		e := trace.Ended{Outcome: outcome, Err: errors.New("bad\x1b[31m")}
		line := said(func() { hooks.Resolution(t.Context(), trace.Event{Ended: &e}) })
		require.Contains(t, line, want)
		require.NotContains(t, line, "\x1b")
	}
	part := trace.LeftOut{Subscription: "s", Headline: "no way"}
	require.Contains(t, said(func() { hooks.Resolution(t.Context(), trace.Event{LeftOut: &part}) }), `level=INFO msg="subscription left out" subscription=s`)
	part.Part, part.Installed = true, "b.v1"
	require.Contains(t, said(func() { hooks.Resolution(t.Context(), trace.Event{LeftOut: &part}) }), `level=DEBUG msg="installed bundle is broken" bundle=b.v1`)
}
