//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// The scenarios of a directory are regular files in it.
func TestDirectoryStaysInside(t *testing.T) {
	const text = "catalogs: []\nexpect: {status: resolved}\n"
	outside := write(t, "outside.yaml", text)
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		says string
	}{
		"pipe": {func(t *testing.T, path string) { require.NoError(t, syscall.Mkfifo(path, 0o600)) }, "x.yaml: not a regular file"},
		"out":  {func(t *testing.T, path string) { require.NoError(t, os.Symlink(outside, path)) }, "x.yaml: not followed, because the symbolic link leaves the directory"},
		"names pipe": {func(t *testing.T, path string) {
			pipe := filepath.Join(filepath.Dir(path), "pipe.json.fifo")
			require.NoError(t, syscall.Mkfifo(pipe, 0o600))
			require.NoError(t, os.WriteFile(path, []byte("catalogs: [{name: c, path: pipe.json.fifo}]\n"+text[len("catalogs: []\n"):]), 0o600))
		}, "x.yaml: its catalog "},
		"inside": {func(t *testing.T, path string) { require.NoError(t, os.Symlink("a.yaml", path)) }, ""},
		"through": {func(t *testing.T, path string) {
			require.NoError(t, os.Symlink(filepath.Join(filepath.Dir(path), "a.yaml"), path))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(text), 0o600))
			c.make(t, filepath.Join(dir, "x.yaml"))
			for _, command := range []string{"resolve", "test", "converge"} {
				got := run1(t, command, "--timeout", "20s", dir)
				if c.says == "" {
					require.Equal(t, 0, got.status, got.out+got.errOut)
					continue
				}
				require.Equal(t, 2, got.status, got.out+got.errOut)
				require.Contains(t, got.out+got.errOut, c.says)
			}
		})
	}
	// A catalog that a scenario names may hold a pipe, and links to pipes elsewhere.
	dir := t.TempDir()
	testkit.WriteFiles(t, dir, map[string]string{"a.yaml": "catalogs: [{name: c, path: .c}]\nexpect: {status: resolved}\n", ".c/c.yaml": "schema: olm.package\nname: p\ndefaultChannel: s\n"})
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, ".c", ".indexignore"), 0o600))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	require.NoError(t, os.Symlink("../pipe", filepath.Join(dir, ".c", "x.yaml")))
	for _, args := range [][]string{{"resolve", dir}, {"test", dir}, {"converge", dir}, {"validate", filepath.Join(dir, ".c")}, {"audit", filepath.Join(dir, ".c")}, {"list", filepath.Join(dir, ".c")}} {
		require.NotEqual(t, 3, run1(t, append(args, "--timeout", "20s")...).status, args)
	}
	got := run1(t, "resolve", outside)
	require.Equal(t, 0, got.status, got.errOut)
	_, _, err := listScenarios(t.Context(), filepath.Dir(outside), 0)
	require.ErrorContains(t, err, "more than 0 scenario files")
}
