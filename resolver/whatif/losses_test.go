package whatif_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// TestDowngrades: a correction that downgrades or removes something installed says so and comes
// after those that do not, even after those that only an author can make.
func TestDowngrades(t *testing.T) {
	req := universe.Request(t, `
		catalog olm/c
		a/fast a.v2
		a/slow a.v1 range=">=2.0.0 <3.0.0"
		web/stable web.v1 needs=a@<2.0.0
		installed a.v2
		subscribe a in=fast at=a.v2
		subscribe web`)
	var texts []string
	last := false
	for _, k := range corrected(t, req, whatif.FindOptions{}).Corrections {
		says := strings.Contains(k.Text, "downgrades") || strings.Contains(k.Text, "remove")
		require.Equal(t, says, k.Downgrade, k.Text)
		require.False(t, last && !k.Downgrade, "%s comes too late", k.Text)
		last = k.Downgrade
		texts = append(texts, k.Text)
	}
	require.True(t, last)
	require.Contains(t, texts, "let subscription a follow channel slow; this downgrades a.v2 to a.v1")
	require.Equal(t, "drop subscription web", texts[0])
}
