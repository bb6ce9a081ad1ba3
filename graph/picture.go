package graph

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
)

// Show tells what a picture of an update graph has. The zero value is the
// default; every renderer has it in its options.
type Show struct {
	// Channels are the names of the channels to draw; none stands for all.
	Channels []string
	// Installed are bundles to mark. One that a channel does not list is drawn
	// beside it, with the edge by which it comes in, if there is one.
	Installed []Installed
	// AllEdges draws every edge. Else of each version those by which an entry
	// replaces it, the one by which the first entry skips it, and the one that
	// a resolution takes, as far as they are not the same: a picture of a
	// channel in which each entry skips all below it stays readable so.
	AllEdges bool
}

// mark is something about a version that a picture shows.
type mark struct {
	kind markKind
	note string // about a mark, for the text
}

// markKind is the kind of a mark, by importance.
type markKind string

const (
	markInstalled   markKind = "installed"
	markHead        markKind = "head"
	markSkipped     markKind = "skipped"
	markVirtual     markKind = "virtual"
	markQuarantined markKind = "quarantined"
	markBarred      markKind = "barred"
	markDeprecated  markKind = "deprecated"
	markStranded    markKind = "stranded"
	markOutside     markKind = "not in the channel"
	markDeadEnd     markKind = "dead end"
)

// picture is what all renderers draw.
type picture struct {
	pkg   *Package
	parts []part
}

// part is a channel in a picture.
type part struct {
	channel *Channel
	updates *Updates
	rows    []row
	links   []link
}

// row is a version in a picture. Rows come in the order in which a reader goes
// through a channel: from the head down, each skipped version below what skips
// it, then what is off the chain, then what is not in the channel.
type row struct {
	name    string
	version string // and release, inert; empty if it is unknown
	marks   []mark
	entry   *Entry // nil for what is not in the channel
	index   int    // of the entry
	offered bool   // it can be newly chosen
	depth   int    // 0 on a chain, more for skipped ones beside it
	parent  int    // the row that skips it, if depth > 0
	linked  bool   // it follows the last row of depth 0 on the same chain
	above   int    // that row, or -1
}

// link is an edge in a picture, from row to row.
type link struct {
	from, to int
	reasons  reasons
	live     bool // it can be taken
	taken    bool // a resolution prefers it to all others
}

// has tells whether a row has a mark.
func (r *row) has(k markKind) bool {
	return slices.ContainsFunc(r.marks, func(m mark) bool { return m.kind == k })
}

// newPicture plans the picture of a package.
func newPicture(ctx context.Context, p *Package, show Show) (*picture, error) {
	if p == nil {
		p = &Package{}
	}
	channels, err := selectChannels(p, show.Channels)
	if err != nil {
		return nil, err
	}
	pic, extras := &picture{pkg: p}, extrasOf(show.Installed)
	for _, c := range channels {
		u, err := newUpdates(ctx, p, []*Channel{c}, extras, true)
		if err != nil {
			return nil, err
		}
		pic.parts = append(pic.parts, part{channel: c, updates: u})
	}
	guests := pic.guests(show.Installed)
	for i := range pic.parts {
		pt := &pic.parts[i]
		pt.plan(guests[i])
		pt.climb()
		pt.mark()
		pt.link(show.AllEdges)
	}
	return pic, nil
}

// guests tells for each channel which installed bundles to draw beside those
// that it lists: those that have an edge into it, and in the first channel
// those that have a place nowhere.
func (p *picture) guests(installed []Installed) [][]string {
	out := make([][]string, len(p.parts))
	for _, in := range installed {
		if in.Name == "" {
			continue
		}
		at := -1
		for i := range p.parts {
			pt := &p.parts[i]
			listed := pt.channel.Entry(in.Name) != nil
			if !listed && len(pt.updates.Successors(in.Name)) > 0 {
				out[i] = append(out[i], in.Name)
				at = i
			}
			if listed {
				at = i
			}
		}
		if at < 0 && len(p.parts) > 0 {
			out[0] = append(out[0], in.Name)
		}
	}
	return out
}

// climb finds for each row the one above it on the same chain.
func (p *part) climb() {
	last := -1
	for i := range p.rows {
		r := &p.rows[i]
		r.above = -1
		if r.depth > 0 {
			continue
		}
		if r.linked {
			r.above = last
		}
		last = i
	}
}

