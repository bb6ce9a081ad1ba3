package draw_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	drawn "github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// gallery has every feature of a picture.
const gallery = `
op/stable op.v1.0.0 replaces=op.v0.9.0
op/stable op.v1.1.0 replaces=op.v1.0.0
op/stable op.v1.1.1 replaces=op.v1.1.0
op/stable op.v1.1.2 skips=op.v1.1.1
op/stable op.v1.2.0 replaces=op.v1.1.0 skips=op.v1.1.2,op.v7.7.7
op/stable op.v1.3.0 replaces=op.v1.2.0 virtual
op/stable op.v1.4.0 replaces=op.v1.3.0 skips=op.v1.2.0
op/stable op.v1.5.0 replaces=op.v1.4.0
op/stable op.v1.6.0 replaces=op.v1.5.0 range=">=1.4.0 <1.6.0"
op/stable op.v2.0.0 replaces=op.v1.9.0
op/stable op.v2.1.0 replaces=op.v2.0.0
deprecated op.v1.0.0 has a leak
bundle op.v1.5.0 barred
bundle op.v2.0.0 flawed
op/broken op.v1.0.0 op.v1.1.0
op/broken op.v1.2.0 replaces=op.v1.0.0
`

// headed is gallery with a single head; the second chain is stranded.
var headed = gallery + "op/stable op.v3.0.0 replaces=op.v1.6.0 skips=op.v2.1.0\n"

// writer is a form of a picture.
type writer func(context.Context, io.Writer, *graph.Package, draw.Options) error

// picture returns the drawing of a package.
func picture(t require.TestingT, write writer, p *graph.Package, show draw.Options) string {
	var b bytes.Buffer
	require.NoError(t, write(context.Background(), &b, p, show))
	return b.String()
}

// writers are all forms of a picture.
var writers = map[string]writer{"text": draw.Text, "dot": draw.DOT, "mermaid": draw.Mermaid, "svg": draw.SVG}

func TestText(t *testing.T) {
	p := universe.Written(t, headed)
	show := draw.Options{Installed: []graph.Installed{{Name: "op.v1.4.0"}, {Name: "op.v1.5.5", Version: semver.MustParse("1.5.5")}, {Name: "mine"}}}
	got := picture(t, draw.Text, p, show)
	require.Empty(t, cmp.Diff(`package op, default channel stable

channel stable: 12 entries, 5 offered, head op.v3.0.0
● op.v3.0.0      head
├─○ op.v2.1.0    skipped by op.v3.0.0
● op.v1.6.0
○ op.v1.5.0      excluded
● op.v1.4.0      installed, → op.v1.6.0 (skipRange)
○ op.v1.3.0      virtual
○ op.v1.2.0      skipped by op.v1.4.0, → op.v1.4.0 (skips)
├─○ op.v1.1.2    skipped by op.v1.2.0, dead end
│ └─○ op.v1.1.1  skipped by op.v1.1.2, dead end
● op.v1.1.0      dead end
● op.v1.0.0      deprecated: has a leak, dead end
○ op.v0.9.0      not in the channel

○ op.v2.0.0      quarantined, dead end
○ op.v1.9.0      not in the channel

○ op.v1.5.5      installed, not in the channel, → op.v1.6.0 (skipRange)

○ mine           installed, not in the channel, dead end

channel broken: 3 entries, 0 offered
quarantined: channel "broken" of package "op" has 2 heads, "op.v1.1.0" and "op.v1.2.0": let one entry replace or skip the others
○ op.v1.2.0  head
○ op.v1.0.0  deprecated: has a leak

○ op.v1.1.0  head
`, got))
	one := picture(t, draw.Text, p, draw.Options{Channels: []string{"stable"}})
	require.Contains(t, one, "● op.v3.0.0")
	require.NotContains(t, one, "channel broken")
}

func TestTextOfTroubledPackages(t *testing.T) {
	tests := map[string]string{
		"package \"\"\nno channels\n": picture(t, draw.Text, nil, draw.Options{}),
		"package op\nquarantined: package \"op\" is not defined, though the catalog has channels or bundles of it: add an olm.package blob, or correct the name\nno channels\n": picture(t, draw.Text, graph.Build(graph.PackageDecl{Name: "op"}, graph.Options{}), draw.Options{}),
	}
	for want, got := range tests {
		require.Equal(t, want, got)
	}
	// A cycle, and entries that skip each other, without a head.
	p := universe.Written(t, "op/c op.v1.0.0 replaces=op.v1.1.0\nop/c op.v1.1.0 replaces=op.v1.0.0\nop/c op.v2.0.0 skips=op.v2.1.0\nop/c op.v2.1.0 skips=op.v2.0.0")
	got := picture(t, draw.Text, p, draw.Options{})
	require.True(t, strings.HasSuffix(got, "\n○ op.v2.1.0    skipped by op.v2.0.0\n└─○ op.v2.0.0  skipped by op.v2.1.0\n\n○ op.v1.1.0\n○ op.v1.0.0\n"), got)
}

