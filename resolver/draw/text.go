package draw

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

// Text draws the update graph of a package as a tree of text: for each channel the chain from
// the head down, one line per version, with the skipped versions under each entry. A filled
// bullet is a candidate. An arrow shows the upgrade target of a version unless the tree does.
//
// Names with characters other than letters, digits and the usual punctuation are quoted and
// escaped, so that the output is safe for a terminal. The error is that of the writer, an
// [*graph.UnknownChannelError], or the cause of the end of ctx.
func Text(ctx context.Context, w io.Writer, p *graph.Package, o Options) error {
	return render(ctx, w, p, o, func(b *bufio.Writer, pic *drawing) error {
		t := &textWriter{w: b, all: o.AllEdges}
		t.title(pic)
		return pic.each(ctx, func(_ int, p *part) { t.part(ctx, p) })
	})
}

// textWriter writes a picture as text. Its writer keeps errors.
type textWriter struct {
	w   *bufio.Writer
	all bool // draw all edges
}

// title writes the state of the whole package.
func (t *textWriter) title(pic *drawing) {
	p := pic.pkg
	fmt.Fprintf(t.w, "package %s", text.Name(p.Name))
	if p.DefaultChannel != "" {
		fmt.Fprintf(t.w, ", default channel %s", text.Name(p.DefaultChannel))
	}
	fmt.Fprintln(t.w)
	t.state(p.Deprecated, p.Deprecation, p.Quarantine)
	if len(pic.parts) == 0 {
		fmt.Fprintln(t.w, "no channels")
	}
}

// state writes the quarantine and the deprecation of a package or channel.
func (t *textWriter) state(deprecated bool, message string, q *graph.Problem) {
	if q != nil {
		fmt.Fprintf(t.w, "quarantined: %s\n", text.Inert(q.Message))
	}
	if deprecated {
		fmt.Fprintf(t.w, "%s\n", withNote("deprecated", text.Inert(message)))
	}
}

// withNote returns "word: note", or just the word.
func withNote(word, note string) string {
	if note == "" {
		return word
	}
	return word + ": " + note
}

func (t *textWriter) part(ctx context.Context, p *part) {
	c := p.channel
	fmt.Fprintf(t.w, "\nchannel %s: %s\n", text.Name(c.Name), p.summary())
	t.state(c.Deprecated, c.Deprecation, c.Quarantine)
	prefix := t.prefixes(p)
	names, versions := 0, 0
	for i := range p.rows {
		names = max(names, min(picture.Columns(prefix[i])+picture.Columns(text.Name(p.rows[i].name)), 60))
		versions = max(versions, min(picture.Columns(p.rows[i].version), 24))
	}
	for i, r := range picture.Each(ctx, p.rows) {
		if i > 0 && r.depth == 0 && !r.linked {
			fmt.Fprintln(t.w) // start of another chain
		}
		name, version := prefix[i]+text.Name(r.name), r.version
		line := pad(name, names)
		if versions > 0 {
			line += "  " + pad(version, versions)
		}
		line += "  " + strings.Join(append(r.notes(), t.successors(p, i)...), ", ")
		fmt.Fprintln(t.w, strings.TrimRight(line, " "))
	}
}

// summary counts the entries of a channel and names its head.
func (p *part) summary() string {
	if head := p.channel.Head(); head != nil {
		return p.counts() + ", head " + text.Name(head.Name)
	}
	return p.counts()
}

func (p *part) counts() string {
	c := p.channel
	offered := 0
	for i := range c.Entries {
		if c.Standing(&c.Entries[i]).Offered {
			offered++
		}
	}
	said := text.Count(len(c.Entries), "entry", "entries")
	if offered < len(c.Entries) {
		said += fmt.Sprintf(", %d offered", offered)
	}
	return said
}

// prefixes returns the tree lines to the left of each name.
func (t *textWriter) prefixes(p *part) []string {
	out := make([]string, len(p.rows))
	var more [maxDepth + 1]bool // whether another row follows at a depth
	for i := len(p.rows) - 1; i >= 0; i-- {
		r := &p.rows[i]
		var b strings.Builder
		for d := 1; d <= r.depth; d++ {
			switch follows := more[d] || d == 1 && more[0]; {
			case d < r.depth && follows:
				b.WriteString("│ ")
			case d < r.depth:
				b.WriteString("  ")
			case follows:
				b.WriteString("├─")
			default:
				b.WriteString("└─")
			}
		}
		if r.offered {
			b.WriteString("● ")
		} else {
			b.WriteString("○ ")
		}
		out[i] = b.String()
		for d := r.depth + 1; d <= maxDepth; d++ {
			more[d] = false
		}
		more[r.depth] = r.depth > 0 || r.linked
	}
	return out
}

// notes returns the marks of a row in words.
func (r *row) notes() []string {
	var out []string
	for _, m := range r.marks {
		switch m.kind {
		case markSkipped:
			out = append(out, "skipped "+m.note)
		case markDeprecated:
			out = append(out, withNote("deprecated", m.note))
		default:
			out = append(out, string(m.kind))
		}
	}
	return out
}

// successors describes the upgrade targets of a row, as configured.
func (t *textWriter) successors(p *part, i int) []string {
	say := func(e graph.Edge) string {
		return fmt.Sprintf("→ %s (%s)", text.Name(e.To), reasonsOf(e))
	}
	name := p.rows[i].name
	if !t.all {
		if e, ok := p.updates.Next(name); ok && !p.shows(i, e.To) {
			return []string{say(e)}
		}
		return nil
	}
	var out []string
	for e := range p.updates.From(name) {
		if len(out) == maxEdges {
			return append(out, text.Count(p.updates.Count(name)-maxEdges, "more edge", "more edges"))
		}
		out = append(out, say(e))
	}
	return out
}

// shows reports whether the tree already shows an upgrade: to the next row of the chain above,
// or to the parent.
func (p *part) shows(i int, to string) bool {
	r := &p.rows[i]
	if r.depth > 0 {
		return p.rows[r.parent].name == to
	}
	return r.above >= 0 && p.rows[r.above].name == to
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-picture.Columns(s)))
}
