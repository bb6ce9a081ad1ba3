package read

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
)

// TestIgnoreLikeGit holds the rules against git itself: random ignore files
// at several levels of a tree, and every file of the tree in or out.
func TestIgnoreLikeGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("needs git to compare with")
	}
	root := t.TempDir()
	require.NoError(t, exec.Command(git, "init", "-q", root).Run())
	dirs := []string{".", "a", "b", "foo", "a/b", "a/foo", "foo/a", "a/b/foo", "b/a/b", "{a"}
	var files []string
	for _, d := range dirs {
		require.NoError(t, os.MkdirAll(filepath.Join(root, d), 0o755))
		for _, name := range []string{"x.yaml", "y.txt", "a.yaml", "b.json", "a b", "c]"} {
			files = append(files, path.Join(d, name))
			require.NoError(t, os.WriteFile(filepath.Join(root, d, name), nil, 0o644))
		}
	}
	pattern := rapid.SampledFrom([]string{
		"*", "a", "b", "foo", "foo/", "/foo", "*.yaml", "a/b", "a/*", "**/foo", "foo/**", "a/**/b", "*.txt",
		"[ab].yaml", "[!a]*", "[^a]*", "?", "x?yaml", "/*", "b/", "*/x.yaml", "foo/*.yaml", "# c", `\a`, "a*",
		"**", "**/a/", "/a/b/", "", " ", "/", "a b", `a\ `, "a b  ", "[unclosed", "{a,b}", "{a", "[{]a", `\{a`, "c[]]", "**/", "a**b",
		"**/*.yaml", "!", `\!a`, "a/**", "/**/b", "foo//", "x.yaml\r", "[]c]*", "[a-c]*", "*/", "*/*/",
	})
	line := rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 2).Draw(t, "negate") == 0 {
			return "!" + pattern.Draw(t, "pattern")
		}
		return pattern.Draw(t, "pattern")
	})
	content := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line, 1, 5).Draw(t, "lines"), "\n")
	})
	rapid.Check(t, func(t *rapid.T) {
		ignores := map[string]string{".": content.Draw(t, "root")}
		for _, d := range []string{"a", "foo", "a/b"} {
			if rapid.IntRange(0, 2).Draw(t, "has") == 0 {
				ignores[d] = content.Draw(t, d)
			}
		}
		for _, d := range dirs {
			name := filepath.Join(root, d, ".gitignore")
			if text, ok := ignores[d]; ok {
				require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
			} else {
				os.Remove(name)
			}
		}
		cmd := exec.Command(git, "-c", "core.excludesFile=", "check-ignore", "--no-index", "-z", "--stdin")
		cmd.Dir = root
		cmd.Stdin = strings.NewReader(strings.Join(files, "\x00"))
		out, _ := cmd.Output() // exit status 1 means that nothing is ignored
		var want []string
		for _, f := range bytes.Split(out, []byte{0}) {
			if len(f) > 0 {
				want = append(want, string(f))
			}
		}
		var got []string
		for _, f := range files {
			if ignoredInTree(ignores, f) {
				got = append(got, f)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, got, "ignore files: %q", ignores)
	})
}

// ignoredInTree walks down to a file as the reader does.
func ignoredInTree(ignores map[string]string, file string) bool {
	var rules ignoreRules
	dir := "."
	rules, _ = rules.with(dir, []byte(ignores[dir]))
	parts := strings.Split(file, "/")
	for i, part := range parts {
		name := path.Join(dir, part)
		if rules.ignored(name, i < len(parts)-1) {
			return true
		}
		dir = name
		if text, ok := ignores[dir]; ok {
			rules, _ = rules.with(dir, []byte(text))
		}
	}
	return false
}
