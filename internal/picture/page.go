package picture

import (
	"bufio"
	_ "embed" // the head and the style sheet
	"html/template"
	"io"
	"maps"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Sheet is the style sheet of all pages.
//
//go:embed sheet.css
var Sheet string

// head begins each page with {{template "head" "TITLE"}} and has the shared
// parts of pages.
//
//go:embed head.html
var head string

// Source is a picture with its sources. Texts in its pictures are escaped.
type Source interface {
	SVG() string
	Mermaid() string
	DOT() string
}

// Figure is a picture of a page, rendered by the template "figure", with its
// sources. It is drawn during rendering.
type Figure struct {
	// Of describes the content of the picture.
	Of string
	Source
}

// Inline returns the picture for inlining into HTML, without a name space. The
// picture comes from this package or package draw, so all text in it is
// escaped.
func (f *Figure) Inline() template.HTML {
	return template.HTML(strings.Replace(f.SVG(), ` xmlns="http://www.w3.org/2000/svg"`, "", 1)) //nolint:gosec // see above
}

// Drawn is a rendered picture with its sources; empty ones are hidden.
type Drawn struct{ Picture, InMermaid, InDOT string }

// SVG returns the picture.
func (d Drawn) SVG() string { return d.Picture }

// Mermaid returns the source.
func (d Drawn) Mermaid() string { return d.InMermaid }

// DOT returns the source.
func (d Drawn) DOT() string { return d.InDOT }

// breaks allows line breaks after slashes, so that words of a path or an API
// name stay whole.
func breaks(s string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(s), "/", `/<span class="cut"></span>`)) //nolint:gosec // escaped
}

// Parse parses a page, or parts of one. Besides funcs, it can use inert, name,
// lines and count of package text, breaks and figure, and the templates of the
// head.
func Parse(source string, funcs template.FuncMap) (*template.Template, error) {
	all := template.FuncMap{
		"inert":  text.Inert,
		"name":   text.Name,
		"lines":  text.Block,
		"count":  text.Count,
		"breaks": breaks,
		"figure": func(of string, s Source) *Figure { return &Figure{of, s} },
	}
	maps.Copy(all, funcs)
	return template.New("page").Funcs(all).Parse(head + `{{define "sheet"}}` + Sheet + `{{end}}` + source)
}

// WritePage renders a self-contained HTML page without external scripts,
// pictures or fonts, and declares so to the browser. The source begins with
// the template "head"; see [Parse]. Output is streamed, so that a write error
// stops it.
func WritePage(w io.Writer, source string, funcs template.FuncMap, data any) error {
	t, err := Parse(source, funcs)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 64<<10)
	if err := t.Execute(b, data); err != nil {
		return err
	}
	return b.Flush()
}
