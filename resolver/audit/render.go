package audit

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// WriteText writes the report as plain text: the counts, the notes by package, and the clashes.
// The text may change in any release.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s.\n", r.Headline())
	if skipped := r.skipped(); skipped != "" {
		fmt.Fprintln(&b, skipped)
	}
	if more := r.Further(); more != "" {
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
				fmt.Fprintf(b, "    %s: %s\n", note.Where(), text.Inert(note.Reason))
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
