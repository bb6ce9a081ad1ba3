package document_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// What YAML writes in ways of its own becomes JSON.
func TestScalars(t *testing.T) {
	for text, want := range map[string]string{
		"4.10": "4.10", "0x1F": "31", "0o17": "15", "-7": "-7", "+5": "5", "18446744073709551615": "18446744073709551615", "1e3": "1e3", ".5": "0.5",
		"~": "null", "": "null", "TRUE": "true", "False": "false", "yes": `"yes"`, "2001-01-01": `"2001-01-01"`, "!!str 5": `"5"`, "!!binary aGk=": `"aGk="`,
		"1": "1", "1_000": "1000", "1.": "1", "+1.5": "1.5", "null": "null", "!!int \"7\"": "7", "!custom x": `"x"`, "1.0.0": `"1.0.0"`, "<<": `"<<"`,
		"[1, [2]]": "[1,[2]]", "{a: {b: 1}, 2: x}": `{"a":{"b":1},"2":"x"}`, "true": "true", "!!float 3": "3", "|\n  a\n  b": `"a\nb"`, "'it''s'": `"it's"`,
	} {
		n, err := document.Decode(context.Background(), []byte("a: "+text), "f.yaml", document.Limits{})
		require.NoError(t, err, text)
		require.Equal(t, `{"a":`+want+`}`, string(n.JSON()), text)
	}
	for _, text := range []string{".inf", "-.inf", ".nan", "!!bool yes please"} {
		_, err := document.Decode(context.Background(), []byte("a: "+text), "f.yaml", document.Limits{})
		var bad *document.SyntaxError
		require.ErrorAs(t, err, &bad, text)
		require.False(t, bad.TooLarge)
	}
	_, err := document.Decode(context.Background(), []byte("? [a]\n: b\n"), "f.yaml", document.Limits{})
	require.ErrorContains(t, err, "a key must be a simple value")
}

// Documents keep their lines, and those before a broken one are there.
func TestAll(t *testing.T) {
	docs, err := document.All(context.Background(), []byte("%YAML 1.2\n---\na: 1\n---\n---\nb: [x,\n  y]\n--- {c\n"), 11, document.Limits{})
	bad := testkit.As[*document.SyntaxError](t, err)
	require.Len(t, docs, 3)
	require.Equal(t, 13, docs[0].Line)
	require.Equal(t, document.KindNull, docs[1].Kind)
	raw, marks := docs[2].JSONLines()
	require.Equal(t, `{"b":["x","y"]}`, string(raw))
	require.Equal(t, document.Marks{{Offset: 0, Line: 16}, {Offset: 10, Line: 17}}, marks)

	_, err = document.All(context.Background(), []byte("a: ["+strings.Repeat("1,", 50)+"]"), 1, document.Limits{MaxNodes: 10})
	require.ErrorAs(t, err, &bad)
	require.True(t, bad.TooLarge)
	_, err = document.Decode(context.Background(), []byte("a: 1"), "f", document.Limits{MaxBytes: 3})
	require.ErrorAs(t, err, &bad)
	require.True(t, bad.TooLarge)
	_, err = document.All(testkit.Ended(), []byte("a: 1"), 1, document.Limits{})
	require.ErrorIs(t, err, context.Canceled)
	var none *document.Node
	raw, marks = none.JSONLines()
	require.Equal(t, "null", string(raw))
	require.Equal(t, document.Marks{{}}, marks)
}

// Each style in which a string is written as YAML gives the string again.
func TestStyles(t *testing.T) {
	for _, s := range []string{
		"", "a", "yes", "No", "null", "a: b", "a #b", "a:", "a ", " a", "1", "é", "a\nb", "a\nb\n", "a\n\n", "\na\nb", " a\nb", "a \nb", "a\r\nb", "a\tb\nc", "a\u2028\nb", "-", "- a", "~", "<<", "0x1F",
		"a\u202eb", "a\u200d\nb", "\\\u00a0", "\u0007\U000e0001", "\\u202e\u202e",
	} {
		quoted := testkit.Must(json.Marshal(s))(t)
		raw := `{"x":[` + string(quoted) + `,1E400,0,-1.50,true,null,{}],"<<":{"a":` + string(quoted) + `}}`
		text := testkit.Must(document.AppendYAML(context.Background(), []byte("# before\n"), json.RawMessage(raw)))(t)
		require.True(t, strings.HasPrefix(string(text), "# before\n---\n"), "%s", text)
		require.NotRegexp(t, `[^\n\PC]`, string(text), "YAML is read in terminals")
		n, err := document.Decode(context.Background(), text, "f.yaml", document.Limits{})
		require.NoError(t, err, "%s", text)
		require.Equal(t, s, n.Field("x").Items[0].Value, "%s", text)
		require.Equal(t, s, n.Field("<<").Field("a").Value)
		require.Equal(t, []string{"1E400", "0", "-1.50", "true", "", ""}, []string{n.Field("x").Items[1].Value, n.Field("x").Items[2].Value, n.Field("x").Items[3].Value, n.Field("x").Items[4].Value, n.Field("x").Items[5].Value, n.Field("x").Items[6].Value})
	}
	for _, bad := range []string{`{"a":1,"a":2}`, `{"a":`, ``, `{"a":1} 2`} {
		_, err := document.AppendYAML(t.Context(), nil, json.RawMessage(bad))
		require.Error(t, err)
	}
}
