package picture

import (
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// The dimensions of a picture, in pixels.
const (
	lineHeight = 16.0
	padding    = 10.0 // between a box and its text
	between    = 12.0
	lineGap    = 9.0 // between a passing line and its neighbours
	layerGap   = 30.0
	margin     = 12.0
	titleRoom  = 26.0   // height of a group title
	maxHeight  = 640.0  // height at which layers break
	maxWidth   = 1200.0 // width at which frames beside each other break
	wrapAt     = 40     // columns of text in a box
	wrapNarrow = 30     // the same for [Bold] and [Octagon]
	wrapWide   = 40     // the same for [Round]
	maxLines   = 24     // lines of text in a box; the full text is a tooltip
	sweeps     = 4      // iterations of ordering and placement
)

// layout is the position of a group of nodes: layers from left to right, and lines between them.
//
// It is the layered layout of Sugiyama, Tagawa and Toda: nodes are ranked so that edges point
// right, an edge that spans several layers has a slot in each of them, layers are ordered by the
// barycentres of their neighbours, and positions within a layer are a least squares fit to those
// of the neighbours. [MaxNodes] and [MaxEdges], to which the diagram is folded before, bound the
// work.
type layout struct {
	items         []item
	layers        [][]int // items, from top to bottom
	lefts, rights []float64
	lines         []line
	width, height float64

	at map[string]int // nodes by their IDs
}

// item is a node, or a slot in a layer for passing lines.
type item struct {
	node          *Node // nil for a slot
	text          []string
	name          int // how many of the lines are its name
	layer         int
	y, w, h       float64 // y is the centre
	before, after []int   // neighbours in the layers before and after
	out, in       [2]bool // whether lines leave, or arrive, on the left (0) and right (1)
}

// layOut lays out nodes with the edges between them.
func layOut(nodes []Node, edges []Edge) *layout {
	l := &layout{at: make(map[string]int)}
	l.add(nodes)
	var within []Edge
	out := make([][]int, len(l.items))
	for _, e := range edges {
		from, known := l.at[e.From]
		if to, also := l.at[e.To]; known && also {
			within = append(within, e)
			out[from] = append(out[from], to)
		}
	}
	for _, rank := range ranked(out) {
		l.addLayers(rank)
	}
	l.route(within)
	for range sweeps {
		l.order()
	}
	l.place()
	l.stack()
	return l
}

func (l *layout) add(nodes []Node) {
	for i := range nodes {
		n := &nodes[i]
		it := item{node: n}
		it.text, it.name = wrap(n)
		for k, s := range it.text {
			w := Width(s)
			if k < it.name && n.Shape == Bold {
				w *= bold
			}
			it.w = max(it.w, w)
		}
		it.w, it.h = max(it.w, 30)+2*padding, float64(max(1, len(it.text)))*lineHeight+2*padding-4
		l.at[n.ID] = len(l.items)
		l.items = append(l.items, it)
	}
}

// addLayers splits the nodes of a rank into layers of about the same height. The boxes of a layer
// are equally wide.
func (l *layout) addLayers(rank []int) {
	total := 0.0
	for _, i := range rank {
		total += l.items[i].h + between
	}
	limit := total
	if n := int(total/maxHeight) + 1; n > 1 {
		limit = total/float64(n) + lineHeight
	}
	var layer []int
	high := 0.0
	end := func() {
		wide := 0.0
		for _, i := range layer {
			wide = max(wide, l.items[i].w)
		}
		for _, i := range layer {
			l.items[i].w = wide
		}
		l.layers = append(l.layers, layer)
		layer, high = nil, 0
	}
	for _, i := range rank {
		h := l.items[i].h + between
		if len(layer) > 0 && high+h > limit {
			end()
		}
		high += h
		l.items[i].layer = len(l.layers)
		layer = append(layer, i)
	}
	if len(layer) > 0 {
		end()
	}
}

// wrap breaks the lines of a node to fit its box. The first ones are its name.
func wrap(n *Node) (out []string, name int) {
	at := wrapAt
	switch n.Shape {
	case Bold, Octagon:
		at = wrapNarrow
	case Round:
		at = wrapWide
	}
	for i, s := range n.Lines {
		if out = append(out, wrapLine(text.Inert(s), at)...); i == 0 {
			name = len(out)
		}
	}
	if len(out) > maxLines {
		out = append(out[:maxLines-1:maxLines-1], "…")
	}
	return out, name
}

// wrapLine breaks a line at spaces, but not after a sign at its start, a long word after punctuation,
// and otherwise anywhere.
func wrapLine(s string, at int) []string {
	var out []string
	for Columns(s) > at && len(out) < maxLines {
		cut, columns := 0, 0
		for i, r := range s {
			if columns += Columns(string(r)); columns > at {
				cut = i
				break
			}
		}
		rest := cut
		if space := strings.LastIndexByte(s[:cut+1], ' '); space > 1 {
			cut, rest = space, space+1
		} else if mark := strings.LastIndexAny(s[:cut], "-./_"); mark > 1 {
			cut, rest = mark+1, mark+1
		}
		out, s = append(out, s[:cut]), s[rest:]
	}
	return append(out, s)
}

// ranked sorts nodes, given by the targets of their edges, into ranks: each after its predecessors
// and as near as possible to its successors. A cycle is broken at the node where it was entered.
func ranked(out [][]int) [][]int {
	waits := make([]int, len(out)) // number of predecessors
	for _, targets := range out {
		for _, to := range targets {
			waits[to]++
		}
	}
	var ready, order []int
	source := make([]bool, len(out))
	for n, w := range waits {
		if source[n] = w == 0; source[n] {
			ready = append(ready, n)
		}
	}
	rank, done := make([]int, len(out)), make([]bool, len(out))
	for next := 0; len(order) < len(out); {
		if len(ready) == 0 { // only cycles remain: enter one at its first node
			for done[next] {
				next++
			}
			ready = append(ready, next)
		}
		n := ready[0]
		if ready = ready[1:]; done[n] {
			continue
		}
		done[n] = true
		order = append(order, n)
		for _, to := range out[n] {
			if done[to] {
				continue
			}
			rank[to] = max(rank[to], rank[n]+1)
			if waits[to]--; waits[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	last := 0
	for _, n := range slices.Backward(order) {
		near := -1
		for _, to := range out[n] {
			if rank[to] > rank[n] && (near < 0 || rank[to]-1 < near) {
				near = rank[to] - 1
			}
		}
		if near > rank[n] && !source[n] {
			rank[n] = near
		}
		last = max(last, rank[n])
	}
	ranks := make([][]int, last+1)
	for n, r := range rank {
		ranks[r] = append(ranks[r], n)
	}
	return slices.DeleteFunc(ranks, func(r []int) bool { return len(r) == 0 })
}
