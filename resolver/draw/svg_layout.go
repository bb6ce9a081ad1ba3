package draw

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

// Dimensions of the picture, in pixels.
const (
	svgTop    = 40.0 // top of the first channel
	svgLeft   = 20.0
	svgRow    = 20.0 // line height
	svgHead   = 30.0 // from the top of a channel to its first line
	svgReason = 18.0 // extra height for the reason of a quarantine
	svgIndent = 16.0
	svgLane   = 9.0  // distance of side lines
	svgGutter = 24.0 // between columns
	svgLegend = 36.0

	svgWide        = 1240.0 // width up to which channels are side by side
	svgHigh        = 800.0  // height to which a picture is folded, if it can
	svgColumns     = 4
	svgLegendWidth = 760.0
)

// svgBadge returns the width of a badge.
func svgBadge(text string) float64 { return picture.Width(text)*0.85 + 10 }

// svgBand is a channel of the picture.
type svgBand struct {
	part  *part
	cells []svgCell // by row
	lanes []sideLine
	// columns are the lanes of each column.
	columns map[int][]int
	jumps   [][]string // by row: its targets in other columns

	// Position and size, and those of the heading. Cells are relative to it.
	x, y          float64
	width, height float64
	head          float64
}

// svgCell is the position of a row.
type svgCell struct {
	column int
	x, y   float64 // centre of its dot
	end    float64 // end of its text
	edge   float64 // left edge of its column
}

// sideLine connects several rows to another row of the same column.
type sideLine struct {
	to          int
	from        []link
	top, bottom int // the first and last row
	x           float64
	index       int
}

// layOut lays out a channel.
func layOut(p *part, all bool) *svgBand {
	n := len(p.rows)
	count := max(1, (n+maxRows-1)/maxRows)
	per := max(1, (n+count-1)/count)
	b := &svgBand{part: p, cells: make([]svgCell, n), jumps: make([][]string, n), head: svgHead}
	if b.reason() != "" {
		b.head += svgReason
	}
	b.height = b.head + float64(min(n, per))*svgRow + 12
	for i := range b.cells {
		b.cells[i].column = i / per
		b.cells[i].y = b.head + float64(i%per)*svgRow + svgRow/2
	}
	b.sideLines(all)
	x := 0.0
	for first := 0; first < n; first += per {
		x = b.layColumn(x, first, min(first+per, n))
	}
	b.width = max(x-svgGutter, svgTitle(p.title())+picture.Width(p.counts()), picture.Width(b.reason()))
	return b
}

// reason returns why the channel is quarantined, or "".
func (b *svgBand) reason() string {
	if q := b.part.channel.Quarantined(); q != nil {
		message := text.Inert(q.Message)
		if _, rest, found := strings.Cut(message, fmt.Sprintf("of package %q ", b.part.channel.Package.Name)); found {
			message = rest // the heading names both
		}
		return text.Middle(message, maxLabel)
	}
	return ""
}

// svgTitle returns the start of a channel's summary, after its title.
func svgTitle(title string) float64 { return picture.BoldWidth(title)*13/12 + 14 }

// shelve places the channels from left to right in a grid of [svgColumns], as many as fit the width
// of the widest, then below. It returns the total width and height.
func shelve(bands []*svgBand) (width, height float64) {
	const cell = svgWide / svgColumns
	limit := svgWide
	for _, b := range bands {
		limit = max(limit, b.width)
	}
	x, y, shelf := 0.0, svgTop, 0.0
	for _, b := range bands {
		if x > 0 && x+b.width > limit {
			x, y, shelf = 0, y+shelf, 0
		}
		b.x, b.y = svgLeft+x, y
		shelf = max(shelf, b.height)
		width = max(width, b.x+b.width+svgLeft)
		x += math.Ceil((b.width+svgGutter)/cell) * cell
	}
	return width, y + shelf
}

