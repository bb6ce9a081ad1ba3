package picture

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// box is a rectangle of a picture.
type box struct{ x, y, w, h float64 }

func (b box) overlaps(c box) bool {
	return b.x < c.x+c.w && c.x < b.x+b.w && b.y < c.y+c.h && c.y < b.y+b.h
}

// inside reports whether a point is inside a box, not on its border.
func (b box) inside(x, y float64) bool {
	const slack = .2 // coordinates are rounded
	return b.x+slack < x && x < b.x+b.w-slack && b.y+slack < y && y < b.y+b.h-slack
}

// seen is the visible content of a picture.
type seen struct {
	size   box
	nodes  []box
	frames []box
	titles map[int]string // in frames
	texts  []string       // in nodes
	words  []string       // other texts
	tips   [][2]float64
	ends   [][2]float64 // ends of line segments
	points []onLine
}

// onLine is a point on a line, within a frame or between them.
type onLine struct {
	at    [2]float64
	frame int // -1 outside of a group
}

var (
	elements   = []string{"svg", "title", "desc", "style", "rect", "g", "path", "text"}
	attributes = strings.Fields("xmlns class width height viewBox role aria-label font-family font-size font-weight fill fill-opacity stroke stroke-width stroke-opacity stroke-dasharray transform x y rx d")
	piece      = regexp.MustCompile(`([MLCZ])([^MLCZ]*)`)
)

// parseSVG parses a picture, which contains only our elements.
func parseSVG(t require.TestingT, source string) *seen {
	s := &seen{titles: make(map[int]string)}
	d := xml.NewDecoder(strings.NewReader(source))
	var classes []string
	var text box
	var words strings.Builder
	var weight string
	var shift [2]float64 // of the current group
	frame, shiftedAt := -1, 0
	for {
		token, err := d.Token()
		if token == nil {
			require.ErrorContains(t, err, "EOF")
			return s
		}
		switch token := token.(type) {
		case xml.StartElement:
			attr := make(map[string]string)
			for _, a := range token.Attr {
				require.Contains(t, attributes, a.Name.Local)
				attr[a.Name.Local] = a.Value
			}
			num := func(name string) float64 { v, _ := strconv.ParseFloat(attr[name], 64); return v }
			if place, ok := attr["transform"]; ok {
				_, err := fmt.Sscanf(place, "translate(%g %g)", &shift[0], &shift[1])
				require.NoError(t, err)
				if shiftedAt, frame = len(classes), -1; len(s.frames) > 0 {
					frame = len(s.frames) - 1
				}
			}
			b := box{num("x") + shift[0], num("y") + shift[1], num("width"), num("height")}
			require.Contains(t, elements, token.Name.Local)
			switch inNode := slices.Contains(classes, "node"); {
			case token.Name.Local == "svg":
				require.Equal(t, fmt.Sprintf("0 0 %s %s", attr["width"], attr["height"]), attr["viewBox"])
				require.NotEmpty(t, attr["aria-label"])
				s.size = b
			case token.Name.Local == "rect" && inNode:
				s.nodes = append(s.nodes, b)
			case token.Name.Local == "rect" && attr["rx"] != "": // or a bar of a chart
				s.frames = append(s.frames, b)
			case token.Name.Local == "text":
				text, weight = b, attr["font-weight"]
				words.Reset()
			case attr["class"] == "tip":
				p := parsePath(t, attr["d"], shift)
				s.line(p, frame)
				if shift != [2]float64{} {
					s.tips = append(s.tips, p.points[0])
				}
			case token.Name.Local == "path":
				p := parsePath(t, attr["d"], shift)
				if s.line(p, frame); shift != [2]float64{} {
					s.ends = append(s.ends, p.ends...)
				}
			}
			classes = append(classes, attr["class"])
		case xml.CharData:
			words.Write(token)
		case xml.EndElement:
			wide := Width(words.String())
			if weight == "bold" {
				wide *= bold
			}
			if token.Name.Local == "text" && slices.Contains(classes, "node") {
				n := s.nodes[len(s.nodes)-1]
				require.GreaterOrEqual(t, text.x, n.x)
				require.LessOrEqual(t, text.x+wide, n.x+n.w, "%q fits its box", words.String())
				require.GreaterOrEqual(t, text.y-FontSize, n.y)
				require.LessOrEqual(t, text.y+3, n.y+n.h)
				s.texts = append(s.texts, words.String())
			} else if token.Name.Local == "text" {
				require.LessOrEqual(t, text.x+wide, s.size.w, "%q is in the picture", words.String())
				require.LessOrEqual(t, text.y, s.size.h)
				s.words = append(s.words, words.String())
				if n := len(s.frames); n > 0 && s.frames[n-1].inside(text.x, text.y) {
					s.titles[n-1] = words.String()
				}
			}
			if classes = classes[:len(classes)-1]; len(classes) == shiftedAt {
				shift, frame = [2]float64{}, -1
			}
		}
	}
}

