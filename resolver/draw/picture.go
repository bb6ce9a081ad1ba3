package draw

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

// maxEdges is the maximum number of drawn edges per version with AllEdges. Ranges of skipped
// versions can make as many edges per version as there are versions; the ones that a resolution
// prefers are drawn, and the others counted.
const maxEdges = 100

// Options configure a drawing. The zero value is the default.
type Options struct {
	// Channels are the names of the channels to draw; none means all.
	Channels []string
	// Installed are bundles to mark. A bundle outside a channel is drawn beside it, with its
	// upgrade edge into the channel, if any.
	Installed []graph.Installed
	// AllEdges draws every edge, up to 100 per version. Otherwise each version has its replaces
	// edges, the edge of the first entry that skips it, and the edge that a resolution prefers,
	// so that a channel in which each entry skips all earlier ones stays readable. [Text] shows
	// only the preferred edge, unless the tree already shows it.
	AllEdges bool
}

// mark is a property of a version in a picture.
type mark struct {
	kind markKind
	note string // detail of a mark, for the text
}

// markKind is the kind of a mark.
type markKind string

const (
	markInstalled   markKind = "installed"
	markHead        markKind = "head"
	markSkipped     markKind = "skipped"
	markVirtual     markKind = "virtual"
	markQuarantined markKind = "quarantined"
	markExcluded    markKind = "excluded"
	markDeprecated  markKind = "deprecated"
	markStranded    markKind = "stranded"
	markOutside     markKind = "not in the channel"
	markDeadEnd     markKind = "dead end"
)

// drawing is the input of all renderers.
type drawing struct {
	pkg   *graph.Package
	parts []part
	base  string // the name of most bundles without their versions
}

// part is a channel of a picture.
type part struct {
	channel *graph.Channel
	updates *graph.Updates
	known   map[string]nodeOf // by name
	first   map[string]int    // the first entry of each name
	rows    []row
	links   []link
}

// nodeOf is the drawn data of a bundle.
type nodeOf struct {
	order  int    // its index in the graph
	label  string // its version and release, or empty
	bundle *graph.Bundle
	given  bool // whether it is in Options.Installed
}

// row is a version of a picture. Rows are in reading order: from the head down, each skipped
// version below the entry that skips it, then entries off the chain, then versions outside the
// channel.
type row struct {
	name    string
	label   string // its name in a picture: the version if that says it all; inert
	version string // and release, inert, as far as the name lacks them
	base    string // the name without the version, if it ends with that
	marks   []mark
	entry   *graph.Entry // nil outside the channel
	index   int          // of the entry
	offered bool         // whether it is a candidate
	depth   int          // 0 on a chain, more for skipped ones
	parent  int          // the row that skips it, if depth > 0
	linked  bool         // whether it continues the chain of the last row of depth 0
	above   int          // that row, or -1
	more    int          // number of edges from it that are not drawn
	onPath  bool         // whether it is on the upgrade path from an installed version to the head
	folded  []row        // the versions that it represents instead of one
}

// link is an edge between rows.
type link struct {
	from, to int
	reasons  reasons
	live     bool // its target is a candidate
	taken    bool // preferred by a resolution
}

func (r *row) has(k markKind) bool {
	return slices.ContainsFunc(r.marks, func(m mark) bool { return m.kind == k })
}

func newDrawing(ctx context.Context, p *graph.Package, o Options) (*drawing, error) {
	pic, err := newParts(ctx, p, o)
	if err != nil {
		return nil, err
	}
	unlisted := pic.unlisted(o.Installed)
	err = pic.each(ctx, func(i int, pt *part) {
		pt.plan(ctx, unlisted[i])
		pt.climb()
		pt.mark(ctx)
		pt.link(ctx, o.AllEdges)
		pt.markPaths(o.Installed)
	})
	pic.label()
	return pic, err
}

// label names the versions of most bundles of a package by their versions alone.
func (p *drawing) label() {
	bases := make(map[string]int)
	for i := range p.parts {
		for _, r := range p.parts[i].rows {
			if r.base != "" {
				bases[r.base]++
			}
		}
	}
	for base, n := range bases {
		if most := bases[p.base]; n > most || n == most && base < p.base {
			p.base = base
		}
	}
	for i := range p.parts {
		for k := range p.parts[i].rows {
			if r := &p.parts[i].rows[k]; r.base != "" && r.base == p.base {
				_, version := text.SplitVersion(r.name)
				r.label = text.Name(version)
			}
		}
	}
}

// render draws a package.
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

// each calls do for the channels of a picture. The error is the cause of the end of ctx, which
// may have interrupted do.
func (p *drawing) each(ctx context.Context, do func(i int, p *part)) error {
	for i := range p.parts {
		if do(i, &p.parts[i]); ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// newParts returns a picture whose channels have no rows yet.
func newParts(ctx context.Context, p *graph.Package, o Options) (*drawing, error) {
	if p == nil {
		p = &graph.Package{}
	}
	p = p.Clone() // replaces nil pointers of package literals
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

// newPart finds a channel in its update graph.
func newPart(ctx context.Context, p *graph.Package, c *graph.Channel, installed []graph.Installed) (part, error) {
	alone := *p // the graph of this channel alone, whatever its name
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

// order returns the index of a bundle in the graph, or the maximum for an unknown name.
func (p *part) order(name string) int {
	if n, ok := p.known[name]; ok {
		return n.order
	}
	return len(p.known)
}

// stuck returns the bundles from which the head of a channel is unreachable, both listed and
// installed ones. It is empty without a head.
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

// unlisted returns for each channel the unlisted installed bundles to draw beside it: those with
// an edge into it, and in the first channel those without any.
func (p *drawing) unlisted(installed []graph.Installed) [][]string {
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

// climb finds for each row the row above it on the same chain.
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

// live reports whether an edge between two rows leads to a candidate.
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
			add(!followed[r.index], markHead, "") // several in an invalid channel
			add(e.SkippedBy() != "", markSkipped, "by "+text.Name(e.SkippedBy()))
			add(e.Bundle == nil, markVirtual, "")
			s := p.channel.Standing(e)
			r.offered = s.Offered
			add(s.Stranded, markStranded, "")
		}
		if b := n.bundle; b != nil {
			add(b.Quarantine != nil, markQuarantined, "")
			add(b.Barred, markExcluded, "")
			add(b.Deprecated, markDeprecated, text.Inert(b.Deprecation))
		}
		add(r.entry == nil, markOutside, "")
		add(stuck[r.name], markDeadEnd, "")
	}
}
