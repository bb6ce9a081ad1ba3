package playground

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const examples = "../../../examples/catalogs/"

// prepared is the content of a site, without its programs.
func prepared(t *testing.T, catalogs ...string) (*writer, string) {
	t.Helper()
	w := &writer{Options: Options{Dir: t.TempDir(), Catalogs: catalogs, Log: func(string) {}}, written: make(map[string][]byte)}
	m, err := w.catalogs(t.Context())
	require.NoError(t, err)
	w.static()
	require.NoError(t, w.files(m))
	return w, m.Version
}

// Equal catalogs make equal sites; the version of a site changes with its catalogs.
func TestSitesAreEqual(t *testing.T) {
	a, version := prepared(t, examples+"community", "olm/other="+examples+"platform.jsonl")
	b, again := prepared(t, examples+"community", "olm/other="+examples+"platform.jsonl")
	require.Equal(t, version, again)
	require.True(t, maps.EqualFunc(a.written, b.written, func(x, y []byte) bool { return string(x) == string(y) }))
	_, other := prepared(t, examples+"community")
	require.NotEqual(t, version, other)
	for name := range a.written {
		written, err := os.ReadFile(filepath.Join(a.Dir, name))
		require.NoError(t, err)
		require.Equal(t, string(a.written[name]), string(written))
	}
	index := string(a.written["index.html"])
	require.Contains(t, index, "script-src &#39;self&#39; &#39;wasm-unsafe-eval&#39;;")
	require.NotContains(t, index, "unsafe-inline")
	require.Contains(t, index, `src="app.js?v=`+version+`"`)
	require.Contains(t, index, `src="site.js?v=`+version+`" data-version="`+version+`"`)
	require.NotRegexp(t, `(src|href)="(https?:)?//`, index, "nothing is loaded from elsewhere")
}

// What cannot be written is an error, and no page is written.
func TestNoSite(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.json")
	require.NoError(t, os.WriteFile(empty, []byte(`{"schema":"other"}`), 0o600))
	source := t.TempDir()
	for name, o := range map[string]Options{
		"a folder and at least one catalog": {Dir: t.TempDir()},
		"nowhere":                           {Dir: t.TempDir(), Catalogs: []string{"nowhere"}},
		"has no bundles":                    {Dir: t.TempDir(), Catalogs: []string{empty}},
		"cannot be built":                   {Dir: t.TempDir(), Catalogs: []string{examples + "community"}, Source: source},
	} {
		require.ErrorContains(t, Write(t.Context(), o), name)
		require.NoFileExists(t, filepath.Join(o.Dir, "index.html"))
	}
}

// The smaller program has neither HTTP nor CEL, which would double it; the other one has CEL.
func TestPrograms(t *testing.T) {
	deps := func(tags string) string {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", tags, "./wasm")
		cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
		out, err := cmd.Output()
		require.NoError(t, err)
		return "\n" + string(out)
	}
	small := deps("nocel")
	for _, heavy := range []string{"net/http", "crypto/tls", "os/exec", "github.com/google/cel-go/cel", "github.com/google/cel-go/interpreter", "google.golang.org/protobuf/proto"} {
		require.NotContains(t, small, "\n"+heavy+"\n")
	}
	require.Contains(t, deps(""), "\ngithub.com/google/cel-go/interpreter\n")
	require.Contains(t, strings.Fields(small), "github.com/seed109e2655/resolute/cmd/resolute/internal/page")
}