// line records the points of a path.
func (s *seen) line(p parsed, frame int) {
	for _, at := range p.points {
		s.points = append(s.points, onLine{at, frame})
	}
}

// parsed is a path: the ends of its segments, and points on it.
type parsed struct{ ends, points [][2]float64 }

// parsePath parses a path.
func parsePath(t require.TestingT, d string, shift [2]float64) (p parsed) {
	var at [2]float64
	for _, m := range piece.FindAllStringSubmatch(d, -1) {
		var v []float64
		for i, f := range strings.Fields(m[2]) {
			n := testkit.Must(strconv.ParseFloat(f, 64))(t)
			v = append(v, n+shift[i%2])
		}
		switch m[1] {
		case "M":
			if len(p.points) > 0 {
				p.ends = append(p.ends, at)
			}
			at = [2]float64{v[0], v[1]}
			p.ends, p.points = append(p.ends, at), append(p.points, at)
		case "L":
			to := [2]float64{v[0], v[1]}
			for i := 1; i <= 10; i++ {
				f := float64(i) / 10
				p.points = append(p.points, [2]float64{at[0] + f*(to[0]-at[0]), at[1] + f*(to[1]-at[1])})
			}
			at = to
		case "C":
			for i := 1; i <= 20; i++ {
				f := float64(i) / 20
				g := 1 - f
				bezier := func(k int) float64 { return g*g*g*at[k] + 3*g*g*f*v[k] + 3*g*f*f*v[2+k] + f*f*f*v[4+k] }
				p.points = append(p.points, [2]float64{bezier(0), bezier(1)})
			}
			at = [2]float64{v[4], v[5]}
		}
	}
	p.ends = append(p.ends, at)
	return p
}

// check checks a picture against its diagram.
func check(t require.TestingT, d *Diagram) *seen {
	source := testkit.Written(t, d.WriteSVG)
	require.Equal(t, source, testkit.Written(t, d.WriteSVG), "the same diagram gives the same bytes")
	s := parseSVG(t, source)
	for i, n := range s.nodes {
		require.True(t, n.x >= 0 && n.y >= 0 && n.x+n.w <= s.size.w && n.y+n.h <= s.size.h, "%v is in the picture of %v", n, s.size)
		for _, m := range s.nodes[:i] {
			if n.overlaps(m) {
				require.Fail(t, "boxes overlap", "%v and %v", n, m)
			}
		}
	}
	for i, f := range s.frames {
		require.True(t, f.x >= 0 && f.y >= 0 && f.x+f.w <= s.size.w && f.y+f.h <= s.size.h)
		for _, g := range s.frames[:i] {
			require.False(t, f.overlaps(g))
		}
		for _, n := range s.nodes {
			require.Equal(t, n.overlaps(f), f.inside(n.x, n.y) && f.inside(n.x+n.w, n.y+n.h), "%v is in %v, or not", n, f)
		}
	}
	for _, p := range s.points {
		if p.at[0] < 0 || p.at[1] < 0 || p.at[0] > s.size.w || p.at[1] > s.size.h {
			require.Fail(t, "a line leaves the picture", "at %v", p)
		}
		for _, n := range s.nodes {
			if n.inside(p.at[0], p.at[1]) {
				require.Fail(t, "a line crosses a box", "%v at %v", n, p)
			}
		}
		for i, f := range s.frames {
			if i != p.frame && f.inside(p.at[0], p.at[1]) {
				require.Fail(t, "a line crosses a frame", "%v at %v", f, p)
			}
		}
	}
	onBorder := func(p [2]float64) bool {
		return slices.ContainsFunc(s.nodes, func(n box) bool {
			near := func(a, b float64) bool { return a-b < .2 && b-a < .2 }
			return p[1] > n.y && p[1] < n.y+n.h && (near(p[0], n.x) || near(p[0], n.x+n.w))
		})
	}
	for _, p := range s.tips {
		require.True(t, onBorder(p), "the arrow at %v points at a box", p)
	}
	meet := make(map[[2]float64]int)
	for _, p := range s.ends {
		meet[p]++
	}
	for p, n := range meet {
		require.True(t, n > 1 || onBorder(p), "a line ends nowhere, at %v", p)
	}
	return s
}

