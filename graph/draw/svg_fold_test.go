package draw_test

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/graph/draw"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// chain is a channel in which each of so many versions replaces the one before.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("op/c op.v1.1.0\n")
	for i := 2; i <= n; i++ {
		fmt.Fprintf(&b, "op/c op.v1.%d.0 replaces=op.v1.%d.0", i, i-1)
		if i%100 == 0 {
			fmt.Fprintf(&b, ` range=">=1.%d.0 <1.%d.0"`, i-99, i)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestSVGFolds: a channel of many versions shows those that matter, and says what it
// leaves out.
func TestSVGFolds(t *testing.T) {
	const n = 1234
	p := universe.Written(t, chain(n))
	svg := picture(t, func(w io.Writer) error {
		return draw.SVG(t.Context(), w, p, draw.Options{Installed: []graph.Installed{{Name: "op.v1.321.0", Version: semver.MustParse("1.321.0")}}})
	})
	shown := make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)>(op\.v1\.\d+\.0)</text>`).FindAllStringSubmatch(svg, -1) {
		require.False(t, shown[m[1]], "%s is shown twice", m[1])
		shown[m[1]] = true
	}
	require.Len(t, shown, 200)
	folded := 0
	for _, m := range regexp.MustCompile(`⋮ (\d+) versions? folded: op`).FindAllStringSubmatch(svg, -1) {
		count := testkit.Must(strconv.Atoi(m[1]))(t)
		folded += count
	}
	require.Equal(t, n, len(shown)+folded, "each version is shown, or counted")
	// Installed, and on by ranges: 400, 500 and so on to 1200, then one by one.
	for _, v := range []int{1, 321, 400, 500, 1100, 1200, 1201, n} {
		require.Contains(t, shown, fmt.Sprintf("op.v1.%d.0", v))
	}
	u := testkit.Must(graph.NewUpdates(t.Context(), p, graph.UpdateOptions{}))(t)
	path := testkit.Must(u.ShortestPath("op.v1.321.0", fmt.Sprintf("op.v1.%d.0", n)))(t)
	require.Equal(t, len(path.Bundles()), strings.Count(svg, `r="8"`), "what is on the way has a ring")

	few := picture(t, func(w io.Writer) error {
		return draw.SVG(t.Context(), w, universe.Written(t, chain(200)), draw.Options{})
	})
	require.NotContains(t, few, "folded")
	require.NotContains(t, few, `r="8"`, "nothing is installed")
}

// TestSVGIsLightAndDark: nothing of the picture has a colour for one of them alone.
func TestSVGIsLightAndDark(t *testing.T) {
	svg := picture(t, func(w io.Writer) error {
		return draw.SVG(t.Context(), w, universe.Written(t, headed), draw.Options{AllEdges: true})
	})
	require.Contains(t, svg, "@media (prefers-color-scheme:dark)")
	require.Contains(t, svg, `aria-label="Updates of package op"`)
	require.Contains(t, svg, "<desc>channel stable (default): ")
	drawn := svg[strings.Index(svg, `class="paper"`):]
	drawn = drawn[strings.Index(drawn, "<text"):]
	for _, black := range []string{"#fff", "#000", "#1d2329"} {
		require.NotContains(t, drawn, black)
	}
}
