package main

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// diffPage is the page that shows a comparison. It needs nothing else.
//
//go:embed diff.html
var diffPage string

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
	Old, New      template.HTML
	Note          string
}

// writeHTML writes a comparison as one page.
func (d *diffView) writeHTML(w io.Writer) error {
	page, err := template.New("diff").Funcs(template.FuncMap{"plain": plain, "line": func(c catalogdiff.Change) string { return changeLine(&c) }}).Parse(diffPage)
	if err != nil {
		return err
	}
	packages, err := d.packages()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Execute(&b, map[string]any{"Report": d.report, "Found": d.found, "Packages": packages}); err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}

// packages are those that changed or that something was found about, and draws the
// first of them.
func (d *diffView) packages() ([]*drawnPackage, error) {
	byName := make(map[string]*drawnPackage)
	var list []*drawnPackage
	get := func(name string) *drawnPackage {
		if byName[name] == nil {
			byName[name] = &drawnPackage{Name: name}
			list = append(list, byName[name])
		}
		return byName[name]
	}
	for _, f := range d.found.Worse {
		p := get(f.Package)
		p.Worse = append(p.Worse, f)
	}
	for _, f := range d.found.Better {
		p := get(f.Package)
		p.Better = append(p.Better, f)
	}
	for _, c := range d.found.Changes {
		p := get(c.Package)
		p.Changes = append(p.Changes, c)
	}
	for i, p := range list {
		if i >= maxDrawn {
			p.Note = "The update graphs of further packages are not drawn; resolute graph draws them."
			continue
		}
		if !slices.Contains(d.found.Changed, p.Name) {
			continue // the graph is as it was
		}
		if err := d.draw(p); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// draw draws both update graphs of a package.
func (d *diffView) draw(p *drawnPackage) error {
	for _, state := range []struct {
		content *cache.Catalog
		to      *template.HTML
	}{{d.old, &p.Old}, {d.now, &p.New}} {
		pkg := state.content.Package(p.Name)
		if pkg == nil {
			continue
		}
		var b bytes.Buffer
		if err := graph.WriteSVG(&b, pkg, graph.SVGOptions{}); err != nil {
			return err
		}
		if b.Len() > maxDrawnBytes {
			p.Note = "The update graph is too large to be drawn here; resolute graph draws it."
			continue
		}
		*state.to = template.HTML(b.String()) //nolint:gosec // package graph escapes all text in it
	}
	return nil
}
