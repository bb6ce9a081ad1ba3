package picture

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// WriteSVG renders the diagram as an SVG picture that can be inlined into a page. Edges lead from
// left to right between the nodes of a group, end at nodes and never cross one; of the edges between
// groups, only those from a frame to the next one are drawn, so that nothing crosses a frame. Excess
// nodes over [MaxNodes] and edges over [MaxEdges] are folded. Edge labels and full texts are
// tooltips.
func (d *Diagram) WriteSVG(ctx context.Context, to io.Writer) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	small, left := d.folded()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	p := small.arrange()
	if left > 0 {
		p.height += lineHeight
	}
	w := NewWriter(ctx, to, p.width, p.height, d.Title, d.description())
	for _, f := range p.panels {
		f.draw(w)
	}
	for _, a := range p.arrows {
		w.Open("g", "class", "edge", "fill", "none", "stroke", "currentColor", "stroke-width", "2")
		w.Path(Line(a.from, a.y, a.to-8, a.y))
		w.Leaf("path", "", "class", "tip", "d", Line(a.to, a.y, a.to-9, a.y-5, a.to-9, a.y+5)+"Z", "fill", "currentColor", "stroke", "none")
		w.Close()
	}
	if left > 0 {
		note := text.Count(left, "more edge is not drawn", "more edges are not drawn")
		w.Text(margin, p.height-margin/2, note, "fill-opacity", Faint)
	}
	return w.End()
}

// plan is the position of the groups of a diagram.
type plan struct {
	panels        []panel
	arrows        []arrow
	width, height float64
}

// panel is a group with its position.
type panel struct {
	*layout
	framed     bool
	title      string
	x, y, w, h float64
}

// arrow leads from a frame to the next one.
type arrow struct{ from, to, y float64 }

// arrange lays out the groups: a group beside the one that leads to it, as long as there is room,
// and otherwise below.
func (d *Diagram) arrange() *plan {
	p := &plan{width: 240, height: 2 * margin}
	leads := make(map[[2]string]bool)
	for _, e := range d.Edges {
		leads[[2]string{e.From, e.To}] = true
	}
	x, y, shelf, last := margin, margin, 0.0, ""
	put := func(id, title string, nodes []Node) {
		f := panel{layout: layOut(nodes, d.Edges), framed: id != "", title: title}
		f.w, f.h = f.width, f.height
		if f.framed {
			f.w, f.h = max(f.width, BoldWidth(fit(text.Inert(title), wrapAt)))+2*padding, f.height+titleRoom+padding
		}
		switch beside := leads[[2]string{last, id}]; {
		case beside && x+layerGap+f.w <= maxWidth:
			p.arrows = append(p.arrows, arrow{x, x + layerGap, y + titleRoom + min(shelf-titleRoom, f.height, 2*lineHeight+padding)/2})
			x += layerGap
		case len(p.panels) > 0:
			x, y, shelf = margin, y+shelf+layerGap/2, 0
		}
		f.x, f.y = x, y
		x, shelf, last = x+f.w, max(shelf, f.h), id
		p.panels = append(p.panels, f)
		p.width, p.height = max(p.width, x+margin), max(p.height, y+shelf+margin)
	}
	if len(d.Loose) > 0 {
		put("", "", d.Loose)
	}
	for _, g := range d.Groups {
		put(g.ID, g.Title, g.Nodes)
	}
	return p
}

