package text_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/text"
)

// What Mermaid, HTML and DOT could take for markup is escaped, and control characters
// are written out first.
func TestMarkup(t *testing.T) {
	const strange = "a<b>\"#1; [x] & \\N\x1b\n`|`"
	require.Equal(t, "a#60;b#62;#34;#35;1#59; #91;x#93; #38; #92;N#92;x1b #96;#124;#96;", text.Mermaid(strange))
	require.Equal(t, `a<b>\"#1; [x] &amp; \\N\\x1b `+"`|`", text.DOT(strange))
	require.Equal(t, "etcd.v1.0.0 日本", text.Mermaid("etcd.v1.0.0 日本"))
	require.Equal(t, "etcd.v1.0.0 日本", text.DOT("etcd.v1.0.0 日本"))
}

// TestYAML: quotes hold whatever could be anything else, and JSON reads the same.
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
