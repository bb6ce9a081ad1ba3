package picture

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
)

// Each run of a bundle is a named bar; bars do not overlap and lie within the
// picture.
func TestChart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &Chart{Title: "Drawn", End: rapid.SampledFrom([]string{"", "the end", strings.Repeat("long ", 40) + "end"}).Draw(t, "end")}
		for i := range rapid.IntRange(1, 8).Draw(t, "columns") {
			c.Columns = append(c.Columns, fmt.Sprint("round ", i))
		}
		want := 0
		for i := range rapid.IntRange(0, 8).Draw(t, "rows") {
			r := Row{Name: fmt.Sprint("package", i), Cells: make([]string, len(c.Columns))}
			for k := range r.Cells {
				r.Cells[k] = rapid.SampledFrom([]string{"", "a.v1", "a.v2", "</svg>&\"\u202e", strings.Repeat("name-", 20)}).Draw(t, "cell")
				if r.Cells[k] != "" && (k == 0 || r.Cells[k-1] != r.Cells[k]) {
					want++
				}
			}
			c.Rows = append(c.Rows, r)
		}
		source := testkit.Written(t, c.WriteSVG)
		require.Equal(t, source, testkit.Written(t, c.WriteSVG))
		s := parseSVG(t, source)
		require.Len(t, s.frames, want)
		for i, b := range s.frames {
			require.NotEmpty(t, s.titles[i])
			require.LessOrEqual(t, Width(s.titles[i])+barGap, b.w, "%q fits its bar", s.titles[i])
			require.True(t, b.x >= 0 && b.x+b.w <= s.size.w && b.y+b.h <= s.size.h)
			for _, other := range s.frames[:i] {
				require.False(t, b.overlaps(other))
			}
		}
		if c.End != "" {
			require.Contains(t, s.words, c.End)
		}
		require.NotContains(t, source, "\u202e")
	})
}

// A large chart notes what it omits.
func TestChartOfMany(t *testing.T) {
	c := &Chart{Title: "Many"}
	for i := range 100 {
		c.Columns = append(c.Columns, fmt.Sprint("round ", i))
	}
	for i := range MaxNodes + 5 {
		r := Row{Name: fmt.Sprint("p", i)}
		for k := range c.Columns {
			r.Cells = append(r.Cells, fmt.Sprintf("p.v%d", k/(1+99*(i%2)))) // odd rows are constant
		}
		c.Rows = append(c.Rows, r)
	}
	s := parseSVG(t, testkit.Written(t, c.WriteSVG))
	require.Len(t, s.frames, MaxNodes/2*MaxColumns+MaxNodes/2)
	for _, want := range []string{"61 columns folded", "5 more rows are not drawn", "round 19", "round 81", "…", "p199"} {
		require.Contains(t, s.words, want)
	}
	for _, not := range []string{"round 20", "round 80", "p200"} {
		require.NotContains(t, s.words, not)
	}
}
