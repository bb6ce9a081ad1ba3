package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// workFolder makes a folder with everything that the commands of the documents name.
func workFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name, content string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	compressed := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, z.Close())
		return b.String()
	}
	layout, _ := layoutOf(t, "../../examples/catalogs/community")
	for to, from := range map[string]string{
		"examples/scenarios": "../../examples/scenarios", "examples/catalogs": "../../examples/catalogs", "CATALOG": "../../examples/catalogs/community",
		"catalogs/community": "../../examples/catalogs/community", "bundle": etcdBundle, "etcd/0.9.4": etcdBundle, "build/catalog": layout,
	} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, to), os.DirFS(from)))
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	require.NoError(t, w.AddFS(os.DirFS(layout)))
	require.NoError(t, w.Close())
	put("catalog.tar", archive.String())
	put("catalog.jsonl.gz", compressed(universe.JSON(t, sound)))
	put("community.jsonl.gz", compressed(universe.JSON(t, goods)))
	put("more.yaml", universe.JSON(t, sound))
	dump := strings.ReplaceAll(dumped, "metadata: {name: goods, namespace: shop}", "metadata: {name: community, namespace: olm}")
	dump = strings.ReplaceAll(dump, "source: goods, sourceNamespace: shop", "source: community, sourceNamespace: olm")
	put("dump.yaml", strings.ReplaceAll(dump, "catalogSourceRef: {name: goods, namespace: shop}", "catalogSourceRef: {name: community, namespace: olm}"))
	return dir
}

// TestDocumentsWithoutOutput runs the commands that the documents show without what
// they print, in the order in which they stand there, in a folder that has what they
// name. Images of registries are stood in for by a layout.
func TestDocumentsWithoutOutput(t *testing.T) {
	ownCache(t)
	block := regexp.MustCompile("(?s)```sh\n(.*?)```\n")
	remote := regexp.MustCompile(`^(hub=)?(quay\.io|docker:)/.*|^docker-archive:.*`)
	var lines []string
	for _, name := range []string{"README.md", "../../examples/audit-job/README.md", "../../README.md", "../../examples/keep-in-git/README.md"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range block.FindAllStringSubmatch(string(text), -1) {
			lines = append(lines, strings.Split(strings.ReplaceAll(m[1], "\\\n", " "), "\n")...)
		}
	}
	t.Chdir(workFolder(t))
	commands := 0
	for _, line := range lines {
		line, ours := strings.CutPrefix(strings.Replace(line, "go run ./cmd/resolute ", "resolute ", 1), "resolute ")
		if !ours {
			continue
		}
		line, _, _ = strings.Cut(line, " #")
		line, file, redirected := strings.Cut(line, ">")
		var args []string
		for _, arg := range strings.Fields(line) {
			arg = remote.ReplaceAllString(strings.Trim(arg, "'"), "${1}oci:build/catalog")
			if found, err := filepath.Glob(arg); err == nil && strings.Contains(arg, "*") {
				require.NotEmpty(t, found, arg)
				args = append(args, found...)
				continue
			}
			args = append(args, arg)
		}
		commands++
		if args[0] == "serve" { // until it says where
			ctx, cancel := context.WithCancel(t.Context())
			require.Equal(t, exitOK, run(ctx, append([]string{"resolute"}, append(args, "--listen", "127.0.0.1:0")...), nil, interrupt(cancel), io.Discard))
			continue
		}
		got := resolute(t.Context(), "", args...)
		require.LessOrEqual(t, got.status, exitNo, "%s:\n%s", line, got.errOut)
		if redirected {
			require.NoError(t, os.WriteFile(strings.TrimSpace(file), []byte(got.out), 0o600))
		}
	}
	require.Greater(t, commands, 20)
}

// interrupt is an output that interrupts the program once it says something.
type interrupt context.CancelFunc

// Write implements io.Writer.
func (i interrupt) Write(p []byte) (int, error) {
	i()
	return len(p), nil
}
