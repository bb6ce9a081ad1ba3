package fbc_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// TestBlob: each blob comes as it stands in its file, whatever it says, in the order of
// the files; also several on a line, over several lines, and made of YAML.
func TestBlob(t *testing.T) {
	files := fstest.MapFS{
		"a.json":  {Data: []byte("{\n \"schema\": \"olm.package\",\n \"name\": \"a\"\n}\n{\"schema\":\"x.y\", \"z\":[1, 2]} {\"schema\":\"olm.package\",\"name\":\"b\"}\n{\"name\":\"no schema\"}\n")},
		"b.yaml":  {Data: []byte("schema: olm.package\nname: c\n")},
		"c.jsonl": {Data: []byte(strings.Repeat("{\"schema\":\"x\"}\n", 3))},
	}
	var got []string
	_, err := fbc.Load(context.Background(), files, fbc.Options{Parallel: 8, Blob: func(schema string, raw []byte) {
		got = append(got, schema+" "+string(raw))
	}})
	require.NoError(t, err)
	require.Equal(t, []string{
		"olm.package {\n \"schema\": \"olm.package\",\n \"name\": \"a\"\n}",
		`x.y {"schema":"x.y", "z":[1, 2]}`,
		`olm.package {"schema":"olm.package","name":"b"}`,
		`olm.package {"schema":"olm.package","name":"c"}`,
		`x {"schema":"x"}`, `x {"schema":"x"}`, `x {"schema":"x"}`,
	}, got)
}
