package disk_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/disk"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// requireCorrupt requires that the data is rejected as damaged.
func requireCorrupt(t *testing.T, data []byte, reason string) {
	c, err := disk.Decode(data, disk.Options{})
	require.Contains(t, testkit.As[*disk.CopyError](t, err).Reason, reason)
	require.Nil(t, c)
}

// TestEveryBit: every flipped bit is detected.
func TestEveryBit(t *testing.T) {
	data := encoded(t, content(t, "sha256:0"))
	for i := range data {
		for bit := range 8 {
			data[i] ^= 1 << bit
			requireCorrupt(t, data, "")
			data[i] ^= 1 << bit
		}
	}
	_, err := disk.Decode(data, disk.Options{})
	require.NoError(t, err, "undamaged again")
}

// TestEveryTruncation: a copy with missing or additional bytes at its end is rejected.
func TestEveryTruncation(t *testing.T) {
	data := encoded(t, content(t, "sha256:0"))
	for n := range data {
		requireCorrupt(t, data[:n], "")
	}
	requireCorrupt(t, append(data, 0), "")
	requireCorrupt(t, append(data, data...), "")
}

// TestForeign: the error of a file that is not a copy says so.
func TestForeign(t *testing.T) {
	jsonl := testkit.Must(os.ReadFile("testdata/small.jsonl"))(t)
	for name, data := range map[string][]byte{
		"JSON": jsonl, "gzip": testkit.Gzip(jsonl), "zeros": make([]byte, 1000), "text": []byte("hello"),
		"PNG": []byte("\x89PNG\r\n\x1a\n"), "line ends converted": []byte("\x89RSL\n\x1a\n" + strings.Repeat("x", 100)),
	} {
		t.Run(name, func(t *testing.T) { requireCorrupt(t, data, "not a copy of a catalog") })
	}
	requireCorrupt(t, nil, "empty")
}

// TestVersions: a valid copy of another format or build is distinguished from a damaged one.
func TestVersions(t *testing.T) {
	lines := disk.Lines(encoded(t, content(t, "sha256:0")))
	_, err := disk.Decode(disk.Seal(lines), disk.Options{})
	require.NoError(t, err)

	_, err = disk.Decode(sealAs([]byte(`{"schema":"resolute.copy","format":2,"of":"the future"}`+"\n"), 2, ""), disk.Options{})
	version := testkit.As[*disk.CopyError](t, err)
	require.EqualError(t, version, `the copy "" is unusable because it has format version 2, and this program supports version 1: load the catalog from its source and write the copy again`)

	_, err = disk.Decode(sealAs(lines, 1, "other"), disk.Options{})
	require.ErrorAs(t, err, &version)
	require.ErrorContains(t, err, "it was written by another build of the library")

	damaged := sealAs(lines, 2, "")
	damaged[len(damaged)/2] ^= 1
	requireCorrupt(t, damaged, "checksum")
}

// sealAs returns a copy of another format or build.
func sealAs(lines []byte, format int, build string) []byte {
	lines = bytes.Replace(lines, []byte(`"format":1`), fmt.Appendf(nil, `"format":%d`, format), 1)
	return disk.Seal(bytes.Replace(lines, []byte(`"build":"`+disk.ThisBuild()), []byte(`"build":"`+build), 1))
}

// TestBuild: everything that affects how a catalog is read is part of the build.
func TestBuild(t *testing.T) {
	info := func(version string) *debug.BuildInfo {
		return &debug.BuildInfo{
			Main: debug.Module{Path: "example.com/controller", Version: "v1.0.0"},
			Deps: []*debug.Module{{Path: "github.com/seed109e2655/resolute", Version: version}, {Path: "example.com/other", Version: "v1.0.0"}},
		}
	}
	here := disk.BuildOf(info("v1.0.0"))
	require.Equal(t, here, disk.BuildOf(info("v1.0.0")))
	require.NotEqual(t, here, disk.BuildOf(info("v1.0.1")))
	require.NotEqual(t, here, disk.BuildOf(nil))
	replaced := info("v1.0.0")
	replaced.Deps[0].Replace = &debug.Module{Path: "../fork", Version: "v0"}
	require.NotEqual(t, here, disk.BuildOf(replaced))
	unrelated := info("v1.0.0")
	unrelated.Main.Version, unrelated.Deps[1].Version = "v2.0.0", "v2.0.0"
	require.Equal(t, here, disk.BuildOf(unrelated))
	commit := func(revision string) *debug.BuildInfo {
		return &debug.BuildInfo{
			Main:     debug.Module{Path: "github.com/seed109e2655/resolute", Version: "(devel)"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: revision}},
		}
	}
	require.NotEqual(t, disk.BuildOf(commit("a")), disk.BuildOf(commit("b")))
}

