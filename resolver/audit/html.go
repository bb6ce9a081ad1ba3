package audit

import (
	_ "embed" // the page
	"html/template"
	"io"

	"github.com/seed109e2655/resolute/internal/diagram"
	"github.com/seed109e2655/resolute/internal/page"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// maxPictures bounds the conflicts that a page draws; the others are there as text.
const maxPictures = 50

// WriteHTML writes the report as one page of HTML that needs nothing else: no
// script, no picture, no font from elsewhere. Whatever is in the names and texts
// of a catalog is shown as text. The first 50 conflicts are drawn as well, but those that
// were read from JSON.
func (r *Report) WriteHTML(w io.Writer) error {
	drawn := 0
	return page.Write(w, pageSource, template.FuncMap{
		"list":     func(names []string) string { return text.Inert(text.And(names)) },
		"where":    func(n Note) string { return n.where() },
		"title":    func(n Note) string { return n.Kind.title(len(n.Bundles)) },
		"headline": r.headline,
		"further":  r.further,
		"picture": func(a *argument.Argument) template.HTML {
			if a == nil || drawn == maxPictures {
				return ""
			}
			drawn++
			return diagram.WithSource(a.SVG(), a.Mermaid())
		},
	}, r)
}

// pageSource is the page. Each package is a section that can be folded.
//
//go:embed page.html
var pageSource string
