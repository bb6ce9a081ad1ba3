package view

import (
	"context"
	"io"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// maxDrawn bounds the packages with drawn graphs, those with findings first, and maxDrawnBytes
// the size of a picture, to keep the page usable.
const (
	maxDrawn      = 40
	maxDrawnBytes = 1 << 20
)

// writeHTML writes a comparison as an HTML page, with a group for each package.
func (d *Diff) writeHTML(ctx context.Context, w io.Writer) error {
	headline, tone := "No regressions", toneYes
	if n := len(d.Found.Worse); n > 0 {
		headline, tone = text.Count(n, "regression", "regressions"), toneNo
	}
	p := newFindingsPage("diff", headline+" in "+text.Inert(d.Report.Title), tone, d.Report.Summary)
	packages := make(map[*findingGroup]string)
	group := func(name string) *findingGroup {
		shown := name
		if name == "" {
			shown = wholeCatalog
		}
		g := p.group(shown)
		packages[g] = name
		return g
	}
	for i := range d.Report.Findings {
		f := &d.Report.Findings[i]
		group(f.Subject[diffPackage]).add(findingRowOf(f, diffCode(f)))
	}
	for i := range d.Report.Better {
		f := &d.Report.Better[i]
		row := findingRowOf(f, diffCode(f))
		row.Kind = rowBetter
		group(f.Subject[diffPackage]).add(row)
	}
	for i := range d.Found.Changes {
		c := &d.Found.Changes[i]
		group(c.Package).change(changeLine(c))
	}
	p.finish()
	for i, g := range p.Groups {
		if i >= maxDrawn {
			g.Note = "Not drawn: the page has too many update graphs. Run resolute graph to draw this one."
			continue
		}
		if !slices.Contains(d.Found.Changed, packages[g]) {
			continue // unchanged graph
		}
		if err := d.draw(ctx, g, packages[g]); err != nil {
			return err
		}
	}
	return p.write(ctx, w)
}

// wholeCatalog is the group of findings that concern no package.
const wholeCatalog = "The catalog as a whole"

// diffCode returns the code of a finding, with the problem it is about.
func diffCode(f *report.Finding) string {
	if problem := f.Subject[diffProblem]; problem != "" {
		return f.Code + " " + problem
	}
	return f.Code
}

// draw draws both update graphs of a package.
func (d *Diff) draw(ctx context.Context, g *findingGroup, name string) error {
	for _, state := range []struct {
		of      string
		content *cache.Catalog
		to      **htmldoc.Figure
	}{{"The update graph before", d.old, &g.Old}, {"The update graph after", d.now, &g.New}} {
		pkg := state.content.Package(name)
		if pkg == nil {
			continue
		}
		drawn, err := Drawn(ctx, draw.SVG, pkg, draw.Options{})
		if err != nil {
			return err
		}
		if len(drawn) > maxDrawnBytes {
			g.Note = "The update graph is too large for this page. Run resolute graph to draw it."
			continue
		}
		source, err := Drawn(ctx, draw.Mermaid, pkg, draw.Options{})
		if err != nil {
			return err
		}
		*state.to = htmldoc.NewFigures(ctx).New(state.of, htmldoc.Drawn{Picture: drawn, InMermaid: source})
	}
	return nil
}
