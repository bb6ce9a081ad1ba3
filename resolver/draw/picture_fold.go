package draw

import (
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// maxFolded is how many names of a folded run are listed.
const maxFolded = 20

// lead marks what lies on the shortest way from each installed version to the head. A
// version from which no way leads there marks nothing.
func (p *part) lead(installed []graph.Installed) {
	head := p.channel.Head()
	if head == nil {
		return
	}
	on := make(map[string]bool)
	for _, in := range installed {
		path, err := p.updates.ShortestPath(in.Name, head.Name)
		if err != nil {
			continue
		}
		for _, name := range path.Bundles() {
			on[name] = true
		}
	}
	for i := range p.rows {
		p.rows[i].way = on[p.rows[i].name]
	}
}

// fold leaves at most so many rows one by one, and puts a row in the place of each run
// of others. The first rows stay, a tenth of them from the end, and before all others
// what is installed, a head, or on the way between the two.
func (p *part) fold(most int) {
	if len(p.rows) <= most {
		return
	}
	keep, left := make([]bool, len(p.rows)), most
	stay := func(i int) {
		if left > 0 && !keep[i] {
			keep[i] = true
			left--
		}
	}
	for i := range p.rows {
		if r := &p.rows[i]; r.has(markInstalled) || r.has(markHead) {
			stay(i)
		}
	}
	for i := range p.rows {
		if p.rows[i].way {
			stay(i)
		}
	}
	for i := len(p.rows) - 1; i >= len(p.rows)-most/10; i-- {
		stay(i)
	}
	for i := range p.rows {
		stay(i)
	}
	p.refold(keep)
}

// refold makes the rows and links of what is kept.
func (p *part) refold(keep []bool) {
	at := make([]int, len(p.rows)) // the new place of each row
	var rows []row
	for i := range p.rows {
		if !keep[i] && i > 0 && !keep[i-1] {
			at[i] = len(rows) - 1
			rows[at[i]].folded = append(rows[at[i]].folded, p.rows[i].name)
			continue
		}
		at[i] = len(rows)
		r := p.rows[i]
		if !keep[i] {
			r = row{depth: 0, above: -1, folded: []string{r.name}, linked: r.linked, offered: r.offered}
		}
		rows = append(rows, r)
	}
	above := make([]int, len(rows)) // the row above, by the new places
	for i := range above {
		above[i] = -1
	}
	for i := range p.rows {
		r := &p.rows[i]
		if k := at[i]; r.depth == 0 && r.above >= 0 && at[r.above] < k && above[k] < 0 {
			above[k] = at[r.above]
		}
		if keep[i] && r.depth > 0 {
			rows[at[i]].parent = at[r.parent]
		}
	}
	for k := range rows {
		rows[k].above = above[k]
	}
	var links []link
	for _, l := range p.links {
		from, to := at[l.from], at[l.to]
		if from == to || (!keep[l.from] || !keep[l.to]) && above[from] != to {
			continue
		}
		l.from, l.to = from, to
		links = append(links, l)
	}
	slices.SortStableFunc(links, compareLinks)
	p.rows, p.links = rows, slices.CompactFunc(links, func(a, b link) bool { return compareLinks(a, b) == 0 })
}

// foldedText says which versions a row stands for.
func (r *row) foldedText() string {
	first, last := r.folded[0], r.folded[len(r.folded)-1]
	s := text.Count(len(r.folded), "version", "versions") + " folded: " + text.Middle(text.Name(first), maxLabel)
	if len(r.folded) > 1 {
		s += " to " + text.Middle(text.Name(last), maxLabel)
	}
	return s
}
