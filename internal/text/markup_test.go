package text_test

import (
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
