package text_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/text"
)

func TestClip(t *testing.T) {
	for _, test := range []struct {
		in    string
		bytes int
		want  string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "…"}, {"abcdef", 5, "ab…"}, {"äöü", 5, "ä…"}, {"äöü", 4, "…"}, {"äöü", 6, "äöü"},
		{"日本", 5, "…"}, {"abc", 2, ""}, {"abc", 0, ""}, {"abc", -1, ""}, {"", 0, ""}, {"", -1, ""},
	} {
		require.Equal(t, test.want, text.Clip(test.in, test.bytes), "%q to %d", test.in, test.bytes)
	}
}

func TestMiddle(t *testing.T) {
	for _, test := range []struct {
		in         string
		characters int
		want       string
	}{
		{"abcdef", 6, "abcdef"}, {"abcdef", 5, "ab…ef"}, {"abcdef", 4, "a…ef"}, {"abcdef", 1, "…"}, {"abcdef", 0, ""}, {"abcdef", -1, ""},
		{"äöüäöü", 6, "äöüäöü"}, {"äöüäöü", 3, "ä…ü"},
	} {
		require.Equal(t, test.want, text.Middle(test.in, test.characters), "%q to %d", test.in, test.characters)
	}
}

func TestLists(t *testing.T) {
	list := strings.Split("abcdefghijklmnopqrstuvwxyz", "")
	require.Equal(t, []string{"", "a", "a and b", "a, b and c"}, []string{text.And(nil), text.And(list[:1]), text.And(list[:2]), text.And(list[:3])})
	require.Equal(t, []string{"", "a", "a or b", "a, b or c"}, []string{text.Or(nil), text.Or(list[:1]), text.Or(list[:2]), text.Or(list[:3])})
	require.Equal(t, "a, b, c and d", text.Short(list[:4], 4))
	require.Equal(t, "a, b, c, … z (26 in all)", text.Short(list, 4))
	require.Equal(t, "a, … z (26 in all)", text.Short(list, 2))
	require.Equal(t, "a, … z (26 in all)", text.Short(list, -1))
	require.Equal(t, "a and b", text.Short(list[:2], 0))
}

func TestCount(t *testing.T) {
	require.Equal(t, "1 entry", text.Count(1, "entry", "entries"))
	require.Equal(t, "0 entries", text.Count(0, "entry", "entries"))
	require.Equal(t, "12 entries", text.Count(12, "entry", "entries"))
	require.Equal(t, "is", text.Plural(1, "is", "are"))
}

func Example() {
	message := "use the\n\x1b[1moperator of the \u202ecloud"
	fmt.Println(text.Inert(message))
	fmt.Println(text.Clip(text.Inert(message), 20))
	channels := []string{"alpha", "beta", "my channel", "stable", "stable-v1"}
	fmt.Printf("%s: %s\n", text.Count(len(channels), "channel", "channels"), text.Short(text.Names(channels), 4))
	// Output:
	// use the \x1b[1moperator of the \u202ecloud
	// use the \x1b[1mop…
	// 5 channels: alpha, beta, "my channel", … stable-v1 (5 in all)
}

// Different lists make different bytes, whatever their texts contain.
func TestAppendParts(t *testing.T) {
	seen := make(map[string][]string)
	for _, list := range [][]string{nil, {""}, {"", ""}, {"a"}, {"a", ""}, {"", "a"}, {"a", "b"}, {"ab"}, {"1:a"}, {"1:a1:b"}, {"a1:b"}, {"1:", "a"}} {
		key := string(text.AppendParts([]byte("x"), list...))
		require.NotContains(t, seen, key, "%q and %q", list, seen[key])
		seen[key] = list
	}
}

func TestNonEmpty(t *testing.T) {
	require.Nil(t, text.NonEmpty(""))
	require.Equal(t, []string{"stable"}, text.NonEmpty("stable"))
}

// Mermaid, HTML and DOT markup is escaped, and control characters are escaped
// first.
func TestMarkup(t *testing.T) {
	const strange = "a<b>\"#1; [x] & \\N\x1b\n`|`"
	require.Equal(t, "a#60;b#62;#34;#35;1#59; #91;x#93; #38; #92;N#92;x1b #96;#124;#96;", text.Mermaid(strange))
	require.Equal(t, `a<b>\"#1; [x] &amp; \\N\\x1b `+"`|`", text.DOT(strange))
	require.Equal(t, "etcd.v1.0.0 日本", text.Mermaid("etcd.v1.0.0 日本"))
	require.Equal(t, "etcd.v1.0.0 日本", text.DOT("etcd.v1.0.0 日本"))
}

// TestYAML: quoted text round-trips, also through JSON.
func TestYAML(t *testing.T) {
	for in, want := range map[string]string{
		"a": `"a"`, "yes": `"yes"`, "<a&b>": `"<a&b>"`, "a\nb\t\x00": `"a\nb\t\u0000"`,
		"\x7f\u0085\ufeff\ufffe\uffff": `"\u007f\u0085\ufeff\ufffe\uffff"`, "\u2028é": `"\u2028é"`,
		"\u202ea\u200b\u00a0": `"\u202ea\u200b\u00a0"`,
	} {
		got := text.YAML(in)
		require.Equal(t, want, got)
		var back string
		require.NoError(t, json.Unmarshal([]byte(got), &back))
		require.Equal(t, in, back)
	}
	require.Equal(t, `"\U000e0001é😀"`, text.YAML("\U000e0001é😀"), "YAML knows no pairs of surrogates")
}
