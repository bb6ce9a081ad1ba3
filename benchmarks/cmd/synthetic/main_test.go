package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/libsolv"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func TestWritesPlainAndCompressed(t *testing.T) {
	args := []string{"-preset", "mixed", "-packages=12", "-catalog", "1", "-seed", "3"}
	var stdout, stderr bytes.Buffer
	require.NoError(t, run(t.Context(), args, &stdout, &stderr))
	require.Equal(t, 4*(1+3+10), strings.Count(stdout.String(), "\n"), "a third of the packages, each with 3 channels of 10 versions")
	require.Contains(t, stdout.String(), `"name":"pkg-000010"`)
	require.Regexp(t, `^pkg-000011 pulls in \d+ packages\n$`, stderr.String())

	name := filepath.Join(t.TempDir(), "catalog.jsonl")
	for _, suffix := range []string{"", ".gz"} {
		require.NoError(t, run(t.Context(), append(args, "-o", name+suffix), io.Discard, io.Discard))
	}
	plain := testkit.Must(os.ReadFile(name))(t)
	require.Equal(t, stdout.String(), string(plain))
	file := testkit.Must(os.Open(name + ".gz"))(t)
	defer file.Close()
	zip := testkit.Must(gzip.NewReader(file))(t)
	unpacked := testkit.Must(io.ReadAll(zip))(t)
	require.Equal(t, plain, unpacked)
}

func TestRefusesWhatItDoesNotUnderstand(t *testing.T) {
	for text, args := range map[string][]string{
		`unknown preset "nonesuch"; presets:`:    {"--preset=nonesuch"},
		`unknown format "cudf"; formats:`:        {"-format", "cudf"},
		"needs a folder":                         {"-format", "testtags"},
		`unknown shape "round"; shapes:`:         {"-shape", "round"},
		`unknown preset ""`:                      {"-preset"},
		"there is no catalog 2":                  {"-catalog", "2", "-catalogs", "2"},
		`unexpected argument "catalog.jsonl"`:    {"catalog.jsonl"},
		"Versions is -1, it must be at least 1":  {"-versions", "-1"},
		"no such file or directory":              {"-o", filepath.Join(t.TempDir(), "nowhere", "x")},
		"flag provided but not defined: -verson": {"-verson", "3"},
	} {
		require.ErrorContains(t, run(t.Context(), args, io.Discard, io.Discard), text)
	}
	require.ErrorIs(t, run(t.Context(), []string{"-h"}, io.Discard, io.Discard), flag.ErrHelp)
}

// Each format is complete and usable.
func TestWritesEachFormat(t *testing.T) {
	write := func(format, name string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, run(t.Context(), []string{"-preset", "deep-conflict", "-bundles=300", "-seed", "3", "-format", format, "-o", path}, io.Discard, io.Discard))
		return path
	}
	s := testkit.Must(scenario.ReadFile(t.Context(), filepath.Join(write("scenario", "folder"), "scenario.json")))(t)
	answer := new(scenario.Runner).Run(t.Context(), s)
	require.Empty(t, answer.Error)
	require.Equal(t, 300, answer.Stats.Bundles)

	formula := testkit.Must(os.ReadFile(write("dimacs", "formula.cnf")))(t)
	require.Regexp(t, `(?m)^p cnf \d+ \d+$`, string(formula))

	testcase := filepath.Join(write("testtags", "folder"), libsolv.TestcaseFile)
	require.FileExists(t, testcase)
	if _, err := libsolv.Find(); err != nil {
		t.Skip(err)
	}
	theirs := testkit.Must(libsolv.Run(t.Context(), testcase))(t)
	require.Equal(t, answer.Status == scenario.Resolved, theirs.Satisfiable)
}
