package view

import (
	"context"
	_ "embed" // the pages
	"io"
	"slices"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// readySource is the template of the page.
//
//go:embed ready.html
var readySource string

// MaxSections bounds the clusters with their own section, those that are not ready first.
const MaxSections = 200

// ReadyPage collects reports for a page. It keeps only those that are shown.
type ReadyPage struct {
	todo, fine []*upgrade.Report
	total      int
}

// NewReadyPage returns an empty page.
func NewReadyPage() *ReadyPage { return &ReadyPage{} }

// Add adds a report. The error is always nil.
func (p *ReadyPage) Add(r *upgrade.Report) error {
	p.total++
	list := &p.todo
	if r.Status == upgrade.Ready {
		list = &p.fine
	}
	if len(*list) < MaxSections {
		*list = append(*list, r)
	}
	return nil
}

// Write writes the page. Charts that are not drawn before ctx ends are replaced by a note.
func (p *ReadyPage) Write(ctx context.Context, w io.Writer, s *upgrade.Summary) error {
	figures := htmldoc.NewFigures(ctx)
	var sections []readySection
	for _, r := range slices.Concat(p.todo, p.fine) {
		if len(sections) < MaxSections {
			sections = append(sections, readySection{r, pathChart(figures, r)})
		}
	}
	return htmldoc.Write(context.WithoutCancel(ctx), w, readySource, nil, map[string]any{
		"Summary": s, "Sections": sections, "Omitted": p.total - len(sections),
	})
}

// readySection is the section of a cluster.
type readySection struct {
	*upgrade.Report
	Chart *htmldoc.Figure
}

// pathChart draws the bundle of each changing operator before and after each step, and the
// moves of the cluster. It returns nil if nothing changes.
func pathChart(figures *htmldoc.Figures, r *upgrade.Report) *htmldoc.Figure {
	columns := []string{"now"}
	var rows []draw.Row
	at := make(map[string]int) // row by package
	row := func(pkg string) *draw.Row {
		i, ok := at[pkg]
		if !ok {
			i = len(rows)
			at[pkg] = i
			rows = append(rows, draw.Row{Name: pkg, Cells: make([]string, len(columns))})
		}
		return &rows[i]
	}
	for i := range r.Operators {
		if o := &r.Operators[i]; o.Verdict != upgrade.Fine && o.Bundle != "" {
			row(rowName(o.Namespace, o.Package)).Cells[0] = o.Bundle
		}
	}
	column := func(title string) {
		columns = append(columns, title)
		for i := range rows {
			rows[i].Cells = append(rows[i].Cells, rows[i].Cells[len(columns)-2])
		}
	}
	moved := make(map[string]bool)
	open := false
	for _, s := range r.Order {
		if s.Moves() {
			column(moveTitle(s))
			open = false
			continue
		}
		name := rowName(s.Namespace, s.Package)
		if !open || moved[name] {
			column(s.When)
			open, moved = true, make(map[string]bool)
		}
		moved[name] = true
		cells := row(name).Cells
		if cells[0] == "" && s.Replaces != "" {
			for i := range len(columns) - 1 {
				cells[i] = s.Replaces
			}
		}
		cells[len(columns)-1] = s.Bundle
	}
	return chartFigure(figures, "Upgrade path", columns, rows, "")
}

// moveTitle returns the version that a cluster moves to.
func moveTitle(s upgrade.Step) string {
	switch {
	case s.OpenShift != "":
		return "OpenShift " + s.OpenShift
	case s.Kubernetes != "":
		return "Kubernetes " + s.Kubernetes
	}
	return "upgrade"
}

// rowName returns the row label of a package, with its namespace if there are several.
func rowName(namespace, pkg string) string {
	if namespace == "" {
		return pkg
	}
	return namespace + "/" + pkg
}