// live tells whether an edge between two rows can be taken.
func (p *part) live(from, to int) bool {
	k, ok := slices.BinarySearchFunc(p.links, link{from: from, to: to}, compareLinks)
	return ok && p.links[k].live
}

// compareLinks orders links by their ends.
func compareLinks(a, b link) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) }

// mark finds the marks of all rows.
func (p *part) mark() {
	dead := make(map[string]bool)
	for _, d := range p.updates.DeadEnds() {
		dead[d.Bundle] = true
	}
	followed := p.channel.followed()
	for i := range p.rows {
		r := &p.rows[i]
		n := p.node(r.name)
		add := func(on bool, kind markKind, note string) {
			if on {
				r.marks = append(r.marks, mark{kind, note})
			}
		}
		add(n != nil && n.given, markInstalled, "")
		if e := r.entry; e != nil {
			add(!followed[r.index], markHead, "") // several, if that is what is wrong
			add(e.SkippedBy != "", markSkipped, "by "+text.Name(e.SkippedBy))
			add(e.Bundle == nil, markVirtual, "")
			s := p.channel.Standing(e)
			r.offered = s.Kind == StandingOffered
			add(s.Kind == StandingStranded, markStranded, "")
		}
		if n != nil && n.bundle != nil {
			add(n.bundle.Quarantine != nil, markQuarantined, "")
			add(n.bundle.Barred, markBarred, "")
			add(n.bundle.Deprecated, markDeprecated, text.Inert(n.bundle.Deprecation))
		}
		add(r.entry == nil, markOutside, "")
		add(dead[r.name], markDeadEnd, "")
	}
}

// node returns the node of a name, or nil.
func (p *part) node(name string) *node {
	if i, ok := p.updates.byName[name]; ok {
		return &p.updates.nodes[i]
	}
	return nil
}

// link finds the edges to draw.
func (p *part) link(all bool) {
	at := make(map[string]int, len(p.rows)) // the first of a name
	for i := len(p.rows) - 1; i >= 0; i-- {
		at[p.rows[i].name] = i
	}
	l := linker{part: p, at: at, known: make(map[[2]int]int)}
	for i := range p.rows {
		if e := p.rows[i].entry; e != nil {
			l.add(e.Replaces, i, byReplaces)
			if all {
				for _, s := range e.Skips {
					l.add(s, i, bySkips)
				}
			}
			if to, ok := at[e.SkippedBy]; ok && e.SkippedBy != "" {
				l.add(e.Name, to, bySkips)
			}
		}
	}
	for i := range p.rows {
		if at[p.rows[i].name] == i { // the first row of a name stands for all
			l.successors(i, all)
		}
	}
	slices.SortFunc(p.links, compareLinks)
}

// linker adds links to a part, one between each two rows.
type linker struct {
	part  *part
	at    map[string]int
	known map[[2]int]int
}

// add adds a link from the row of a name, if there is one, and returns its
// index or -1.
func (l *linker) add(from string, to int, why reasons) int {
	i, ok := l.at[from]
	if !ok || from == "" || i == to {
		return -1
	}
	k, ok := l.known[[2]int{i, to}]
	if !ok {
		k = len(l.part.links)
		l.known[[2]int{i, to}] = k
		l.part.links = append(l.part.links, link{from: i, to: to, live: l.part.rows[to].offered})
	}
	l.part.links[k].reasons |= why
	return k
}

// successors adds the edges of the graph from a row: all of them, or the one
// that a resolution takes; and what they add to links that are there already.
func (l *linker) successors(from int, all bool) {
	taken := false
	for _, edge := range l.part.updates.Successors(l.part.rows[from].name) {
		to := l.at[edge.To]
		take := !edge.Barred && !taken
		if _, known := l.known[[2]int{from, to}]; !all && !take && !known {
			continue
		}
		if k := l.add(edge.From, to, edge.reasons()); k >= 0 && take {
			l.part.links[k].taken = true
		}
		taken = taken || take
	}
}

// reasons returns why there is an edge in a graph of one channel.
func (e *Edge) reasons() reasons {
	var out reasons
	for _, o := range e.Offers {
		for _, r := range o.Reasons {
			switch r {
			case ReasonReplaces:
				out |= byReplaces
			case ReasonSkips:
				out |= bySkips
			case ReasonSkipRange:
				out |= bySkipRange
			}
		}
	}
	return out
}