// sideLines selects the edges to draw beside the rows.
func (b *svgBand) sideLines(all bool) {
	lanes := make(map[int]int)
	for _, l := range b.part.links {
		if !l.live || b.part.inTree(l) || !all && !l.taken && l.reasons&bySkips == 0 {
			continue
		}
		if b.cells[l.from].column != b.cells[l.to].column {
			if all || l.taken {
				b.jumps[l.from] = append(b.jumps[l.from], text.Middle(b.part.rows[l.to].label, maxLabel/2))
			}
			continue
		}
		k, ok := lanes[l.to]
		if !ok {
			k = len(b.lanes)
			lanes[l.to] = k
			b.lanes = append(b.lanes, sideLine{to: l.to, top: l.to, bottom: l.to})
		}
		lane := &b.lanes[k]
		lane.from, lane.top, lane.bottom = append(lane.from, l), min(lane.top, l.from), max(lane.bottom, l.from)
	}
	slices.SortFunc(b.lanes, func(a, c sideLine) int { return cmp.Or(cmp.Compare(a.top, c.top), cmp.Compare(a.to, c.to)) })
	b.columns = map[int][]int{}
	for k, l := range b.lanes {
		column := b.cells[l.to].column
		b.columns[column] = append(b.columns[column], k)
	}
}

// inTree reports whether the position of its rows already shows an edge.
func (p *part) inTree(l link) bool {
	return p.rows[l.from].depth > 0 && p.rows[l.from].parent == l.to || p.rows[l.from].above == l.to
}

// layColumn places the rows of a column that begins at x, and the side lines to its right. It
// returns the start of the next column.
func (b *svgBand) layColumn(x float64, first, last int) float64 {
	end := x
	for i := first; i < last; i++ {
		c := &b.cells[i]
		c.edge = x
		c.x = x + 8 + float64(b.part.rows[i].depth)*svgIndent
		c.end = c.x + b.rowWidth(i)
		end = max(end, c.end)
	}
	var free []int // by lane: the first row where it is free
	for _, k := range b.columns[b.cells[first].column] {
		l := &b.lanes[k]
		l.index = slices.IndexFunc(free, func(row int) bool { return row <= l.top })
		if l.index < 0 {
			l.index = len(free)
			free = append(free, 0)
		}
		free[l.index] = l.bottom + 1
		l.x = end + 14 + float64(l.index)*svgLane
	}
	return math.Ceil(end + 14 + float64(len(free))*svgLane + svgGutter)
}

// rowWidth returns the width of a row's text, including badges.
func (b *svgBand) rowWidth(i int) float64 {
	r := &b.part.rows[i]
	if len(r.folded) > 0 {
		return 12 + picture.Width(r.foldedText()) + 6
	}
	_, w, _ := r.shown()
	w += 12
	if r.version != "" {
		w += 10 + picture.Width(text.Middle(r.version, maxLabel/2))
	}
	for _, m := range r.badges() {
		w += 6 + svgBadge(badgeText(m))
	}
	if text := b.jumpText(i); text != "" {
		w += 10 + picture.Width(text)
	}
	return w + 6
}

// shown returns the label of a row, its width and its weight.
func (r *row) shown() (label string, width float64, weight string) {
	label = text.Middle(r.label, maxLabel)
	if r.has(markHead) || r.has(markInstalled) {
		return label, picture.BoldWidth(label), "bold"
	}
	return label, picture.Width(label), "normal"
}

func badgeText(m mark) string {
	if m.note == "" {
		return string(m.kind)
	}
	return string(m.kind) + " " + text.Middle(m.note, maxLabel/2)
}

// jumpText returns the targets of a row in other columns.
func (b *svgBand) jumpText(i int) string {
	const most = 2
	text := ""
	for k, name := range b.jumps[i] {
		switch {
		case k == most:
			return text + " …"
		case k > 0:
			text += ", "
		}
		text += name
	}
	if text == "" {
		return ""
	}
	return "→ " + text
}
