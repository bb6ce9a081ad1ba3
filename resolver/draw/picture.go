package draw

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/picture"
	"github.com/seed109e2655/resolute/internal/text"
)

// maxEdges is how many edges are shown of one version where all are asked for.
// Ranges of skipped versions can make as many as there are versions, for each
// version; those that a resolution prefers are shown, and how many more there are.
const maxEdges = 100

// Options say what is drawn, and how. The zero value is the default.
type Options struct {
	// Channels are the names of the channels to draw; none stands for all.
	Channels []string
	// Installed are bundles to mark. One that a channel does not list is drawn
	// beside it, with the edge by which it comes in, if there is one.
	Installed []graph.Installed
	// AllEdges draws every edge, up to 100 from each version. Else of each
	// version those by which an entry replaces it, the one by which the first
	// entry skips it, and the one that a resolution takes, as far as they are not
	// the same: a picture of a channel in which each entry skips all below it
	// stays readable so. In [Text] it is only the one that a resolution takes, where
	// the tree does not show it.
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
	markQuarantined markKind = "broken"
	markBarred      markKind = "barred"
	markDeprecated  markKind = "deprecated"
	markStranded    markKind = "stranded"
	markOutside     markKind = "not in the channel"
	markDeadEnd     markKind = "dead end"
)

// drawing is what all renderers draw.
type drawing struct {
	pkg   *graph.Package
	parts []part
}

// part is a channel in a picture.
type part struct {
	channel *graph.Channel
	updates *graph.Updates
	known   map[string]nodeOf // by name
	first   map[string]int    // the first entry of each name
	rows    []row
	links   []link
}

// nodeOf is what a picture says of a bundle of the update graph.
type nodeOf struct {
	order  int    // its place in the graph
	label  string // its version and release, or empty
	bundle *graph.Bundle
	given  bool // as installed
}

// row is a version in a picture. Rows come in the order in which a reader goes
// through a channel: from the head down, each skipped version below what skips
// it, then what is off the chain, then what is not in the channel.
type row struct {
	name    string
	version string // and release, inert; empty if it is unknown
	marks   []mark
	entry   *graph.Entry // nil for what is not in the channel
	index   int          // of the entry
	offered bool         // it can be newly chosen
	depth   int          // 0 on a chain, more for skipped ones beside it
	parent  int          // the row that skips it, if depth > 0
	linked  bool         // it follows the last row of depth 0 on the same chain
	above   int          // that row, or -1
	more    int          // edges from it that are not shown
	way     bool         // it lies on the way from an installed version to the head
	folded  []string     // it stands for these and not for a version
}

// link is an edge in a picture, from row to row.
type link struct {
	from, to int
	reasons  reasons
	live     bool // it can be taken
	taken    bool // a resolution prefers it to all others
}

func (r *row) has(k markKind) bool {
	return slices.ContainsFunc(r.marks, func(m mark) bool { return m.kind == k })
}

func newDrawing(ctx context.Context, p *graph.Package, o Options) (*drawing, error) {
	pic, err := newParts(ctx, p, o)
	if err != nil {
		return nil, err
	}
	guests := pic.guests(o.Installed)
	return pic, pic.each(ctx, func(i int, pt *part) {
		pt.plan(ctx, guests[i])
		pt.climb()
		pt.mark(ctx)
		pt.link(ctx, o.AllEdges)
		pt.lead(o.Installed)
	})
}

// render writes the picture of a package.
func render(ctx context.Context, w io.Writer, p *graph.Package, o Options, write func(b *bufio.Writer, pic *drawing) error) error {
	pic, err := newDrawing(ctx, p, o)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	if err := write(b, pic); err != nil {
		return err
	}
	return b.Flush()
}

