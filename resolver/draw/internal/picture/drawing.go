package picture

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// WriteSVG renders the diagram as an SVG picture that can be inlined into a page.
// Nodes lie in rows, sources first, groups in frames, one below the other in
// order. Edges end at nodes and never cross one. Excess nodes over [MaxNodes]
// and edges over [MaxEdges] are folded. Edge labels and full texts are
// tooltips.
func (d *Diagram) WriteSVG(ctx context.Context, to io.Writer) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	small, left := d.folded()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l := layOut(small)
	if left > 0 {
		l.height += lineHeight
	}
	w := NewWriter(ctx, to, l.width, l.height, d.Title, d.description())
	w.Open("g", "fill", "none", "stroke", "currentColor")
	for _, f := range l.frames {
		w.Leaf("rect", "", "x", margin/2, "y", f.top, "width", l.width-margin, "height", f.bottom-f.top, "rx", "6", "stroke-opacity", ".3")
	}
	l.drawLines(w)
	w.Close()
	for _, f := range l.frames {
		room := int((l.width - 2*margin) / Width("x"))
		w.Text(margin, f.top+lineHeight, fit(text.Inert(f.title), room), "font-weight", "bold")
	}
	for i := range l.items {
		if it := &l.items[i]; it.node != nil {
			it.draw(w, l.tops[it.row])
		}
	}
	if left > 0 {
		note := text.Count(left, "more edge is not drawn", "more edges are not drawn")
		w.Text(margin, l.height-margin/2, note, "fill-opacity", Faint)
	}
	return w.End()
}

// description describes the picture in words.
func (d *Diagram) description() string {
	var b strings.Builder
	say := func(title string, nodes []Node) {
		if len(nodes) == 0 || b.Len() > MaxDescription {
			return
		}
		b.WriteString(title)
		for i, n := range nodes {
			if i > 0 {
				b.WriteString("; ")
			}
			b.WriteString(text.Inert(strings.Join(n.Lines, ", ")))
			if b.Len() > MaxDescription {
				return
			}
		}
		b.WriteString(". ")
	}
	say("", d.Loose)
	for _, g := range d.Groups {
		say(text.Inert(g.Title)+": ", g.Nodes)
	}
	fmt.Fprintf(&b, "%s.", text.Count(len(d.Edges), "arrow", "arrows"))
	return b.String()
}

func (it *item) draw(w *Writer, top float64) {
	tone, attrs := Tone(""), []any{"rx", "4"}
	switch it.node.Shape {
	case Bold:
		tone, attrs = Blue, append(attrs, "stroke-width", "2")
	case Dashed:
		tone, attrs = Grey, append(attrs, "stroke-dasharray", "5 3")
	case Round:
		attrs = []any{"rx", "12"}
	case Octagon:
		tone, attrs = Red, append(attrs, "stroke-width", "2")
	}
	left := it.x - it.w/2
	w.Open("g", "class", "node")
	w.Leaf("title", text.Inert(strings.Join(it.node.Lines, "; ")))
	w.Leaf("rect", "", append([]any{tone, "x", left, "y", top, "width", it.w, "height", it.h}, attrs...)...)
	for i, s := range it.text {
		w.Text(left+padding, top+padding+lineHeight*(float64(i)+.6), s)
	}
	w.Close()
}

// drawLines draws the edges. Shared segments are drawn once, without a label.
func (l *layout) drawLines(w *Writer) {
	uses := make(map[[2]int]int)
	for _, e := range l.lines {
		for i := 1; i < len(e.items); i++ {
			uses[[2]int{e.items[i-1], e.items[i]}]++
		}
	}
	faint := []any{"stroke-dasharray", "3 3", "stroke-opacity", ".6"}
	drawn := make(map[[2]int]bool)
	for _, e := range l.lines {
		var own, shared strings.Builder
		for i := 1; i < len(e.items); i++ {
			switch pair := [2]int{e.items[i-1], e.items[i]}; {
			case uses[pair] == 1:
				own.WriteString(l.segment(pair[0], pair[1]))
			case !drawn[pair]:
				drawn[pair] = true
				shared.WriteString(l.segment(pair[0], pair[1]))
			}
		}
		attrs := []any{"class", "edge"}
		if e.Faint {
			attrs = append(attrs, faint...)
		}
		w.Open("g", attrs...)
		if shared.Len() > 0 {
			w.Path(shared.String())
		}
		w.Open("g")
		if e.Label != "" {
			w.Leaf("title", text.Inert(e.Label))
		}
		if own.Len() > 0 {
			w.Path(own.String())
		}
		w.Leaf("path", "", "class", "tip", "d", l.tip(e.items[len(e.items)-2], e.items[len(e.items)-1]), "fill", "currentColor", "stroke", "none")
		w.Close()
		w.Close()
	}
}

// lineSpacing is the distance between lines on one side of a node.
const lineSpacing = 12.0

// port returns the point on a side of an item, 0 above and 1 below, at which a
// line leaves or arrives.
func (l *layout) port(n, side int, arrives bool) (x, y float64) {
	it := &l.items[n]
	x, y = it.x, l.edge(n, side)
	if side == 1 && it.node != nil {
		y = l.tops[it.row] + it.h
	}
	if it.in[side] && it.out[side] {
		if arrives {
			return x + lineSpacing/2, y
		}
		return x - lineSpacing/2, y
	}
	return x, y
}

// sides returns the sides at which a line between two items leaves and
// arrives.
func (l *layout) sides(from, to int) (leaves, arrives int) {
	switch a, b := l.items[from].row, l.items[to].row; {
	case a < b:
		return 1, 0
	case a > b:
		return 0, 1
	}
	return 1, 1
}

// segment returns the path from an item to one in the next row, or in the same
// row. It bends only between rows, where there are no nodes.
func (l *layout) segment(from, to int) string {
	leaves, arrives := l.sides(from, to)
	x1, y1 := l.port(from, leaves, false)
	x2, y2 := l.port(to, arrives, true)
	e1, e2 := l.edge(from, leaves), l.edge(to, arrives) // of the rows
	bend := (e1 + e2) / 2
	if leaves == arrives {
		bend = e1 + rowGap/2
	}
	n := Num
	path := "M" + n(x1) + " " + n(y1)
	if l.items[from].node == nil { // first through the row
		path = "M" + n(x1) + " " + n(l.edge(from, 1-leaves)) + "L" + n(x1) + " " + n(e1)
	} else if y1 != e1 {
		path += "L" + n(x1) + " " + n(e1)
	}
	path += "C" + n(x1) + " " + n(bend) + " " + n(x2) + " " + n(bend) + " " + n(x2) + " " + n(e2)
	if y2 != e2 {
		path += "L" + n(x2) + " " + n(y2)
	}
	return path
}

// edge returns the upper (0) or lower (1) edge of the row of an item.
func (l *layout) edge(n, side int) float64 {
	if side == 1 {
		return l.bottoms[l.items[n].row]
	}
	return l.tops[l.items[n].row]
}

// tip draws the arrowhead at the end of a line.
func (l *layout) tip(from, to int) string {
	_, side := l.sides(from, to)
	x, y := l.port(to, side, true)
	back := y - 7
	if side == 1 {
		back = y + 7
	}
	return Line(x, y, x-3.5, back, x+3.5, back) + "Z"
}