// drawn draws a diagram with optional groups, and edges of all kinds.
func drawn(t *rapid.T, limit int) *Diagram {
	d := &Diagram{Name: "d", Title: "Drawn"}
	words := rapid.StringOf(rapid.RuneFrom([]rune("ab-. <&\"'\u202e\x00漢é😀")))
	var ids []string
	nodes := func(prefix string) []Node {
		var list []Node
		for i := range rapid.IntRange(0, limit).Draw(t, "nodes") {
			n := Node{ID: fmt.Sprintf("%s%d", prefix, i), Shape: Shape(rapid.IntRange(0, int(Downgraded)).Draw(t, "shape")), Fold: rapid.IntRange(0, 2).Draw(t, "fold"),
				Lines: rapid.SliceOfN(words, 0, 3).Draw(t, "lines")}
			ids = append(ids, n.ID)
			list = append(list, n)
		}
		return list
	}
	d.Loose = nodes("l")
	for i := range rapid.IntRange(0, 4).Draw(t, "groups") {
		id := fmt.Sprintf("g%d", i)
		d.Groups = append(d.Groups, Group{ID: id, Title: words.Draw(t, "title"), Nodes: nodes(id + "_")})
		ids = append(ids, id)
	}
	ids = append(ids, "nowhere")
	for range rapid.IntRange(0, 3*limit).Draw(t, "edges") {
		d.Edges = append(d.Edges, Edge{From: rapid.SampledFrom(ids).Draw(t, "from"), To: rapid.SampledFrom(ids).Draw(t, "to"),
			Label: words.Draw(t, "label"), Faint: rapid.Bool().Draw(t, "faint"), Clash: rapid.Bool().Draw(t, "clash")})
	}
	return d
}

// Boxes do not overlap, texts fit, lines end at boxes without crossing them,
// and everything lies in the picture.
func TestPicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { check(t, drawn(t, 12)) })
}

// From one node to a few hundred, each is drawn or counted.
func TestPictureOfMany(t *testing.T) {
	for _, n := range []int{1, 50, MaxNodes, MaxNodes + 1, 5000} {
		for _, groups := range []int{0, 7, 300} {
			d := &Diagram{Name: "d", Title: "Many"}
			for i := range groups {
				d.Groups = append(d.Groups, Group{ID: fmt.Sprintf("g%d", i), Title: "a group"})
			}
			for i := range n {
				node := Node{ID: fmt.Sprintf("n%d", i), Lines: []string{fmt.Sprintf("node-%d.v1.0.0", i), "install"}, Fold: i % 2}
				if groups > 0 {
					g := &d.Groups[i%groups]
					g.Nodes = append(g.Nodes, node)
				} else {
					d.Loose = append(d.Loose, node)
				}
				d.Edges = append(d.Edges, Edge{From: "n0", To: node.ID}, Edge{From: node.ID, To: fmt.Sprintf("n%d", i/2)})
			}
			s := check(t, d)
			shown, folded := 0, 0
			for _, text := range s.texts {
				if strings.HasPrefix(text, "node-") {
					shown++
				}
				if m := regexp.MustCompile(`^(\d+) more (is|are) folded:$`).FindStringSubmatch(text); m != nil {
					count, _ := strconv.Atoi(m[1])
					folded += count
					shown -= min(count, named) // named ones
				}
			}
			require.Equal(t, min(n, MaxNodes), shown, "of %d nodes in %d groups", n, groups)
			require.Equal(t, n-shown, folded)
			if n > 2*MaxNodes && groups == 0 {
				require.Contains(t, s.texts, "node-398.v1.0.0", "more important nodes are kept")
				require.NotContains(t, s.texts, "node-399.v1.0.0")
			}
		}
	}
}

// Frames that lead to each other lie side by side, until a row of them is full; an arrow leads from
// each to the next one beside it.
func TestFrames(t *testing.T) {
	d := &Diagram{Title: "Steps"}
	for i := range 9 {
		id := fmt.Sprint("w", i)
		d.Groups = append(d.Groups, Group{ID: id, Title: "then", Nodes: []Node{{ID: id + "a", Lines: []string{"+ some-operator", "1.2.3"}}, {ID: id + "b", Lines: []string{"another"}}}})
		if i > 0 {
			d.Edges = append(d.Edges, Edge{From: fmt.Sprint("w", i-1), To: id}, Edge{From: "w0a", To: id + "b"})
		}
	}
	s := check(t, d)
	require.Len(t, s.frames, 9)
	require.LessOrEqual(t, s.size.w, maxWidth+margin)
	beside := 0
	for i, f := range s.frames[1:] {
		if f.y == s.frames[i].y {
			beside++
		}
	}
	require.Positive(t, beside)
	require.Less(t, beside, 8)
	require.Equal(t, beside, strings.Count(testkit.Written(t, d.WriteSVG), `class="tip"`))
}