// each calls do with the channels of a picture. The error is the cause of the end of
// ctx, at which do may have left off.
func (p *drawing) each(ctx context.Context, do func(i int, p *part)) error {
	for i := range p.parts {
		if do(i, &p.parts[i]); ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// newParts returns a picture with channels that have no rows yet.
func newParts(ctx context.Context, p *graph.Package, o Options) (*drawing, error) {
	if p == nil {
		p = &graph.Package{}
	}
	p = p.Clone() // which lacks no pointer that a package from literals may lack
	channels, err := p.Select(o.Channels)
	if err != nil {
		return nil, err
	}
	pic := &drawing{pkg: p}
	for _, c := range channels {
		pt, err := newPart(ctx, p, c, o.Installed)
		if err != nil {
			return nil, err
		}
		pic.parts = append(pic.parts, pt)
	}
	return pic, nil
}

// newPart looks a channel up in its update graph.
func newPart(ctx context.Context, p *graph.Package, c *graph.Channel, installed []graph.Installed) (part, error) {
	alone := *p // the graph of this channel, whatever it is called
	alone.Channels = []*graph.Channel{c}
	u, err := graph.NewUpdates(ctx, &alone, graph.UpdateOptions{Installed: installed, ListedOnly: true})
	if err != nil {
		return part{}, err
	}
	pt := part{channel: c, updates: u, known: map[string]nodeOf{}, first: map[string]int{}}
	for name := range u.Bundles() {
		n := nodeOf{order: len(pt.known), bundle: p.Bundle(name)}
		if v, release, known := u.Version(name); known {
			if n.label = text.Name(v.String()); release != "" {
				n.label += " release " + text.Name(string(release))
			}
		}
		pt.known[name] = n
	}
	for _, in := range installed {
		if n, ok := pt.known[in.Name]; ok {
			n.given = true
			pt.known[in.Name] = n
		}
	}
	for i := len(c.Entries) - 1; i >= 0; i-- {
		pt.first[c.Entries[i].Name] = i
	}
	return pt, nil
}

// order returns the place of a bundle in the graph, or one behind all for an
// unknown name.
func (p *part) order(name string) int {
	if n, ok := p.known[name]; ok {
		return n.order
	}
	return len(p.known)
}

// stuck returns the bundles from which the head of a channel cannot be reached:
// those that it lists, and those that run and that it does not list. There are
// none without a head.
func (p *part) stuck() map[string]bool {
	head := p.channel.Head()
	if head == nil {
		return nil
	}
	out := make(map[string]bool, len(p.known))
	for name, n := range p.known {
		_, listed := p.first[name]
		out[name] = listed || n.given
	}
	out[head.Name] = false
	for name := range p.updates.Reaching(head.Name) {
		out[name] = false
	}
	return out
}

// guests lists for each channel which installed bundles to draw beside those
// that it lists: those that have an edge into it, and in the first channel
// those that have a place nowhere.
func (p *drawing) guests(installed []graph.Installed) [][]string {
	out := make([][]string, len(p.parts))
	for _, in := range installed {
		if in.Name == "" {
			continue
		}
		placed := len(p.parts) == 0
		for i := range p.parts {
			pt := &p.parts[i]
			switch {
			case pt.channel.Entry(in.Name) != nil:
				placed = true
			case pt.updates.Count(in.Name) > 0:
				placed = true
				out[i] = append(out[i], in.Name)
			}
		}
		if !placed {
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

// live reports whether an edge between two rows can be taken.
func (p *part) live(from, to int) bool {
	k, ok := slices.BinarySearchFunc(p.links, link{from: from, to: to}, compareLinks)
	return ok && p.links[k].live
}

func compareLinks(a, b link) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) }

func (p *part) mark(ctx context.Context) {
	stuck, followed := p.stuck(), p.followed()
	for _, r := range picture.Each(ctx, p.rows) {
		n := p.known[r.name]
		add := func(on bool, kind markKind, note string) {
			if on {
				r.marks = append(r.marks, mark{kind, note})
			}
		}
		add(n.given, markInstalled, "")
		if e := r.entry; e != nil {
			add(!followed[r.index], markHead, "") // several, if that is what is wrong
			add(e.SkippedBy() != "", markSkipped, "by "+text.Name(e.SkippedBy()))
			add(e.Bundle == nil, markVirtual, "")
			s := p.channel.Standing(e)
			r.offered = s.Offered
			add(s.Stranded, markStranded, "")
		}
		if b := n.bundle; b != nil {
			add(b.Quarantine != nil, markQuarantined, "")
			add(b.Barred, markBarred, "")
			add(b.Deprecated, markDeprecated, text.Inert(b.Deprecation))
		}
		add(r.entry == nil, markOutside, "")
		add(stuck[r.name], markDeadEnd, "")
	}
}
