package audit

import (
	"bytes"
	_ "embed" // the page
	"html/template"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/internal/diagram"
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
	page, err := template.New("audit").Funcs(template.FuncMap{
		"clean": text.Inert,
		"list":  func(names []string) string { return text.Inert(text.And(names)) },
		"where": func(n Note) string { return n.where() },
		"title": func(n Note) string { return n.Kind.title(len(n.Bundles)) },
		"lines": func(block string) []string {
			return strings.Split(text.Block(strings.TrimSuffix(block, "\n")), "\n")
		},
		"headline": r.headline,
		"further":  r.further,
		"picture": func(a *argument.Argument) template.HTML {
			if a == nil || drawn == maxPictures {
				return ""
			}
			drawn++
			return diagram.WithSource(a.SVG(), a.Mermaid())
		},
	}).Parse(pageSource)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Execute(&b, r); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// pageSource is the page. Each package is a section that can be folded.
//
//go:embed page.html
var pageSource string
