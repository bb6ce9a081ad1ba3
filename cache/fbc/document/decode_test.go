package document_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// outline renders a tree of nodes with its lines.
func outline(n *document.Node) string {
	switch n.Kind {
	case document.KindSequence:
		parts := testkit.Map(n.Items, func(item *document.Node) string { return outline(item) })
		return fmt.Sprintf("%d[%s]", n.Line, strings.Join(parts, " "))
	case document.KindMapping:
		var parts []string
		for _, f := range n.Fields {
			parts = append(parts, fmt.Sprintf("%d.%s=%s", f.Line, f.Name, outline(f.Value)))
		}
		return fmt.Sprintf("%d{%s}", n.Line, strings.Join(parts, " "))
	case document.KindNull:
		return fmt.Sprintf("%d:null", n.Line)
	}
	return fmt.Sprintf("%d:%s", n.Line, n.Value)
}

func TestDecode(t *testing.T) {
	const json1 = "{\n\"b\": [1, \"x\"],\n\n\"a\": {\"c\": null,\n\"d\": true}\n}\n"
	tests := map[string]struct{ name, text, want string }{
		"JSON":                   {"f.json", json1, "1{2.b=2[2:1 2:x] 4.a=4{4.c=4:null 5.d=5:true}}"},
		"JSON called YAML":       {"f.yaml", json1, "1{2.b=2[2:1 2:x] 4.a=4{4.c=4:null 5.d=5:true}}"},
		"JSON without a name":    {"", "\uFEFF{}", "1{}"},
		"JSON, value a line on":  {"f.json", "{\"a\":\n1,\"b\"\n:\n2}", "1{1.a=2:1 2.b=4:2}"},
		"YAML":                   {"f.yaml", "# c\nb:\n- 1\n- x\na:\n  c:\n  d: true\n", "2{2.b=3[3:1 4:x] 5.a=6{6.c=6:null 7.d=7:true}}"},
		"YAML, second of marker": {"f.yaml", "---\na: 1\n...\n", "2{2.a=2:1}"},
		"YAML in braces":         {"f.yaml", "{\"a\": x,\n b: y}", "1{1.a=1:x 2.b=2:y}"},
		"YAML called JSON":       {"f.json", "a: 1", "1{1.a=1:1}"},
		"YAML, merge and alias":  {"f.yaml", "x: &x\n  a: 1\n  b: 2\ny:\n  <<: *x\n  b: 3\nz: *x\n", "1{1.x=1{2.a=2:1 3.b=3:2} 4.y=5{6.b=6:3 2.a=2:1} 7.z=1{2.a=2:1 3.b=3:2}}"},
		"a text":                 {"f.yaml", "hello", "1:hello"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			n := testkit.Must(document.Decode(context.Background(), []byte(test.text), test.name, document.Limits{}))(t)
			require.Equal(t, test.want, outline(n))
			require.True(t, json.Valid(n.JSON()))
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	deep := strings.Repeat("[", 300) + strings.Repeat("]", 300)
	tests := map[string]struct {
		name, text string
		line       int
		reason     string
	}{
		"empty":               {"f.yaml", "", 0, "empty"},
		"comments":            {"f.yaml", "# x\n", 0, "empty"},
		"empty JSON":          {"f.json", "{", 1, "not valid JSON"},
		"key twice":           {"f.yaml", "a: 1\nb: 2\na: 3\n", 3, `"a" is given more than once`},
		"key twice in JSON":   {"f.json", "{\"a\": 1,\n\"b\": 2,\n\"a\": 3}", 3, "duplicate object member name"},
		"second document":     {"f.yaml", "a: 1\n---\nb: 2\n", 3, "second document"},
		"second value":        {"f.json", "{}\n{}", 2, "a second value"},
		"broken JSON":         {"f.json", "{\"a\": 1\n\"b\"}", 2, "not valid JSON"},
		"broken YAML":         {"f.yaml", "a: 1\nb: x: y\n", 2, "not valid YAML"},
		"anchor in itself":    {"f.yaml", "a: &a\n  b: *a\n", 2, "contains itself"},
		"too deep":            {"f.yaml", "a: 1\nb: " + deep, 2, "deeper than 250 levels"},
		"too deep in JSON":    {"f.json", "{\"a\":\n" + deep + "}", 2, "deeper than 250 levels"},
		"too many":            {"f.yaml", "a: [" + strings.Repeat("1,", 400) + "]", 1, "100 values"},
		"too many estimated":  {"f.yaml", "a: [" + strings.Repeat("1,", 4000) + "]", 1, "100 values"},
		"too many in JSON":    {"f.json", "{\"a\": [1" + strings.Repeat(",1", 4000) + "]}", 1, "100 values"},
		"too large":           {"f.json", "{\"a\": \"" + strings.Repeat("x", 1<<20) + "\"}", 0, "more than the 100000 bytes"},
		"too large a bit":     {"f.json", "{\"a\": \"" + strings.Repeat("x", 100_000) + "\"}", 0, "more than the 100000 bytes"},
		"control character":   {"f.yaml", "a: \x01", 1, "not valid YAML"},
		"invalid UTF-8":       {"f.yaml", "a: \xff\xfe", 1, "not valid YAML"},
		"not a boolean":       {"f.yaml", "a: !!bool 7", 1, "not a boolean"},
		"not a number":        {"f.yaml", "a: !!int x", 1, "not a number"},
		"merge key twice":     {"f.yaml", "a:\n  <<: {}\n  <<: {}", 3, "more than once"},
		"merge of a list":     {"f.yaml", "a:\n  <<: [[]]", 2, "takes a mapping"},
		"merge deep":          {"f.yaml", "a: " + strings.Repeat("{<<: ", 300) + "{}" + strings.Repeat("}", 300), 1, "deeper than"},
		"merge of nothings":   {"f.yaml", "m0: &m0 {}\nm1: &m1 {<<: [*m0, *m0, *m0, *m0, *m0, *m0]}\nm2: &m2 {<<: [*m1, *m1, *m1, *m1, *m1, *m1]}\nm3: &m3 {<<: [*m2, *m2, *m2, *m2]}", 3, "100 values"},
		"merge of duplicates": {"f.yaml", "a: {<<: {x: 1, x: 2}}", 1, "more than once"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			most := 100
			if strings.Contains(name, "deep") {
				most = 500
			}
			n, err := document.Decode(context.Background(), []byte(test.text), test.name, document.Limits{MaxBytes: 100_000, MaxNodes: most})
			require.Nil(t, n)
			bad := testkit.As[*document.SyntaxError](t, err)
			require.Equal(t, test.name, bad.File)
			require.Equal(t, test.line, bad.Line, err.Error())
			require.ErrorContains(t, err, test.reason)
			require.ErrorContains(t, err, test.name)
		})
	}
	_, err := document.Decode(testkit.Ended(), []byte("a: 1"), "f", document.Limits{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestNode(t *testing.T) {
	n := &document.Node{Kind: document.KindMapping, Fields: []document.Field{
		{Name: "a\"\n", Value: &document.Node{Kind: document.KindSequence, Items: []*document.Node{nil, {Kind: document.KindNumber, Value: "1.50"}, {Kind: document.Kind("99")}}}},
		{Name: "b", Value: &document.Node{Kind: document.KindString, Value: "\xff"}},
	}}
	require.Equal(t, `{"a\"\n":[null,1.50,null],"b":"�"}`, string(n.JSON()))
	require.Equal(t, "1.50", n.Field("a\"\n").Items[1].Value)
	require.Nil(t, n.Field("c"))
	require.Nil(t, (*document.Node)(nil).Field("a"))
	var kinds []string
	for _, k := range []document.Kind{"", document.KindBool, document.KindNumber, document.KindString, document.KindSequence, document.KindMapping, "other"} {
		kinds = append(kinds, k.String())
	}
	require.Equal(t, []string{"null", "a boolean", "a number", "a string", "an array", "an object", "an unknown kind of value"}, kinds)
}
