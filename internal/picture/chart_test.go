package picture

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// bar is a bar of a chart, with the text in it.
type bar struct {
	box
	text string
}

// lookAtChart parses a chart: its bars, and all texts.
func lookAtChart(t require.TestingT, source string) (size box, found []bar, texts []string) {
	d := xml.NewDecoder(strings.NewReader(source))
	element := ""
	for {
		token, err := d.Token()
		if token == nil {
			require.ErrorContains(t, err, "EOF")
			return size, found, texts
		}
		switch token := token.(type) {
		case xml.StartElement:
			element = token.Name.Local
			require.Contains(t, elements, element)
			attr := make(map[string]string)
			for _, a := range token.Attr {
				require.Contains(t, attributes, a.Name.Local)
				attr[a.Name.Local] = a.Value
			}
			num := func(name string) float64 { v, _ := strconv.ParseFloat(attr[name], 64); return v }
			b := box{num("x"), num("y"), num("width"), num("height")}
			switch {
			case element == "svg":
				size = b
			case element == "rect" && attr["rx"] != "":
				found = append(found, bar{box: b})
			case element == "text":
				size.x, size.y = b.x, b.y // of the text
			}
		case xml.CharData:
			if s := string(token); element == "text" && strings.TrimSpace(s) != "" {
				texts = append(texts, s)
				require.LessOrEqual(t, size.x+Width(s), size.w, "%q is in the picture", s)
				require.LessOrEqual(t, size.y, size.h)
				if n := len(found); n > 0 && found[n-1].inside(size.x, size.y) {
					require.LessOrEqual(t, size.x+Width(s), found[n-1].x+found[n-1].w, "%q is in its bar", s)
					found[n-1].text = s
				}
			}
		}
	}
}

// Each run of a bundle is a bar with its name; bars do not overlap and are in the picture.
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
		source := c.SVG()
		require.Equal(t, source, c.SVG())
		size, bars, texts := lookAtChart(t, source)
		require.Len(t, bars, want)
		for i, b := range bars {
			require.NotEmpty(t, b.text)
			require.True(t, b.x >= 0 && b.x+b.w <= size.w && b.y+b.h <= size.h)
			for _, other := range bars[:i] {
				require.False(t, b.overlaps(other.box))
			}
		}
		if c.End != "" {
			require.Contains(t, texts, c.End)
		}
		require.NotContains(t, source, "\u202e")
	})
}

// A large chart says what it leaves out.
func TestChartOfMany(t *testing.T) {
	c := &Chart{Title: "Many"}
	for i := range 100 {
		c.Columns = append(c.Columns, fmt.Sprint("round ", i))
	}
	for i := range MaxNodes + 5 {
		r := Row{Name: fmt.Sprint("p", i)}
		for k := range c.Columns {
			r.Cells = append(r.Cells, fmt.Sprintf("p.v%d", k/(1+99*(i%2)))) // odd rows stay
		}
		c.Rows = append(c.Rows, r)
	}
	_, bars, texts := lookAtChart(t, c.SVG())
	require.Len(t, bars, MaxNodes/2*MaxColumns+MaxNodes/2)
	for _, want := range []string{"61 columns folded", "5 more rows are not drawn", "round 19", "round 81", "…", "p199"} {
		require.Contains(t, texts, want)
	}
	for _, not := range []string{"round 20", "round 80", "p200"} {
		require.NotContains(t, texts, not)
	}
}
