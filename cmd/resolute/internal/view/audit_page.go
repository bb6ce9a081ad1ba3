package view

import (
	"context"
	_ "embed" // the template
	"html/template"
	"io"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// auditSource is the template of the page. Each package is a section that can be folded.
//
//go:embed audit.html
var auditSource string

// WriteAudit writes an audit as an HTML page. The first [maxConflicts] conflicts are also drawn,
// except those read from JSON.
func WriteAudit(ctx context.Context, w io.Writer, r *audit.Report) error {
	figures, drawn := htmldoc.NewFigures(ctx), 0
	return htmldoc.Write(ctx, w, auditSource, template.FuncMap{
		"list": func(names []string) string { return text.Inert(text.And(names)) },
		"tone": func() string {
			if r.Summary.Installable == r.Summary.Bundles && r.Summary.Stuck+r.Summary.Incomplete == 0 && r.Summary.Shard == "" {
				return toneYes
			}
			return toneBut
		},
		"picture": func(a *argument.Argument) *htmldoc.Figure {
			if a == nil || drawn == maxConflicts {
				return nil
			}
			drawn++
			return figures.New("The conflict as a graph", draw.Conflict(a))
		},
	}, r)
}
