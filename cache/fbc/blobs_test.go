package fbc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
)

// passed collects the blobs of Blobs.
func passed(t *testing.T, fsys fs.FS, opts fbc.Options) (blobs []fbc.Blob, problems []graph.Problem, last error) {
	for b, err := range fbc.Blobs(t.Context(), fsys, opts) {
		var p *graph.Problem
		switch {
		case errors.As(err, &p):
			problems = append(problems, *p)
		case err != nil:
			require.NoError(t, last)
			last = err
		default:
			b.Raw = bytes.Clone(b.Raw)
			blobs = append(blobs, b)
		}
	}
	return blobs, problems, last
}

func TestBlobs(t *testing.T) {
	tree := fstest.MapFS{
		"a/catalog.json": {Data: []byte("{\"schema\":\"olm.package\",\"name\":\"a\",\"x\":1.50}{\"schema\":\"olm.bundle\",\n \"package\":\"a\", \"name\":\"a\\u002ev1\"}\n[1]\n{\"name\":\"lost\"}\n{\"schema\":\"x.y\", \"q\": }\n{\"schema\":\"x.z\"}\n")},
		"b.yaml":         {Data: []byte("---\nschema: olm.channel\npackage: b\nname: c\n---\n# nothing\n---\nschema: my.own\nbig: 12345678901234567890\n")},
		"notes.txt":      {Data: []byte("x")},
		".hidden.yaml":   {Data: []byte("schema: no")},
	}
	blobs, problems, err := passed(t, tree, fbc.Options{})
	require.NoError(t, err)
	require.Equal(t, []fbc.Blob{
		{File: "a/catalog.json", Line: 1, Schema: "olm.package", Name: "a", Raw: json.RawMessage(`{"schema":"olm.package","name":"a","x":1.50}`)},
		{File: "a/catalog.json", Line: 1, Schema: "olm.bundle", Package: "a", Name: "a.v1", Raw: json.RawMessage("{\"schema\":\"olm.bundle\",\n \"package\":\"a\", \"name\":\"a\\u002ev1\"}")},
		{File: "a/catalog.json", Line: 6, Schema: "x.z", Raw: json.RawMessage(`{"schema":"x.z"}`)},
		{File: "b.yaml", Line: 2, Schema: "olm.channel", Package: "b", Name: "c", Raw: json.RawMessage(`{"schema":"olm.channel","package":"b","name":"c"}`)},
		{File: "b.yaml", Line: 8, Schema: "my.own", Raw: json.RawMessage(`{"schema":"my.own","big":12345678901234567890}`)},
	}, blobs)
	codes := testkit.Map(problems, func(p graph.Problem) graph.Code { return p.Code })
	require.Equal(t, []graph.Code{"fileSkipped", fbc.CodeNotObject, "schemaMissing", fbc.CodeSyntax, "emptyDocument"}, codes)
	require.Equal(t, []int{0, 3, 4, 5, 6}, []int{problems[0].Line, problems[1].Line, problems[2].Line, problems[3].Line, problems[4].Line})
}

// Limits, the context and the receiver of the blobs stop it.
func TestBlobsEnd(t *testing.T) {
	many := fstest.MapFS{"a.json": {Data: []byte(strings.Repeat(`{"schema":"s"}`+"\n", 100))}}
	blobs, _, err := passed(t, many, fbc.Options{MaxBlobs: 10})
	testkit.As[*fbc.LimitError](t, err)
	require.Len(t, blobs, 10)
	n := 0
	for range fbc.Blobs(t.Context(), many, fbc.Options{}) {
		if n++; n == 3 {
			break
		}
	}
	require.Equal(t, 3, n)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n = 0
	for _, err := range fbc.Blobs(ctx, many, fbc.Options{}) {
		if n++; n == 5 {
			cancel()
		}
		if n == 6 {
			require.ErrorIs(t, err, context.Canceled)
		}
	}
	require.Equal(t, 6, n)
	for _, err := range fbc.Blobs(t.Context(), many, fbc.Options{File: "missing"}) {
		require.Equal(t, fbc.CodeUnreadable, testkit.As[*graph.Problem](t, err).Code)
	}
}