// TestOrigin: a copy of another catalog is rejected.
func TestOrigin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, disk.Write(context.Background(), path, &cache.Content{Catalog: small(t), Digest: "sha256:0"}, disk.Options{Origin: "https://a.example"}))
	for _, same := range []string{"", "https://a.example"} {
		_, err := disk.Read(context.Background(), path, disk.Options{Origin: same})
		require.NoError(t, err)
	}
	_, err := disk.Read(context.Background(), path, disk.Options{Origin: "https://b.example"})
	origin := testkit.As[*disk.CopyError](t, err)
	require.Equal(t, path, origin.Path)
	require.Contains(t, origin.Reason, `is of "https://a.example", not of "https://b.example"`)
	require.ErrorContains(t, err, "use a separate file for each catalog")
}

// TestPaths: errors name the file.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	_, err := disk.Read(context.Background(), filepath.Join(dir, "absent"), disk.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)

	path := filepath.Join(dir, "copy")
	require.NoError(t, disk.Write(context.Background(), path, &cache.Content{Catalog: small(t), Digest: "sha256:0"}, disk.Options{}))
	_, err = disk.Read(context.Background(), path, disk.Options{MaxBytes: 100})
	corrupt := testkit.As[*disk.CopyError](t, err)
	require.ErrorContains(t, err, "exceed the limit of 100")
	_, err = disk.Read(context.Background(), dir, disk.Options{})
	require.ErrorAs(t, err, &corrupt)
	require.ErrorContains(t, err, "not a regular file")
	require.Equal(t, dir, corrupt.Path)
	require.NoError(t, os.WriteFile(path, []byte("hello"), 0o600))
	_, err = disk.Read(context.Background(), path, disk.Options{MaxBytes: -1})
	require.ErrorAs(t, err, &corrupt)
	require.EqualError(t, err, `the copy "`+path+`" is unusable because it is not a copy of a catalog, or its end is truncated or damaged: load the catalog from its source and write the copy again`)
}

// TestHostile: invalid content is rejected despite a valid checksum, and so is a copy that
// contains problems of its own.
func TestHostile(t *testing.T) {
	lines := disk.Lines(encoded(t, content(t, "sha256:0")))
	head, rest, _ := bytes.Cut(lines, []byte("\n"))
	head = append(head, '\n')
	for name, tt := range map[string]struct{ lines, reason string }{
		"nothing":          {"", "first line"},
		"another schema":   {`{"schema":"olm.package"}` + "\n", "first line"},
		"half a header":    {string(head[:20]), "first line"},
		"a long header":    {`{"schema":"resolute.copy","x":"` + strings.Repeat("x", 1<<20) + `"}` + "\n", "first line"},
		"half a line":      {string(head) + string(rest[:len(rest)/2]), "ends in the middle"},
		"text":             {string(head) + "hello\n", "not valid JSON"},
		"a strange time":   {strings.Replace(string(head), "{", `{"modified":"yesterday",`, 1), "first line"},
		"strange findings": {string(head) + `{"schema":"resolute.findings","package":7}` + "\n", "cannot be read"},
		"findings inside":  {string(head) + `{"schema":"resolute.findings","setAside":[7]}` + "\n", "not a number"},
	} {
		t.Run(name, func(t *testing.T) { requireCorrupt(t, disk.Seal([]byte(tt.lines)), tt.reason) })
	}
	inside := string(head) + `{"schema":"resolute.findings","setAside":[{"schema":"resolute.findings","package":"x","problems":[{"message":"m"}]}]}` + "\n"
	c, err := disk.Decode(disk.Seal([]byte(inside)), disk.Options{})
	require.NoError(t, err)
	require.Empty(t, c.Catalog.Problems(), "findings in findings are skipped")
}
