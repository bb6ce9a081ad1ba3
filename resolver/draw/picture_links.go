package draw

import (
	"context"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

func (p *part) link(ctx context.Context, all bool) {
	at := make(map[string]int, len(p.rows)) // the first row of a name
	for i := len(p.rows) - 1; i >= 0; i-- {
		at[p.rows[i].name] = i
	}
	l := linker{part: p, at: at, known: make([]map[int]int, len(p.rows))}
	for i, r := range picture.Each(ctx, p.rows) {
		if e := r.entry; e != nil {
			l.add(e.Replaces, i, byReplaces)
			if all {
				for _, s := range e.Skips() {
					l.add(s, i, bySkips)
				}
			}
			if to, ok := at[e.SkippedBy()]; ok && e.SkippedBy() != "" {
				l.add(e.Name, to, bySkips)
			}
		}
	}
	for i, r := range picture.Each(ctx, p.rows) {
		if at[r.name] == i { // the first row of a name represents all
			l.successors(i, all)
		}
	}
	slices.SortFunc(p.links, compareLinks)
}

// linker adds links to a part, at most one between two rows.
type linker struct {
	part  *part
	at    map[string]int
	known []map[int]int // by source row: links by target row
}

// add adds a link from the row of a name, if it exists, and returns its index or -1.
func (l *linker) add(from string, to int, why reasons) int {
	i, ok := l.at[from]
	if !ok || from == "" || i == to {
		return -1
	}
	k, ok := l.known[i][to]
	if !ok {
		k = len(l.part.links)
		if l.known[i] == nil {
			l.known[i] = map[int]int{}
		}
		l.known[i][to] = k
		l.part.links = append(l.part.links, link{from: i, to: to, live: l.part.rows[to].offered})
	}
	l.part.links[k].reasons |= why
	return k
}

// successors adds the graph edges of a row, all up to the limit or only the preferred one, and
// merges them into existing links.
func (l *linker) successors(from int, all bool) {
	p, name := l.part, l.part.rows[from].name
	for to, k := range l.known[from] {
		if e, ok := p.updates.Edge(name, p.rows[to].name); ok && l.at[e.To] == to {
			p.links[k].reasons |= reasonsOf(e)
		}
	}
	if e, ok := p.updates.Next(name); ok {
		if k := l.add(name, l.at[e.To], reasonsOf(e)); k >= 0 {
			p.links[k].taken = true
		}
	}
	if !all {
		return
	}
	n := 0
	for e := range p.updates.From(name) {
		if n++; n > maxEdges {
			p.rows[from].more = p.updates.Count(name) - maxEdges
			return
		}
		l.add(name, l.at[e.To], reasonsOf(e))
	}
}

// reasons is a set of [graph.EdgeReason].
type reasons uint8

const (
	byReplaces reasons = 1 << iota
	bySkips
	bySkipRange
)

// inOrder lists the reasons in the order of their bits.
var inOrder = [...]graph.EdgeReason{"replaces", "skips", "skipRange"}

// reasonsOf returns the reasons of an edge in a graph of one channel.
func reasonsOf(e graph.Edge) reasons {
	var out reasons
	for _, o := range e.Offers {
		for i, r := range inOrder {
			if slices.Contains(o.Reasons, r) {
				out |= 1 << i
			}
		}
	}
	return out
}

func (r reasons) String() string {
	var words []string
	for i, reason := range inOrder {
		if r&(1<<i) != 0 {
			words = append(words, string(reason))
		}
	}
	return strings.Join(words, ", ")
}
