package measure

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
)

func TestMedian(t *testing.T) {
	require.Zero(t, Median(nil))
	require.Equal(t, time.Duration(3), Median([]time.Duration{9, 1, 3}))
}

func TestRepeat(t *testing.T) {
	runs := 0
	f := repeat(t.Context(), func() error { runs++; time.Sleep(10 * time.Millisecond); return nil })
	require.Equal(t, f.Runs+1, runs, "one warm-up run")
	require.InDelta(t, 0.5, 0.01*float64(f.Runs), 0.4)
	require.GreaterOrEqual(t, f.Seconds, 0.01)
	var keep [][]byte
	f = repeat(t.Context(), func() error { keep = append(keep, make([]byte, 1<<20)); return nil })
	require.InEpsilon(t, 1<<20, f.Bytes, 0.1)
	require.NotEmpty(t, keep)
	require.Equal(t, Figure{Failed: "no"}, repeat(t.Context(), func() error { return errors.New("no") }))
	ctx := testkit.Ended()
	require.Equal(t, 1, repeat(ctx, func() error { return nil }).Runs)
}

func TestScenarioAnswersEveryQuestion(t *testing.T) {
	cfg, _ := synthetic.Preset("random")
	g := testkit.Must(synthetic.New(cfg.Sized(500)))(t)
	dir := t.TempDir()
	require.NoError(t, g.WriteFiles(dir))
	m := testkit.Must(Scenario(t.Context(), filepath.Join(dir, "scenario.json"), time.Minute))(t)
	require.Equal(t, 500, m.Bundles)
	require.Equal(t, len(g.Pulls(g.Roots()[0])), m.Set)
	for name, f := range map[string]Figure{"load": m.Load, "resolve": m.Resolve, "explain": m.Explain, "what-if": m.WhatIf, "audit": m.Audit} {
		require.Empty(t, f.Failed, name)
		require.Positive(t, f.Seconds, name)
	}
	require.Positive(t, m.Resolve.Allocs)
	require.Positive(t, m.Explain.Count)
	require.Equal(t, 50, m.Audit.Count)
	require.GreaterOrEqual(t, m.Peak, m.LoadPeak)

	m = testkit.Must(Scenario(t.Context(), filepath.Join(dir, "scenario.json"), time.Nanosecond))(t)
	require.NotEmpty(t, m.Resolve.Failed)
	_, err := Scenario(t.Context(), filepath.Join(dir, "nothing.json"), time.Minute)
	require.Error(t, err)
}

func TestTwoSizes(t *testing.T) {
	cfg, _ := synthetic.Preset("random")
	cfg = cfg.Sized(200)
	large := cfg.Sized(600)
	large.Reach = cfg.Packages
	s := testkit.Must(TwoSizes(t.Context(), request(t, cfg), request(t, large), 5))(t)
	require.Equal(t, 200, s.Small)
	require.Equal(t, 600, s.Large)
	require.InEpsilon(t, s.LargeAt/s.SmallAt, s.Ratio, 1e-9)
}

func request(t *testing.T, cfg synthetic.Config) resolver.Request {
	g := testkit.Must(synthetic.New(cfg))(t)
	return testkit.Must(g.Request(t.Context()))(t)
}

func TestHardSeeds(t *testing.T) {
	cfg := synthetic.Config{Shape: synthetic.Deep, Packages: 15, Versions: 4}
	calls, with := 0, 0
	h := testkit.Must(HardSeeds(t.Context(), "deep", cfg, 12, time.Minute, func(seed uint64, _ resolver.Request, satisfiable, known bool) error {
		require.Equal(t, uint64(calls), seed)
		require.True(t, known)
		calls++
		if satisfiable {
			with++
		}
		return nil
	}))(t)
	require.Equal(t, 12, calls)
	require.Equal(t, with, h.Satisfiable)
	require.Equal(t, 12-with, h.Unsatisfiable)
	require.Positive(t, with)
	require.Less(t, with, 12)
	require.GreaterOrEqual(t, h.WorstSeconds, h.MedianSeconds)

	h = testkit.Must(HardSeeds(t.Context(), "deep", cfg, 3, time.Nanosecond, nil))(t)
	require.Equal(t, []uint64{0, 1, 2}, h.Stopped)
	no := errors.New("no")
	_, err := HardSeeds(t.Context(), "deep", cfg, 3, time.Minute, func(uint64, resolver.Request, bool, bool) error { return no })
	require.ErrorIs(t, err, no)
	_, err = HardSeeds(t.Context(), "deep", synthetic.Config{Packages: -1}, 1, time.Minute, nil)
	require.ErrorContains(t, err, "Packages is -1")
}
