package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// MaxLines bounds the lines that [Report.WriteText] writes of each kind of note, of the groups that
// are never installable together and of the APIs. It counts the others.
const MaxLines = 1000

// maxListed bounds the packages listed for an API.
const maxListed = 20

// WriteText writes the report as plain text: the counts, the notes by package, and the clashes,
// each at most [MaxLines] long. Packages with the most such bundles come first. The text may change
// in any release.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s.\n", r.Headline())
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
	var list []*Package
	for i := range r.Packages {
		if r.Packages[i].noted(kind) > 0 {
			list = append(list, &r.Packages[i])
		}
	}
	slices.SortStableFunc(list, func(x, y *Package) int { return cmp.Compare(y.noted(kind), x.noted(kind)) })
	lines := 0
	for _, p := range list {
		if lines < MaxLines {
			fmt.Fprintf(b, "  %s of %s\n", text.Inert(p.Package), text.Inert(p.Catalog))
		}
		for k := range p.Notes {
			if note := &p.Notes[k]; note.Kind == kind {
				if lines++; lines <= MaxLines {
					fmt.Fprintf(b, "    %s: %s\n", note.Where(), text.Inert(note.Reason))
				}
			}
		}
	}
	further(b, "    ", lines)
}

// further writes how many lines beyond [MaxLines] are not written.
func further(b *bytes.Buffer, indent string, lines int) {
	if n := lines - MaxLines; n > 0 {
		fmt.Fprintf(b, "%s… and %d more; use -o json for all\n", indent, n)
	}
}

func (r *Report) clashesText(b *bytes.Buffer) {
	if len(r.Summary.Apart) > 0 {
		b.WriteString("\nPackages that can never be installed together, whatever their versions:\n")
		for _, group := range r.Summary.Apart[:min(len(r.Summary.Apart), MaxLines)] {
			fmt.Fprintf(b, "  %s\n", text.Inert(text.And(group)))
		}
		further(b, "  ", len(r.Summary.Apart))
	}
	if n := r.Summary.NotCompared; n > 0 {
		fmt.Fprintf(b, "\n%s of packages that provide the same API were not compared, because there are too many.\n", text.Count(n, "pair", "pairs"))
	}
	if len(r.Summary.Clashes) > 0 {
		b.WriteString("\nAPIs of several packages, of which not all versions can be installed together:\n")
		for _, c := range r.Summary.Clashes[:min(len(r.Summary.Clashes), MaxLines)] {
			packages := strings.Join(c.Packages, ", ")
			if len(c.Packages) > maxListed {
				packages = text.Short(c.Packages, maxListed)
			}
			fmt.Fprintf(b, "  %s: %s\n", text.Inert(c.GVK), text.Inert(packages))
		}
		further(b, "  ", len(r.Summary.Clashes))
	}
}
