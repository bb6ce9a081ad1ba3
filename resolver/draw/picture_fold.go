package draw

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// maxFolded is the maximum number of listed names of a folded run.
const maxFolded = 20

// markPaths marks the shortest upgrade path from each installed version to the head, if there is
// one.
func (p *part) markPaths(installed []graph.Installed) {
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
		p.rows[i].onPath = on[p.rows[i].name]
	}
}

// The maximum number of versions drawn per channel, and per picture, shared by its channels. A
// drawing of all edges has more room.
const (
	minVersions = 2 // but at least so many per channel
	maxVersions = 200
	maxScreen   = 64
	maxAll      = 2000
)

// room returns how many versions a picture has room for.
func (p *drawing) room(all bool) int {
	if all {
		return maxAll
	}
	return maxScreen
}

// fold folds the channels of a picture to about a number of versions in total.
func (p *drawing) fold(total int) {
	for i := range p.parts {
		p.parts[i].fold(min(maxVersions, max(minVersions, total/len(p.parts))))
	}
}

// fold keeps about limit rows and replaces each run of at least two others by one row. It keeps, in
// this order, installed versions, heads and the paths between them, the last tenth, and the first
// rows.
func (p *part) fold(limit int) {
	if len(p.rows) <= limit {
		return
	}
	keep, remaining := make([]bool, len(p.rows)), limit
	stay := func(i int) {
		if remaining > 0 && !keep[i] {
			keep[i] = true
			remaining--
		}
	}
	for i := range p.rows {
		if r := &p.rows[i]; r.has(markInstalled) || r.has(markHead) {
			stay(i)
		}
	}
	for i := range p.rows {
		if p.rows[i].onPath {
			stay(i)
		}
	}
	for i := len(p.rows) - 1; i >= len(p.rows)-max(1, limit/10); i-- {
		stay(i)
	}
	for i := range p.rows {
		stay(i)
	}
	for i := range p.rows { // a run of one
		if !keep[i] && (i == 0 || keep[i-1]) && (i == len(keep)-1 || keep[i+1]) {
			keep[i] = true
		}
	}
	p.refold(keep)
}

// refold rebuilds rows and links from the kept ones.
func (p *part) refold(keep []bool) {
	at := make([]int, len(p.rows)) // the new index of each row
	var rows []row
	for i := range p.rows {
		if !keep[i] && i > 0 && !keep[i-1] {
			at[i] = len(rows) - 1
			rows[at[i]].folded = append(rows[at[i]].folded, p.rows[i])
			continue
		}
		at[i] = len(rows)
		r := p.rows[i]
		if !keep[i] {
			r = row{depth: 0, above: -1, folded: []row{r}, linked: r.linked, offered: r.offered}
		}
		rows = append(rows, r)
	}
	above := make([]int, len(rows)) // the row above, by new index
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

// foldedText names the versions that a row represents.
func (r *row) foldedText() string {
	first, last := r.folded[0], r.folded[len(r.folded)-1]
	return fmt.Sprintf("%s, %s to %s", text.Count(len(r.folded), "version", "versions"), text.Middle(first.label, maxLabel/2), text.Middle(last.label, maxLabel/2))
}