func TestDOT(t *testing.T) {
	p := universe.Written(t, "op/c op.v1.0.0 op.v1.1.0\nop/c op.v1.2.0 replaces=op.v1.1.0 skips=op.v1.1.0\nop/c op.v1.3.0 replaces=op.v1.2.0 range=<1.3.0")
	got := picture(t, draw.DOT, p, draw.Options{})
	require.Empty(t, cmp.Diff(`digraph updates {
  rankdir=BT;
  compound=true;
  label="package op";
  labelloc=t;
  node [fontname="sans-serif"];
  edge [fontname="sans-serif", fontsize=10];
  subgraph cluster_c0 {
    label="channel c (default)";
    n0_0 [shape=box, fillcolor="#d9efdc", color="#1f7a33", style="rounded,filled,bold", tooltip="op.v1.3.0, head, skipRange <1.3.0", label="1.3.0\nhead"];
    n0_1 [shape=box, fillcolor="#ffffff", color="#5b6570", style="rounded,filled", tooltip="op.v1.2.0", label="1.2.0"];
    n0_2 [shape=box, fillcolor="#eceef1", color="#7c8794", style="rounded,filled,dashed", tooltip="op.v1.1.0, skipped by op.v1.2.0", label="1.1.0\nskipped"];
    n0_3 [shape=box, fillcolor="#ffffff", color="#5b6570", style="rounded,filled", tooltip="op.v1.0.0", label="1.0.0"];
  }
  n0_1 -> n0_0 [label="replaces, skipRange"];
  n0_2 -> n0_0 [label="skipRange", style=dotted];
  n0_2 -> n0_1 [label="replaces, skips"];
  n0_3 -> n0_0 [label="skipRange", style=dotted];
  n0_3 -> n0_2 [label="replaces", color="#9a9a9a", fontcolor="#9a9a9a", arrowhead=empty];
}
`, got))
}

func TestMermaidStyles(t *testing.T) {
	p := universe.Written(t, headed)
	got := picture(t, draw.Mermaid, p, draw.Options{Installed: []graph.Installed{{Name: "op.v1.6.0"}}})
	require.True(t, strings.HasPrefix(got, "flowchart BT\n  subgraph c0[\"channel stable (default)\"]\n    n0_0[\"3.0.0<br/>head\"]\n"), got)
	for _, line := range []string{
		"  subgraph c1[\"channel broken, quarantined\"]\n",
		"    n0_2[\"1.6.0<br/>installed\"]\n",
		"  n0_4 -.->|\"skipRange\"| n0_2\n",
		"  n0_4 ---|\"replaces\"| n0_3\n", // 1.5.0 is excluded
		"  classDef excluded fill:#fbdad7,stroke:#b3261e,color:#000000\n  class n0_3 excluded\n",
		"  class n0_2 installed\n",
	} {
		require.Contains(t, got, line)
	}
	require.Equal(t, 1, strings.Count(got, "classDef virtual"))
}

// TestSVG checks the drawn elements.
func TestSVG(t *testing.T) {
	text := "op/c op.v1.0.0\n"
	for i := 1; i <= 100; i++ {
		text += fmt.Sprintf("op/c op.v1.%d.0 replaces=op.v1.%d.0", i, i-1)
		switch i {
		case 35:
			text += ` range=">=1.20.0 <1.35.0"`
		case 60:
			text += " skips=op.v1.58.0,op.v1.57.0"
		case 100:
			text += " skips=op.v1.10.0,op.v1.95.0"
		}
		text += "\n"
	}
	p := universe.Written(t, text+"op/d op.v1.0.0\nop/e op.v1.0.0\nop/e op.v1.1.0")
	got := picture(t, draw.SVG, p, draw.Options{})
	all := picture(t, draw.SVG, p, draw.Options{AllEdges: true})
	for _, svg := range []string{got, all} {
		require.Contains(t, svg, ">channel c (default)<")
		require.Contains(t, svg, ">channel e, quarantined<")
		require.Contains(t, svg, `<title>channel &#34;e&#34; of package &#34;op&#34; has 2 heads, &#34;op.v1.0.0&#34; and &#34;op.v1.1.0&#34;: let one entry replace or skip the others</title>`)
	}
	require.Equal(t, 101+1+2+2, strings.Count(all, "<circle"), "a dot a version, and two in the legend")
	require.Contains(t, all, ">1.42.0<")
	require.Contains(t, all, ">→ 1.100.0<", "the edge of 1.10.0 leads to another column")
	size := svgSize.FindStringSubmatch(all)
	require.Less(t, num(size[1]), 1500.0)
	require.Less(t, num(size[2]), 1200.0)
	require.Regexp(t, `>\d+ versions, 1\.\d+\.0 to 1\.\d+\.0<`, got)
	fits(t, got)
	require.Contains(t, picture(t, draw.SVG, nil, draw.Options{}), "package &#34;&#34;")
}

