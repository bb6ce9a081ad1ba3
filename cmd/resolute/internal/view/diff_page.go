package view

import (
	"context"
	_ "embed"
	"html/template"
	"io"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// diffSource is the template of the page.
//
//go:embed diff.html
var diffSource string

// maxDrawn bounds the packages with drawn graphs, those with findings first, and maxDrawnBytes
// the size of a picture, to keep the page usable.
const (
	maxDrawn      = 40
	maxDrawnBytes = 1 << 20
)

// drawnPackage is a package with its findings and update graphs.
type drawnPackage struct {
	Name          string
	Worse, Better []catalogdiff.Finding
	Changes       []catalogdiff.Change
	Old, New      *htmldoc.Figure
	Note          string
}

// writeHTML writes a comparison as an HTML page.
func (d *Diff) writeHTML(ctx context.Context, w io.Writer) error {
	packages, err := d.packages(ctx)
	if err != nil {
		return err
	}
	funcs := template.FuncMap{"line": func(c catalogdiff.Change) string { return changeLine(&c) }}
	return htmldoc.Write(ctx, w, diffSource, funcs, map[string]any{"Report": d.Report, "Found": d.Found, "Packages": packages})
}

// packages returns the packages with changes or findings, and draws the first ones.
func (d *Diff) packages(ctx context.Context) ([]*drawnPackage, error) {
	byName := make(map[string]*drawnPackage)
	var list []*drawnPackage
	get := func(name string) *drawnPackage {
		if byName[name] == nil {
			byName[name] = &drawnPackage{Name: name}
			list = append(list, byName[name])
		}
		return byName[name]
	}
	for _, f := range d.Found.Worse {
		p := get(f.Package)
		p.Worse = append(p.Worse, f)
	}
	for _, f := range d.Found.Better {
		p := get(f.Package)
		p.Better = append(p.Better, f)
	}
	for _, c := range d.Found.Changes {
		p := get(c.Package)
		p.Changes = append(p.Changes, c)
	}
	for i, p := range list {
		if i >= maxDrawn {
			p.Note = "Not drawn: the page has too many update graphs. Run resolute graph to draw this one."
			continue
		}
		if !slices.Contains(d.Found.Changed, p.Name) {
			continue // unchanged graph
		}
		if err := d.draw(ctx, p); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// draw draws both update graphs of a package.
func (d *Diff) draw(ctx context.Context, p *drawnPackage) error {
	for _, state := range []struct {
		of      string
		content *cache.Catalog
		to      **htmldoc.Figure
	}{{"The update graph before", d.old, &p.Old}, {"The update graph after", d.now, &p.New}} {
		pkg := state.content.Package(p.Name)
		if pkg == nil {
			continue
		}
		drawn, err := Drawn(ctx, draw.SVG, pkg, draw.Options{})
		if err != nil {
			return err
		}
		if len(drawn) > maxDrawnBytes {
			p.Note = "The update graph is too large for this page. Run resolute graph to draw it."
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