// What is written as YAML is read as the same JSON, by this reader and by the
// library itself.
func TestAppendYAML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := `{"schema":` + drawJSON(t, 0) + `,"z":` + drawJSON(t, 3) + `,"a":` + drawJSON(t, 3) + `}`
		text := testkit.Must(document.AppendYAML(context.Background(), nil, json.RawMessage(raw)))(t)
		n, err := document.Decode(context.Background(), text, "x.yaml", document.Limits{})
		require.NoError(t, err, "%s", text)
		var want bytes.Buffer
		require.NoError(t, json.Compact(&want, []byte(raw)))
		require.Equal(t, plainJSON(t, want.Bytes()), plainJSON(t, n.JSON()), "%s", text)
	})
}

// plainJSON writes the strings of a JSON text without needless escapes.
func plainJSON(t require.TestingT, raw []byte) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var b strings.Builder
	for {
		token, err := dec.Token()
		if err != nil {
			return b.String()
		}
		text := testkit.Must(json.Marshal(token))(t)
		if d, ok := token.(json.Delim); ok {
			text = []byte(d.String())
		}
		b.Write(text)
		b.WriteByte(' ')
	}
}

// drawJSON draws a JSON value, with the texts that YAML could take for others.
func drawJSON(t *rapid.T, depth int) string {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"", "yes", "No", "on", "null", "~", "true", "1.10", "0x1F", "1_000", "12:30:45", "2020-01-01", "<<", "=", ".inf", "a: b", "a #b", "- a", "? a", "&a", "*a", "!a", "%a", "@a", "`a", "'a'", "\"a\"", " a", "a ", "a\n", "a\nb", "a\nb\n", "a\n\nb\n\n", "\na\nb", " a\nb", "a \nb", "a\tb\nc", "a\r\nb", "---\na", "a\n---\nb", "a:", "\u0085x", "\u2028", "\ufeffa", "é ü", "\x00", "\x7f", "#a", "a\nb: c #d\n"}),
		rapid.StringN(0, 12, -1),
	)
	quoted := func() string {
		raw := testkit.Must(json.Marshal(strings.ToValidUTF8(text.Draw(t, "text"), "?")))(t)
		return string(raw)
	}
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 {
		return quoted()
	}
	switch kind {
	case 0:
		return rapid.SampledFrom([]string{"null", "true", "false", "0", "-1", "4.10", "1e3", "1E400", "12345678901234567890123", "-0.0"}).Draw(t, "plain")
	case 1, 2:
		var items []string
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, drawJSON(t, depth-1))
		}
		return "[" + strings.Join(items, ",") + "]"
	case 3:
		fields := map[string]bool{}
		var list []string
		for range rapid.IntRange(0, 3).Draw(t, "fields") {
			name := quoted()
			if !fields[name] {
				fields[name] = true
				list = append(list, name+":"+drawJSON(t, depth-1))
			}
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	return quoted()
}

// No input makes it panic; what comes is a blob each, and is the same by way of
// YAML.
func FuzzBlobs(f *testing.F) {
	f.Add([]byte("{\"schema\":\"a\"}{\"schema\":\"b\",\"x\":[1,\"yes\"]}\n[1]\n{\"schema\":"))
	f.Add([]byte("schema: a\nx: |\n  b\n   c\n---\nschema: 5\n---\n- a\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{"a.json", "a.yaml", "a"} {
			for b, err := range fbc.Blobs(context.Background(), fstest.MapFS{name: {Data: text}}, fbc.Options{File: name}) {
				if err != nil {
					continue
				}
				require.True(t, json.Valid(b.Raw) && b.Schema != "" && b.Line > 0, "%+v: %q", b, b.Raw)
				yaml, err := document.AppendYAML(context.Background(), nil, b.Raw)
				if err != nil {
					continue // a field twice, or too deep
				}
				n, err := document.Decode(context.Background(), yaml, "x.yaml", document.Limits{})
				require.NoError(t, err, "%q", yaml)
				require.Equal(t, plainJSON(t, b.Raw), plainJSON(t, n.JSON()), "%s", yaml)
			}
		}
	})
}
