package picture

import (
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// The dimensions of a picture, in pixels.
const (
	lineHeight = 16.0
	padding    = 9.0 // between a box and its text
	between    = 20.0
	lineGap    = 9.0 // between a passing line and its neighbours
	rowGap     = 42.0
	margin     = 12.0
	titleRoom  = 24.0  // height of a group title
	maxWidth   = 900.0 // width at which rows break
	wrapAt     = 38    // columns of text in a box
	maxLines   = 30    // lines of text in a box; the full text is a tooltip
	sweeps     = 4     // iterations of ordering and placement
)

// layout is the position of everything in a diagram: rows of nodes, one below
// the other, and lines between rows.
//
// It is the layered layout of Sugiyama, Tagawa and Toda: nodes are ranked so
// that edges point down, an edge that spans several rows has a slot in each of
// them, rows are ordered by the barycentres of their neighbours, and positions
// within a row are a least squares fit to those of the neighbours. [MaxNodes]
// and [MaxEdges], to which the diagram is folded before, bound the work.
type layout struct {
	items         []item
	rows          [][]int // items, from left to right
	tops, bottoms []float64
	frames        []frame
	lines         []line
	width, height float64

	at map[string]int // nodes by their IDs
}

// item is a node, or a slot in a row for passing lines.
type item struct {
	node     *Node // nil for a slot
	text     []string
	row      int
	x, w, h  float64 // x is the centre
	up, down []int   // neighbours in the rows above and below
	out, in  [2]bool // whether lines leave, or arrive, above (0) and below (1)
}

// frame is a group with its position.
type frame struct {
	title       string
	top, bottom float64
}

// layOut lays out a folded diagram.
func layOut(d *Diagram) *layout {
	l := &layout{at: make(map[string]int)}
	bands := [][]int{l.add(d.Loose)}
	for _, g := range d.Groups {
		bands = append(bands, l.add(g.Nodes))
	}
	out := make([][]int, len(l.items))
	for _, e := range d.Edges {
		from, to := l.at[e.From], l.at[e.To]
		out[from] = append(out[from], to)
	}
	ends := make([]int, len(bands)) // the row after the last of each band
	for i, band := range bands {
		for _, rank := range ranked(band, out) {
			l.addRows(rank)
		}
		ends[i] = len(l.rows)
	}
	l.route(d)
	for range sweeps {
		l.order()
	}
	l.place()
	l.stack(d, ends)
	return l
}

func (l *layout) add(nodes []Node) []int {
	var band []int
	for i := range nodes {
		n := &nodes[i]
		it := item{node: n, text: wrap(n.Lines)}
		for _, s := range it.text {
			it.w = max(it.w, Width(s))
		}
		it.w, it.h = max(it.w, 30)+2*padding, float64(max(1, len(it.text)))*lineHeight+2*padding-4
		l.at[n.ID] = len(l.items)
		band = append(band, len(l.items))
		l.items = append(l.items, it)
	}
	return band
}

// addRows splits the nodes of a rank into rows.
func (l *layout) addRows(rank []int) {
	var row []int
	width := 0.0
	end := func() {
		if len(row) > 0 {
			l.rows = append(l.rows, row)
		}
		row, width = nil, 0
	}
	for _, i := range rank {
		if w := l.items[i].w + between; width+w > maxWidth {
			end()
		}
		width += l.items[i].w + between
		l.items[i].row = len(l.rows)
		row = append(row, i)
	}
	end()
}

// wrap breaks lines to fit a box.
func wrap(lines []string) []string {
	var out []string
	for _, s := range lines {
		out = append(out, wrapLine(text.Inert(s))...)
	}
	if len(out) > maxLines {
		out = append(out[:maxLines-1:maxLines-1], "…")
	}
	return out
}

// wrapLine breaks a line at spaces, a long word after punctuation, and
// otherwise anywhere.
func wrapLine(s string) []string {
	var out []string
	for Columns(s) > wrapAt && len(out) < maxLines {
		cut, columns := 0, 0
		for i, r := range s {
			if columns += Columns(string(r)); columns > wrapAt {
				cut = i
				break
			}
		}
		rest := cut
		if space := strings.LastIndexByte(s[:cut+1], ' '); space > 0 {
			cut, rest = space, space+1
		} else if mark := strings.LastIndexAny(s[:cut], "-./_"); mark > 0 {
			cut, rest = mark+1, mark+1
		}
		out, s = append(out, s[:cut]), s[rest:]
	}
	return append(out, s)
}

// ranked sorts the nodes of a band into ranks, each below its predecessors in
// the band; a cycle is broken at the node where it was entered.
func ranked(band []int, out [][]int) [][]int {
	waits := make(map[int]int, len(band)) // number of predecessors in the band
	for _, n := range band {
		waits[n] = 0
	}
	within := func(n int) []int {
		return slices.DeleteFunc(slices.Clone(out[n]), func(to int) bool { _, here := waits[to]; return !here })
	}
	for _, n := range band {
		for _, to := range within(n) {
			waits[to]++
		}
	}
	var ranks [][]int
	rank, done := make(map[int]int, len(band)), make(map[int]bool, len(band))
	var ready []int
	for _, n := range band {
		if waits[n] == 0 {
			ready = append(ready, n)
		}
	}
	for next := 0; len(done) < len(band); {
		if len(ready) == 0 { // only cycles remain: enter one at its first node
			for done[band[next]] {
				next++
			}
			ready = append(ready, band[next])
		}
		n := ready[0]
		if ready = ready[1:]; done[n] {
			continue
		}
		done[n] = true
		for len(ranks) <= rank[n] {
			ranks = append(ranks, nil)
		}
		ranks[rank[n]] = append(ranks[rank[n]], n)
		for _, to := range within(n) {
			if done[to] {
				continue
			}
			rank[to] = max(rank[to], rank[n]+1)
			if waits[to]--; waits[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	return ranks
}
