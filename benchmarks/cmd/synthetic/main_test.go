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
)

func TestWritesPlainAndCompressed(t *testing.T) {
	args := []string{"-preset", "mixed", "-packages=12", "-catalog", "1", "-seed", "3"}
	var stdout, stderr bytes.Buffer
	require.NoError(t, run(args, &stdout, &stderr))
	require.Equal(t, 4*(1+3+10), strings.Count(stdout.String(), "\n"), "a third of the packages, each with 3 channels of 10 versions")
	require.Contains(t, stdout.String(), `"name":"pkg-000010"`)
	require.Regexp(t, `^pkg-000011 pulls in \d+ packages\n$`, stderr.String())

	name := filepath.Join(t.TempDir(), "catalog.jsonl")
	for _, suffix := range []string{"", ".gz"} {
		require.NoError(t, run(append(args, "-o", name+suffix), io.Discard, io.Discard))
	}
	plain, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, stdout.String(), string(plain))
	file, err := os.Open(name + ".gz")
	require.NoError(t, err)
	defer file.Close()
	zip, err := gzip.NewReader(file)
	require.NoError(t, err)
	unpacked, err := io.ReadAll(zip)
	require.NoError(t, err)
	require.Equal(t, plain, unpacked)
}

func TestRefusesWhatItDoesNotUnderstand(t *testing.T) {
	for text, args := range map[string][]string{
		`no preset "nonesuch"; there are`:        {"--preset=nonesuch"},
		`no preset ""`:                           {"-preset"},
		"there is no catalog 2":                  {"-catalog", "2", "-catalogs", "2"},
		`unexpected argument "catalog.jsonl"`:    {"catalog.jsonl"},
		"Versions is -1, it must be at least 1":  {"-versions", "-1"},
		"no such file or directory":              {"-o", filepath.Join(t.TempDir(), "nowhere", "x")},
		"flag provided but not defined: -verson": {"-verson", "3"},
	} {
		require.ErrorContains(t, run(args, io.Discard, io.Discard), text)
	}
	require.ErrorIs(t, run([]string{"-h"}, io.Discard, io.Discard), flag.ErrHelp)
}