// fits checks that a picture fits a screen.
func fits(t require.TestingT, svg string) {
	size := svgSize.FindStringSubmatch(svg)
	require.LessOrEqual(t, num(size[1]), 1280.0)
	require.LessOrEqual(t, num(size[2]), 800.0)
}

// A family of 26 channels fits a screen, however long they are, and no picture repeats the version
// of a bundle, or its name.
func TestFamilyFitsAScreen(t *testing.T) {
	text := ""
	for c := range 26 {
		for v := range 2*c + 1 {
			text += fmt.Sprintf("op/stable-v1.%d operator.v1.%d.%d", c, c, v)
			if v > 0 {
				text += fmt.Sprintf(" replaces=operator.v1.%d.%d", c, v-1)
			}
			text += "\n"
		}
	}
	p := universe.Written(t, text)
	svg := picture(t, draw.SVG, p, draw.Options{})
	fits(t, svg)
	require.Contains(t, svg, ">package op (operator)<")
	for _, write := range []writer{draw.SVG, draw.DOT, draw.Mermaid} {
		drawn := picture(t, write, p, draw.Options{})
		for c := range 26 {
			require.Contains(t, drawn, fmt.Sprintf("channel stable-v1.%d", c))
			require.Contains(t, drawn, fmt.Sprintf("1.%d.%d", c, 2*c))
		}
		require.Contains(t, drawn, "49 versions, 1.25.49 to 1.25.1")
	}
	// Bundles of another name, and with another version than their name says, have both.
	p = universe.Written(t, "op/c op.v1.0.0\nop/c op.v1.1.0 replaces=op.v1.0.0\nop/c other.v1.2.0 replaces=op.v1.1.0")
	svg = picture(t, draw.SVG, p, draw.Options{})
	require.Contains(t, svg, ">other.v1.2.0<")
	require.Contains(t, svg, ">1.1.0<")
	require.NotContains(t, svg, ">1.2.0<")
}

// TestSVGBounds: everything lies within the picture, rows do not overlap, and lines are
// connected.
func TestSVGBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn.NewConverter().Package(drawn.Package().Draw(t, "package"))
		if rapid.Bool().Draw(t, "several columns") {
			p = universe.Written(t, chain(rapid.IntRange(41, 150).Draw(t, "versions")))
		}
		svg := picture(t, draw.SVG, p, draw.Options{AllEdges: rapid.Bool().Draw(t, "all")})
		size := svgSize.FindStringSubmatch(svg)
		w, h := num(size[1]), num(size[2])
		dots := make(map[string]bool)
		for _, band := range strings.Split(svg, `<g transform="translate(`)[1:] {
			at, body, _ := strings.Cut(band, ")")
			place := strings.Fields(at)
			x, y := num(place[0]), num(place[1])
			body, _, _ = strings.Cut(body, ">candidate<")
			for _, c := range svgDot.FindAllStringSubmatch(body, -1) {
				cx, cy := x+num(c[1]), y+num(c[2])
				if cy > h-36 {
					continue // the legend
				}
				require.True(t, cx < w && cy < h, "%s of %v×%v", c[0], w, h)
				key := fmt.Sprintf("%.1f %.1f", cx, cy)
				require.False(t, dots[key], "two rows at %s", key)
				dots[key] = true
			}
			for _, points := range svgPath.FindAllStringSubmatch(body, -1) {
				require.Regexp(t, `^M-?[0-9.]+ -?[0-9.]+(L-?[0-9.]+ -?[0-9.]+)+Z?$`, points[1])
				for _, point := range svgPoint.FindAllStringSubmatch(points[1], -1) {
					px, py := num(point[1]), num(point[2])
					require.True(t, px >= -4 && x+px <= w && (py >= 0 || y+py >= 0), "%s", point[0])
				}
			}
		}
	})
}

// num reads a number of a picture.
func num(s string) float64 {
	n, _ := strconv.ParseFloat(s, 64)
	return n
}

