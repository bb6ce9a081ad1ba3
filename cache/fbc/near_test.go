package fbc_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestMisspeltSchema: a blob whose schema is nearly one of a catalog is an error, and one of
// another program is none.
func TestMisspeltSchema(t *testing.T) {
	c, err := fbc.Read(t.Context(), strings.NewReader(`{"schema":"olm.package","name":"p","defaultChannel":"c"}
{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v1"}]}
{"schema":"com.example.icon","package":"p","name":"i"}
{"schema":"olm.bundel","package":"p","name":"p.v1"}`), "c.jsonl", fbc.Options{})
	require.NoError(t, err)
	var found []graph.Problem
	for _, p := range c.Problems() {
		if p.Code == "schemaUnknown" {
			found = append(found, p)
		}
	}
	require.Equal(t, []graph.Problem{{Severity: "error", Code: "schemaUnknown", Package: "p", File: "c.jsonl", Line: 4,
		Message: `blob "p.v1" has the unknown schema "olm.bundel", and is ignored; did you mean olm.bundle?`}}, found)
}

// TestSQLite: an index in the form of SQLite is known by its header, whatever it is called.
func TestSQLite(t *testing.T) {
	const says = "this is an SQLite catalog; convert it with opm migrate"
	index := &fstest.MapFile{Data: []byte("SQLite format 3\x00\x10\x00\x01\x01\x00\x40\x20\x20")}
	for _, name := range []string{"index.db", "index", "catalog.yaml", "catalog.json"} {
		files := fstest.MapFS{name: index}
		_, err := fbc.Load(t.Context(), files, fbc.Options{File: name})
		require.ErrorContains(t, err, says, name)
		_, err = fbc.Load(t.Context(), files, fbc.Options{})
		require.Equal(t, says, testkit.As[*fbc.UnreadableError](t, err).Problems[0].Message, name)
	}
}