// A dense diagram notes how many edges it omits.
func TestPictureOfManyEdges(t *testing.T) {
	d := &Diagram{Title: "Dense"}
	for i := range 60 {
		d.Loose = append(d.Loose, Node{ID: fmt.Sprint("n", i), Lines: []string{fmt.Sprint(i)}})
		for k := range i {
			d.Edges = append(d.Edges, Edge{From: fmt.Sprint("n", k), To: fmt.Sprint("n", i)})
		}
	}
	require.Len(t, check(t, d).tips, MaxEdges)
	require.Contains(t, testkit.Written(t, d.WriteSVG), fmt.Sprintf(">%d more edges are not drawn<", len(d.Edges)-MaxEdges))
}

// The picture has an accessible description.
func TestPictureHasWords(t *testing.T) {
	d := &Diagram{Title: "Steps", Loose: []Node{{ID: "s", Lines: []string{"subscription etcd"}}, {ID: "b", Lines: []string{"etcd", "1.0.0"}}},
		Groups: []Group{{ID: "w", Title: "first", Nodes: []Node{{ID: "c", Lines: []string{"etcd.v1", "install"}}}}},
		Edges:  []Edge{{From: "s", To: "b", Label: "because <it> is required"}}}
	source := testkit.Written(t, d.WriteSVG)
	require.Contains(t, source, ` role="img" aria-label="Steps"`)
	require.Contains(t, source, "<title>Steps</title>")
	require.Contains(t, source, "<desc>subscription etcd; etcd, 1.0.0. first: etcd.v1, install. 1 arrow.</desc>")
	require.Contains(t, source, "<title>because &lt;it&gt; is required</title>")
	require.Contains(t, source, "prefers-color-scheme:dark")
}

// FuzzSVG: no text escapes its element.
func FuzzSVG(f *testing.F) {
	for _, seed := range []string{"etcd.v1", `</text></svg><script>x()</script>`, `" onload="x()`, "\u202egnp", "]]>", "&amp;", "\x00\x1b[31m", strings.Repeat("long-", 300), strings.Repeat("漢", 100)} {
		f.Add(seed, seed, seed)
	}
	f.Fuzz(func(t *testing.T, node, title, label string) {
		check(t, &Diagram{Title: "Fuzzed", Loose: []Node{{ID: "a", Lines: []string{node, title}}},
			Groups: []Group{{ID: "g", Title: title, Nodes: []Node{{ID: "b", Lines: []string{label}}}}}, Edges: []Edge{{From: "a", To: "b", Label: label}}})
	})
}

func BenchmarkSVG(b *testing.B) {
	d := &Diagram{Title: "Many"}
	for i := range MaxNodes {
		d.Loose = append(d.Loose, Node{ID: fmt.Sprint("n", i), Lines: []string{fmt.Sprintf("node-%d.v1.0.0", i), "install"}})
		for k := i / 2; k < i && k < i/2+5; k++ {
			d.Edges = append(d.Edges, Edge{From: fmt.Sprint("n", k), To: fmt.Sprint("n", i)})
		}
	}
	for b.Loop() {
		testkit.Written(b, d.WriteSVG)
	}
}

// Lines break at spaces, and long names after punctuation.
func TestWrap(t *testing.T) {
	require.Equal(t, []string{"a b"}, wrapLine("a b", 38))
	require.Equal(t, []string{strings.Repeat("x", 36), "abc d"}, wrapLine(strings.Repeat("x", 36)+" abc d", 38))
	require.Equal(t, []string{strings.Repeat("x", 20) + "-", strings.Repeat("y", 30) + ".v1"}, wrapLine(strings.Repeat("x", 20)+"-"+strings.Repeat("y", 30)+".v1", 38))
	require.Equal(t, []string{strings.Repeat("漢", 19), "漢"}, wrapLine(strings.Repeat("漢", 20), 38))
	require.Equal(t, []string{"+ " + strings.Repeat("x", 36), "xx"}, wrapLine("+ "+strings.Repeat("x", 38), 38))
	lines, name := wrap(&Node{Lines: []string{"a name", strings.Repeat("long ", 1000)}})
	require.Len(t, lines, maxLines)
	require.Equal(t, 1, name)
}
