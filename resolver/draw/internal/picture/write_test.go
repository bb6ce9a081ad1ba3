package picture

import (
	"context"
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// colour is a colour with three components from 0 to 1.
func colour(t *testing.T, s string) (c [3]float64) {
	t.Helper()
	s = strings.TrimPrefix(s, "#")
	if len(s) == 3 {
		s = string([]byte{s[0], s[0], s[1], s[1], s[2], s[2]})
	}
	for i := range c {
		n := testkit.Must(strconv.ParseUint(s[2*i:2*i+2], 16, 8))(t)
		c[i] = float64(n) / 255
	}
	return c
}

// over composes a colour over another.
func over(top, bottom [3]float64, opacity float64) (c [3]float64) {
	for i := range c {
		c[i] = opacity*top[i] + (1-opacity)*bottom[i]
	}
	return c
}

// contrast is the contrast ratio of WCAG 2.
func contrast(a, b [3]float64) float64 {
	luminance := func(c [3]float64) float64 {
		sum := 0.0
		for i, weight := range []float64{.2126, .7152, .0722} {
			if c[i] <= .04045 {
				sum += weight * c[i] / 12.92
			} else {
				sum += weight * math.Pow((c[i]+.055)/1.055, 2.4)
			}
		}
		return sum + .05
	}
	return max(luminance(a)/luminance(b), luminance(b)/luminance(a))
}

// Text is readable and lines are visible, on light and dark paper and on
// areas.
func TestContrast(t *testing.T) {
	tint := testkit.Must(strconv.ParseFloat(Tint, 64))(t)
	faint := testkit.Must(strconv.ParseFloat(Faint, 64))(t)
	require.InDelta(t, 21, contrast(colour(t, "#000"), colour(t, "#fff")), .01)
	for _, scheme := range []struct{ ink, paper string }{{"#1d2329", "#fff"}, {"#e4e7ea", "#15191d"}} {
		require.Contains(t, Style, scheme.ink)
		require.Contains(t, Style, "fill:"+scheme.paper+"}")
		ink, paper := colour(t, scheme.ink), colour(t, scheme.paper)
		require.Greater(t, contrast(over(ink, paper, faint), paper), 4.5)
		for _, tone := range []Tone{Grey, Blue, Green, Red, Orange, Yellow, Violet, Teal, Brown, Olive} {
			line := colour(t, tone.Line())
			area := over(line, paper, tint)
			require.Greater(t, contrast(line, paper), 3.0, "%s on %s", tone, scheme.paper)
			require.Greater(t, contrast(over(ink, area, faint), area), 4.5, "text on %s on %s", tone, scheme.paper)
		}
	}
}

// For any text, the picture has exactly its elements.
func TestWriter(t *testing.T) {
	const evil = `</title><script>x()</script>"'&]]>`
	var b strings.Builder
	w := NewWriter(context.Background(), &b, 10, 20, evil, evil)
	w.Open("g")
	w.Text(1, 2.04, evil, "fill", evil)
	require.NoError(t, w.End())
	var elements []string
	d := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		token, err := d.Token()
		if token == nil {
			break
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			elements = append(elements, token.Name.Local)
		case xml.CharData:
			if text := strings.TrimSpace(string(token)); text != "" {
				require.Contains(t, []string{evil, Style}, text)
			}
		}
	}
	require.Equal(t, []string{"svg", "title", "desc", "style", "rect", "g", "text"}, elements)
	require.Contains(t, b.String(), `viewBox="0 0 10 20"`)
	require.Contains(t, b.String(), `x="1" y="2"`)
	require.Equal(t, "M1 2L3 4.5", Line(1, 2, 3, 4.5))
}

func TestWidth(t *testing.T) {
	require.Equal(t, 3, Columns("aé…"))
	require.Equal(t, 4, Columns("漢字"))
	for s, least := range map[string]float64{"mm": 23.4, "漢字": 24, "v0.13.0": 38, "WWW": 35.6, "illi": 13.3} { // DejaVu Sans at 12 px
		require.Greater(t, Width(s), least, s)
	}
}
