package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/internal/measure"
	"github.com/seed109e2655/resolute/benchmarks/libsolv"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestMain lets the test binary act as the command when it starts itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "measure" || os.Args[1] == "peak") {
		main()
		return
	}
	os.Exit(m.Run())
}

// A small run, then another stage that completes it.
func TestRunsAndCompletesItself(t *testing.T) {
	testkit.OnlyLong(t, "builds a program")
	dir, work := t.TempDir(), t.TempDir()
	args := func(more ...string) []string {
		return append([]string{"-date", "2026-01-31", "-o", dir, "-work", work, "-plot=false", "-n", "1", "-presets", "random,fleet",
			"-sizes", "300", "-peer-sizes", "300,600", "-seeds", "1", "-peer-seeds", "1", "-hard", "deep-conflict"}, more...)
	}
	var log bytes.Buffer
	require.NoError(t, run(t.Context(), args("-only", "process,warm"), io.Discard, &log), log.String())
	first := read(t, dir)
	require.Len(t, first.Process, 8, "two presets, two sizes, two forms")
	require.Len(t, first.Warm, 2)
	require.Empty(t, first.Hard)
	require.Equal(t, "2026-01-31", first.Date)
	require.NotZero(t, first.Machine.Cores)
	require.NotEmpty(t, first.Earlier)
	for _, p := range first.Process {
		require.True(t, p.Satisfiable)
		require.Positive(t, p.Set)
		require.Positive(t, p.Resolute.Seconds)
		if _, err := libsolv.Find(); err == nil {
			require.Positive(t, p.Libsolv.Seconds)
			require.Positive(t, p.Ratio)
		}
	}
	for _, w := range first.Warm {
		require.Equal(t, 300, w.Bundles)
		require.Positive(t, w.Resolve.Seconds)
		require.Empty(t, w.Resolve.Failed)
		require.Positive(t, w.Load.Seconds)
	}
	require.NoError(t, run(t.Context(), args("-only", "hard"), io.Discard, &log), log.String())
	second := read(t, dir)
	require.Equal(t, first.Process, second.Process)
	require.Equal(t, first.Warm, second.Warm)
	require.Len(t, second.Hard, 1)
	text := testkit.Must(os.ReadFile(filepath.Join(dir, "results.md")))(t)
	for _, want := range []string{"# Results of 2026-01-31", "| fleet | 600 | spaced |", "| deep-conflict | 2,000 |", "Measured earlier, not in this run"} {
		require.Contains(t, string(text), want)
	}
}

func read(t *testing.T, dir string) *Results {
	data := testkit.Must(os.ReadFile(filepath.Join(dir, resultsFile)))(t)
	r := &Results{}
	require.NoError(t, json.Unmarshal(data, r))
	return r
}

func TestRefusesWhatItDoesNotUnderstand(t *testing.T) {
	for text, args := range map[string]string{
		"set the date":                "",
		`unknown stage "cold"`:        "-date d -only cold",
		`"many" is not a number`:      "-date d -sizes 10,many",
		`"2000000" is not a number`:   "-date d -sizes 2000000",
		"must be positive":            "-date d -n 0",
		`unexpected argument "more"`:  "-date d more",
		"provided but not defined: -": "-dat d",
	} {
		require.ErrorContains(t, run(t.Context(), strings.Fields(args), io.Discard, io.Discard), text)
	}
	require.ErrorIs(t, run(t.Context(), []string{"-h"}, io.Discard, io.Discard), flag.ErrHelp)
	_, err := sized("nonesuch", 100)
	require.ErrorContains(t, err, `unknown preset "nonesuch"`)
}

func TestStopsWithItsContext(t *testing.T) {
	ctx := testkit.Ended()
	require.Error(t, run(ctx, []string{"-date", "d", "-o", t.TempDir(), "-work", t.TempDir()}, io.Discard, io.Discard))
}

func TestRatioAndMedianOfPairs(t *testing.T) {
	ours := []Usage{{Seconds: 2, CPUSeconds: 5}, {Seconds: 9, CPUSeconds: 1}, {Seconds: 4, CPUSeconds: 3}}
	theirs := []Usage{{Seconds: 1}, {Seconds: 3}, {Seconds: 4}}
	require.Equal(t, 2.0, ratio(ours, theirs), "of 2, 3 and 1")
	require.Equal(t, Usage{Seconds: 4, CPUSeconds: 3}, median(ours))
}

func TestSpaced(t *testing.T) {
	require.Equal(t, `{"a:,": [1, "b\",:", {}]}`+"\n", string(spaced([]byte(`{"a:,":[1,"b\",:",{}]}`+"\n"))))
}

func TestMerge(t *testing.T) {
	key := func(s string) string { return s[:1] }
	require.Equal(t, []string{"a2", "b1", "c2"}, merge([]string{"a1", "b1"}, []string{"c2", "a2"}, key))
}

// TestFiguresOfAnotherMachine: stages that a run does not repeat keep their
// date and machine, and the report says so.
func TestFiguresOfAnotherMachine(t *testing.T) {
	old, now := Run{"2026-01-30", Machine{CPU: "old"}}, Run{"2026-01-31", Machine{CPU: "new"}}
	r := &Results{}
	r.begin(old, stageNames())
	r.Process, r.Warm = []Process{{}}, []Warm{{Warm: &measure.Warm{}}}
	require.NotContains(t, r.markdown(), "from another run")
	r.begin(now, []string{"process"})
	require.Equal(t, map[string]Run{"warm": old}, r.Stages)
	require.Contains(t, r.markdown(), "Stage `warm` is from another run of 2026-01-30: old, ")
	require.NotContains(t, r.markdown(), "Stage `process`")
	r.begin(now, []string{"hard"}) // again on the same date and machine
	require.Equal(t, map[string]Run{"warm": old}, r.Stages)
	require.Equal(t, now, Run{r.Date, r.Machine})
	r.begin(now, []string{"warm"})
	require.Empty(t, r.Stages)
	require.Contains(t, r.markdown(), "have seed 1")
}

func TestNumbersForPeople(t *testing.T) {
	for want, got := range map[string]string{
		"1.23ms": seconds(0.0012345), "12.3µs": seconds(0.0000123456), "2m3s": seconds(123.4), "0s": seconds(0),
		"1,234,567": count(1234567), "999": count(999), "1,000": count(1000),
		"1.50 GB": size(1.5e9), "12 MB": size(12e6), "3.4 kB": size(3400),
		"0": seeds(nil), "2 (seed 7, 9)": seeds([]uint64{7, 9}),
		"21 (seed 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, …)": seeds(make([]uint64, 21)),
		"stopped": figure(measure.Figure{Failed: "why"}), "": figure(measure.Figure{}),
	} {
		require.Equal(t, want, got)
	}
}

// A later run reuses the instances of an earlier one unless the configuration
// changed.
func TestInstancesAreKept(t *testing.T) {
	c := &comparison{o: &options{}, work: t.TempDir()}
	cfg := testkit.Must(sized("random", 100))(t)
	path := testkit.Must(c.writeInstance("x", cfg))(t)
	before := testkit.Must(os.Stat(path))(t)
	time.Sleep(10 * time.Millisecond)
	_, err := c.writeInstance("x", cfg)
	require.NoError(t, err)
	after := testkit.Must(os.Stat(path))(t)
	require.Equal(t, before.ModTime(), after.ModTime())
	cfg.Seed++
	_, err = c.writeInstance("x", cfg)
	require.NoError(t, err)
	after = testkit.Must(os.Stat(path))(t)
	require.NotEqual(t, before.ModTime(), after.ModTime())
}
