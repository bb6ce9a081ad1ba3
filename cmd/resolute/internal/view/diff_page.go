package view

import (
	"context"
	_ "embed"
	"html/template"
	"io"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/picture"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// diffSource is the page that shows a comparison.
//
//go:embed diff.html
var diffSource string

// maxDrawn bounds the packages whose graphs are drawn, those with findings first,
// and maxDrawnBytes a single picture: more makes a page that nobody can open.
const (
	maxDrawn      = 40
	maxDrawnBytes = 1 << 20
)

// drawnPackage is a package with its findings and both of its update graphs.
type drawnPackage struct {
	Name          string
	Worse, Better []catalogdiff.Finding
	Changes       []catalogdiff.Change
	Old, New      *picture.Figure
	Note          string
}

// writeHTML writes a comparison as one page.
func (d *Diff) writeHTML(ctx context.Context, w io.Writer) error {
	packages, err := d.packages(ctx)
	if err != nil {
		return err
	}
	funcs := template.FuncMap{"line": func(c catalogdiff.Change) string { return changeLine(&c) }}
	return picture.WritePage(w, diffSource, funcs, map[string]any{"Report": d.Report, "Found": d.Found, "Packages": packages})
}

// packages are those that changed or that something was found about, and draws the
// first of them.
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
			p.Note = "The update graphs of further packages are not drawn; resolute graph draws them."
			continue
		}
		if !slices.Contains(d.Found.Changed, p.Name) {
			continue // the graph is as it was
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
		to      **picture.Figure
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
			p.Note = "The update graph is too large to be drawn here; resolute graph draws it."
			continue
		}
		source, err := Drawn(ctx, draw.Mermaid, pkg, draw.Options{})
		if err != nil {
			return err
		}
		*state.to = &picture.Figure{Of: state.of, Source: picture.Drawn{Picture: drawn, InMermaid: source}}
	}
	return nil
}
