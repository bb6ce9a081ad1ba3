package draw

import (
	"context"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

// planner orders the entries of a channel for a picture.
type planner struct {
	part   *part
	placed []bool  // by entry
	sides  [][]int // by entry: the entries that it skips and that are drawn beside it
	drawn  map[string]bool
	order  []int            // all entries in graph order
	skips  map[string][]int // entries by the entry that skips them
}

// plan makes the rows of a part. The channel may be invalid: a quarantined one is drawn from
// each of its heads, so that its defect is visible. Unlisted bundles are drawn beside it.
func (p *part) plan(ctx context.Context, unlisted []string) {
	pl := newPlanner(p)
	var chains [][]int
	for _, root := range pl.roots() {
		chains = append(chains, pl.walk(root))
	}
	pl.beside(chains)
	for _, i := range pl.order {
		if !pl.placed[i] {
			chain := pl.walk(i)
			chains = append(chains, chain)
			pl.beside([][]int{chain})
		}
	}
	for _, chain := range chains {
		for n, i := range picture.Each(ctx, chain) {
			pl.draw(*i, 0, -1, n > 0)
		}
		pl.leave(chain)
	}
	for _, name := range unlisted {
		if !pl.drawn[name] {
			pl.add(row{name: name, parent: -1})
		}
	}
}

// add adds a row and fills in its label and version.
func (pl *planner) add(r row) {
	r.label, r.version = text.Name(r.name), pl.part.known[r.name].label
	if base, version := text.SplitVersion(r.name); version != "" {
		if rest, ok := strings.CutPrefix(r.version+" ", text.Name(version)+" "); ok || r.version == "" {
			r.base, r.version = base, strings.TrimSpace(rest)
		}
	}
	pl.part.rows = append(pl.part.rows, r)
	pl.drawn[r.name] = true
}

func newPlanner(p *part) *planner {
	entries := p.channel.Entries
	pl := &planner{part: p, placed: make([]bool, len(entries)), sides: make([][]int, len(entries)),
		drawn: make(map[string]bool), order: make([]int, len(entries)), skips: make(map[string][]int)}
	for i := range entries {
		pl.order[i] = i
	}
	rank := func(i int) int { return p.order(entries[i].Name) }
	slices.SortStableFunc(pl.order, func(a, b int) int { return rank(a) - rank(b) })
	for _, i := range pl.order {
		if by := entries[i].SkippedBy(); by != "" {
			pl.skips[by] = append(pl.skips[by], i)
		}
	}
	return pl
}

// roots returns the entries at the top of chains: the head, or without a unique head all
// entries that no other one replaces or skips.
func (pl *planner) roots() []int {
	c := pl.part.channel
	if head := c.Head(); head != nil {
		return []int{pl.part.first[head.Name]}
	}
	followed := pl.part.followed()
	var out []int
	for _, i := range pl.order {
		if !followed[i] {
			out = append(out, i)
		}
	}
	return out
}

// followed reports for each entry whether another one replaces or skips it.
func (p *part) followed() []bool {
	c := p.channel
	out := make([]bool, len(c.Entries))
	for i := range c.Entries {
		e := &c.Entries[i]
		if to, ok := p.first[e.Replaces]; ok && e.Replaces != "" && to != i {
			out[to] = true
		}
		out[i] = out[i] || e.SkippedBy() != ""
	}
	return out
}

// walk places and returns the unplaced entries down the replaces chain from an entry.
func (pl *planner) walk(i int) []int {
	c := pl.part.channel
	var out []int
	for !pl.placed[i] {
		pl.placed[i] = true
		out = append(out, i)
		next, ok := pl.part.first[c.Entries[i].Replaces]
		if !ok || c.Entries[i].Replaces == "" {
			break
		}
		i = next
	}
	return out
}

// beside places the entries that placed ones skip, transitively.
func (pl *planner) beside(chains [][]int) {
	queue := slices.Concat(chains...)
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, i := range pl.skips[pl.part.channel.Entries[at].Name] {
			if !pl.placed[i] {
				pl.placed[i] = true
				pl.sides[at] = append(pl.sides[at], i)
				queue = append(queue, i)
			}
		}
	}
}

// maxDepth limits the indentation of nested skips.
const maxDepth = 4

// draw adds the rows of an entry and of those beside it.
func (pl *planner) draw(i, depth, parent int, linked bool) {
	p := pl.part
	e := &p.channel.Entries[i]
	at := len(p.rows)
	pl.add(row{name: e.Name, entry: e, index: i, depth: min(depth, maxDepth), parent: parent, linked: linked})
	for _, side := range pl.sides[i] {
		pl.draw(side, depth+1, at, false)
	}
}

// leave adds the replaced version at the end of a chain if the channel lacks it.
func (pl *planner) leave(chain []int) {
	p := pl.part
	last := &p.channel.Entries[chain[len(chain)-1]]
	if last.Replaces == "" || p.channel.Entry(last.Replaces) != nil || pl.drawn[last.Replaces] {
		return
	}
	pl.add(row{name: last.Replaces, parent: -1, linked: true})
}