var (
	svgSize  = regexp.MustCompile(`width="([\d.]+)" height="([\d.]+)" viewBox`)
	svgDot   = regexp.MustCompile(`<circle cx="([\d.]+)" cy="([\d.]+)"`)
	svgPath  = regexp.MustCompile(` d="([^"]+)"`)
	svgPoint = regexp.MustCompile(`[ML](-?[\d.]+) (-?[\d.]+)`)
)

// TestPicturesShowAll: each entry of each channel is drawn once, and with all edges, exactly
// the live ones have an arrow.
func TestPicturesShowAll(t *testing.T) {
	node := regexp.MustCompile(`(?m)^    (n\d+_\d+) \[.*tooltip=".*", label="([^"\\]+)`)
	edge := regexp.MustCompile(`(?m)^  (n\d+_\d+) -> (n\d+_\d+) \[label="([^"]*)"(.*)\];$`)
	rapid.Check(t, func(t *rapid.T) {
		p := drawn.NewConverter().Package(drawn.Package().Draw(t, "package"))
		all := rapid.Bool().Draw(t, "all")
		for _, c := range p.Channels {
			show := draw.Options{Channels: []string{c.Name}, AllEdges: all}
			dot := picture(t, draw.DOT, p, show)
			names, drawn := make(map[string]string), []string{}
			for _, m := range node.FindAllStringSubmatch(dot, -1) {
				names[m[1]] = m[2]
				drawn = append(drawn, m[2])
			}
			for i := range c.Entries {
				n := slices.Index(drawn, c.Entries[i].Name)
				require.GreaterOrEqual(t, n, 0, "%s is not drawn", c.Entries[i].Name)
				drawn = slices.Delete(drawn, n, n+1)
			}
			for _, rest := range drawn {
				require.Nil(t, c.Entry(rest), "%s is drawn twice", rest)
			}
			var live []string
			for _, m := range edge.FindAllStringSubmatch(dot, -1) {
				if !strings.Contains(m[4], "arrowhead=empty") {
					live = append(live, names[m[1]]+" "+names[m[2]]+" "+m[3])
				}
			}
			checkDrawnEdges(t, c, names, live, all)
		}
	})
}

// checkDrawnEdges compares the live edges of a picture with the graph.
func checkDrawnEdges(t *rapid.T, c *graph.Channel, names map[string]string, live []string, all bool) {
	var want, first []string
	u := testkit.Must(graph.NewUpdates(context.Background(), c.Package, graph.UpdateOptions{Channels: []string{c.Name}}))(t)
	shown := slices.Collect(maps.Values(names))
	for name := range u.Bundles() {
		once := true
		for _, e := range u.Successors(name) {
			if e.Barred || !slices.Contains(shown, e.From) {
				continue
			}
			var why []string
			for _, r := range e.Offers[0].Reasons {
				why = append(why, string(r))
			}
			want = append(want, e.From+" "+e.To+" "+strings.Join(why, ", "))
			if once {
				first, once = append(first, want[len(want)-1]), false
			}
		}
	}
	if all {
		require.ElementsMatch(t, want, live)
		return
	}
	require.Subset(t, append(want, ""), append(live, ""))
	require.Subset(t, append(live, ""), append(first, ""), "preferred edges are always drawn")
}

// failing is a writer that fails after some bytes.
type failing struct{ left int }

var errFull = errors.New("the disk is full")

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.left {
		return f.left, errFull
	}
	f.left -= len(p)
	return len(p), nil
}

func TestRenderErrors(t *testing.T) {
	p := universe.Written(t, headed)
	for name, write := range writers {
		t.Run(name, func(t *testing.T) {
			for _, left := range []int{0, 10, 500} {
				require.ErrorIs(t, write(t.Context(), &failing{left}, p, draw.Options{}), errFull)
			}
			testkit.As[*graph.UnknownChannelError](t, write(t.Context(), io.Discard, p, draw.Options{Channels: []string{"nightly"}}))
		})
	}
}

// TestDeepSkips: the indentation of nested skips is limited.
func TestDeepSkips(t *testing.T) {
	text := ""
	for i := 1; i <= 300; i++ {
		text += fmt.Sprintf("op/c op.v1.%d.0 skips=op.v1.%d.0\n", i, i-1)
	}
	p := universe.Written(t, text)
	for format, write := range writers {
		drawn := picture(t, write, p, draw.Options{})
		require.Contains(t, drawn, "1.300.0", format)
		if format == "text" {
			for _, line := range strings.Split(drawn, "\n") {
				require.Less(t, len(line), 150, format)
			}
		}
	}
}
