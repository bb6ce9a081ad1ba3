package view

import (
	"context"
	_ "embed" // the template
	"fmt"
	"html/template"
	"io"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// auditSource is the template of the page. Each package is a section that can be folded.
//
//go:embed audit.html
var auditSource string

// auditPage is an audit, with the packages that are shown.
type auditPage struct {
	*audit.Report
	// Noted are the packages with notes, and Troubled and Fine those with and without problems. Each
	// begins with the most troubled one. The page has [MaxRows] notes, packages, groups and APIs; the
	// numbers count the others.
	Noted, Troubled, Fine      []auditPackage
	OmittedNotes, OmittedRows  int
	OmittedGroups, OmittedAPIs int
}

// auditPackage is a package with the anchor of its notes; empty if it has none.
type auditPackage struct {
	audit.Package
	ID string
}

// newAuditPage returns the page of an audit.
func newAuditPage(r *audit.Report) *auditPage {
	shown := *r
	p := &auditPage{Report: &shown}
	notes := MaxRows
	packages, more := first(r.Troubled())
	p.OmittedRows = more
	for _, pkg := range packages {
		row := auditPackage{Package: pkg}
		n := min(len(pkg.Notes), notes)
		p.OmittedNotes += len(pkg.Notes) - n
		if row.Notes, notes = pkg.Notes[:n], notes-n; n > 0 {
			row.ID = fmt.Sprintf("p%d", len(p.Noted))
			p.Noted = append(p.Noted, row)
		}
		if pkg.Trouble() > 0 {
			p.Troubled = append(p.Troubled, row)
		} else {
			p.Fine = append(p.Fine, row)
		}
	}
	shown.Summary.Apart, p.OmittedGroups = first(r.Summary.Apart)
	shown.Summary.Clashes, p.OmittedAPIs = first(r.Summary.Clashes)
	return p
}

// first returns the first [MaxRows] elements of a list, and the number of the others.
func first[T any](list []T) (shown []T, more int) {
	shown = list[:min(len(list), MaxRows)]
	return shown, len(list) - len(shown)
}

// WriteAudit writes an audit as an HTML page. The first [maxConflicts] conflicts are also drawn,
// except those read from JSON.
func WriteAudit(ctx context.Context, w io.Writer, r *audit.Report) error {
	figures, drawn := htmldoc.NewFigures(ctx), 0
	return htmldoc.Write(ctx, w, auditSource, template.FuncMap{
		"list": func(names []string) string { return text.Inert(text.Short(names, maxNames)) },
		"tone": func() string {
			switch {
			case r.Clean() && r.Summary.Shard == "":
				return toneYes
			case r.NotInstallable()+r.Summary.Stuck > 0:
				return toneNo
			}
			return toneBut
		},
		"argument": func(c *resolver.Conflict) *argument.Argument {
			if c == nil || c.Words != "" {
				return nil
			}
			return c.Argument()
		},
		"picture": func(a *argument.Argument) *htmldoc.Figure {
			if drawn == maxConflicts {
				return nil
			}
			drawn++
			return figures.New("The conflict, left to right", draw.Conflict(a))
		},
	}, newAuditPage(r))
}

// maxNames bounds the listed packages of a group.
const maxNames = 100
