package audit

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/picture"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// WriteText writes the report as plain text: the counts, the notes by package, and the clashes.
// The text may change in any release.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s.\n", r.headline())
	if skipped := r.skipped(); skipped != "" {
		fmt.Fprintln(&b, skipped)
	}
	if more := r.further(); more != "" {
		fmt.Fprintf(&b, "Of all bundles: %s.\n", more)
	}
	for _, kind := range []string{"notInstallable", "stuck", "deprecated", "orphans", "incomplete"} {
		r.notesText(&b, kind)
	}
	r.clashesText(&b)
	what := ""
	if r.Summary.Shard != "" {
		what = fmt.Sprintf(" (shard %s only)", text.Inert(r.Summary.Shard))
	}
	fmt.Fprintf(&b, "\nAudited in %.1f s%s.\n", r.Summary.Seconds, what)
	_, err := w.Write(b.Bytes())
	return err
}

func (r *Report) notesText(b *bytes.Buffer, kind string) {
	n := r.noted(kind)
	if n == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s %s:\n", text.Count(n, "bundle", "bundles"), title(kind, n))
	for i := range r.Packages {
		p := &r.Packages[i]
		if !slices.ContainsFunc(p.Notes, func(n Note) bool { return n.Kind == kind }) {
			continue
		}
		fmt.Fprintf(b, "  %s of %s\n", text.Inert(p.Package), text.Inert(p.Catalog))
		for k := range p.Notes {
			if note := &p.Notes[k]; note.Kind == kind {
				fmt.Fprintf(b, "    %s: %s\n", note.where(), text.Inert(note.Reason))
			}
		}
	}
}

func (r *Report) clashesText(b *bytes.Buffer) {
	if len(r.Summary.Apart) > 0 {
		b.WriteString("\nPackages that can never be installed together, whatever their versions:\n")
		for _, group := range r.Summary.Apart {
			fmt.Fprintf(b, "  %s\n", text.Inert(text.And(group)))
		}
	}
	if n := r.Summary.NotCompared; n > 0 {
		fmt.Fprintf(b, "\n%s of packages that provide the same API were not compared, because there are too many.\n", text.Count(n, "pair", "pairs"))
	}
	if len(r.Summary.Clashes) > 0 {
		b.WriteString("\nAPIs of several packages, of which not all versions can be installed together:\n")
		for _, c := range r.Summary.Clashes {
			fmt.Fprintf(b, "  %s: %s\n", text.Inert(c.GVK), text.Inert(strings.Join(c.Packages, ", ")))
		}
	}
}

// maxPictures limits the drawn conflicts of a page; the others are text only.
const maxPictures = 50

// WriteHTML writes the report as a self-contained HTML page without scripts, images or fonts from
// other sources. Names and texts of a catalog are escaped. The first 50 conflicts are also drawn,
// except those read from JSON.
func (r *Report) WriteHTML(w io.Writer) error {
	drawn := 0
	return picture.WritePage(w, pageSource, template.FuncMap{
		"list":     func(names []string) string { return text.Inert(text.And(names)) },
		"where":    func(n Note) string { return n.where() },
		"title":    func(n Note) string { return title(n.Kind, len(n.Bundles)) },
		"headline": r.headline,
		"further":  r.further,
		"tone": func() string {
			if r.Summary.Installable == r.Summary.Bundles && r.Summary.Stuck+r.Summary.Incomplete == 0 && r.Summary.Shard == "" {
				return "yes"
			}
			return "but"
		},
		"picture": func(a *argument.Argument) *picture.Figure {
			if a == nil || drawn == maxPictures {
				return nil
			}
			drawn++
			return &picture.Figure{Of: "The conflict as a graph", Source: draw.Conflict(a)}
		},
	}, r)
}

// pageSource is the page. Each package is a section that can be folded.
//
//go:embed page.html
var pageSource string