// draw draws a frame and what is in it.
func (f *panel) draw(w *Writer) {
	x, y := f.x, f.y
	if f.framed {
		w.Leaf("rect", "", "class", "frame", "x", f.x, "y", f.y, "width", f.w, "height", f.h, "rx", "8", "fill-opacity", ".03", "stroke", "currentColor", "stroke-opacity", ".3")
		w.Text(f.x+padding, f.y+titleRoom-9, fit(text.Inert(f.title), wrapAt), "font-weight", "bold")
		x, y = x+padding, y+titleRoom
	}
	w.Open("g", "transform", "translate("+Num(x)+" "+Num(y)+")")
	w.Open("g", "fill", "none", "stroke", "currentColor")
	f.drawLines(w)
	w.Close()
	for i := range f.items {
		if it := &f.items[i]; it.node != nil {
			it.draw(w, f.lefts[it.layer])
		}
	}
	w.Close()
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

func (it *item) draw(w *Writer, left float64) {
	n := it.node
	attrs := []any{"rx", "8"}
	switch n.Shape {
	case Bold, Octagon:
		attrs = append(attrs, "stroke-width", "1.5")
	case Dashed:
		attrs = append(attrs, "stroke-dasharray", "5 3")
	case Round:
		attrs = []any{"rx", "14"}
	}
	top := it.y - it.h/2
	w.Open("g", "class", "node")
	w.Leaf("title", text.Inert(cmp.Or(n.Tip, strings.Join(n.Lines, "; "))))
	w.Leaf("rect", "", append([]any{shapes[n.Shape].tone, "x", left, "y", top, "width", it.w, "height", it.h}, attrs...)...)
	for i, s := range it.text {
		var look []any
		switch {
		case i >= it.name && n.Shape != Octagon && n.Shape != Round:
			look = []any{"fill-opacity", Faint}
		case n.Shape == Bold:
			look = []any{"font-weight", "bold"}
		}
		w.Text(left+padding, top+padding+lineHeight*(float64(i)+.6), s, look...)
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
		switch {
		case e.Clash:
			attrs = append(attrs, "stroke", Red.Line(), "stroke-width", "1.5", "stroke-dasharray", "5 4")
		case e.Faint:
			attrs = append(attrs, "stroke-dasharray", "3 3", "stroke-opacity", ".6")
		default:
			attrs = append(attrs, "stroke-opacity", ".6")
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
		if !e.Clash {
			w.Leaf("path", "", "class", "tip", "d", l.tip(e.items[len(e.items)-2], e.items[len(e.items)-1]), "fill", "currentColor", "stroke", "none")
		}
		w.Close()
		w.Close()
	}
}

// lineSpacing is the distance between lines on one side of a node.
const lineSpacing = 12.0

// port returns the point on a side of an item, 0 on the left and 1 on the right, at which a line
// leaves or arrives.
func (l *layout) port(n, side int, arrives bool) (x, y float64) {
	it := &l.items[n]
	x, y = l.edge(n, side), it.y
	if it.in[side] && it.out[side] {
		if arrives {
			return x, y + lineSpacing/2
		}
		return x, y - lineSpacing/2
	}
	return x, y
}

// sides returns the sides at which a line between two items leaves and arrives.
func (l *layout) sides(from, to int) (leaves, arrives int) {
	switch a, b := l.items[from].layer, l.items[to].layer; {
	case a < b:
		return 1, 0
	case a > b:
		return 0, 1
	}
	return 1, 1
}

// segment returns the path from an item to one in the next layer, or in the same layer. It bends
// only between layers, where there are no nodes.
func (l *layout) segment(from, to int) string {
	leaves, arrives := l.sides(from, to)
	x1, y1 := l.port(from, leaves, false)
	x2, y2 := l.port(to, arrives, true)
	bend := (x1 + x2) / 2
	if leaves == arrives {
		bend = x1 + layerGap/2
	}
	n := Num
	path := "M" + n(x1) + " " + n(y1)
	if l.items[from].node == nil { // first through the layer
		path = "M" + n(l.edge(from, 1-leaves)) + " " + n(y1) + "L" + n(x1) + " " + n(y1)
	}
	return path + "C" + n(bend) + " " + n(y1) + " " + n(bend) + " " + n(y2) + " " + n(x2) + " " + n(y2)
}

// edge returns the left (0) or right (1) edge of the layer of an item.
func (l *layout) edge(n, side int) float64 {
	if side == 1 {
		return l.rights[l.items[n].layer]
	}
	return l.lefts[l.items[n].layer]
}

// tip draws the arrowhead at the end of a line.
func (l *layout) tip(from, to int) string {
	_, side := l.sides(from, to)
	x, y := l.port(to, side, true)
	back := x - 7
	if side == 1 {
		back = x + 7
	}
	return Line(x, y, back, y-3.5, back, y+3.5) + "Z"
}
