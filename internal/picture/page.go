package picture

import (
	"bufio"
	_ "embed" // the head, and the style sheet
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

// head begins each page: {{template "head" "TITLE"}}, and has the parts that pages share.
//
//go:embed head.html
var head string

// Source is what can be drawn. The texts in its pictures are escaped.
type Source interface {
	SVG() string
	Mermaid() string
	DOT() string
}

// Figure is a picture as a page shows it, by the template "figure": with the sources that
// it has. It is drawn when the page comes to it.
type Figure struct {
	// Of says what the picture shows.
	Of string
	Source
}

// Inline is the picture as a part of a page of HTML, which needs no name space for it. The
// picture is one of this package or of package draw: all text in it is escaped.
func (f *Figure) Inline() template.HTML {
	return template.HTML(strings.Replace(f.SVG(), ` xmlns="http://www.w3.org/2000/svg"`, "", 1)) //nolint:gosec // see above
}

// Drawn is a picture that is drawn already, with its sources; what is empty is not shown.
type Drawn struct{ Picture, InMermaid, InDOT string }

// SVG returns the picture.
func (d Drawn) SVG() string { return d.Picture }

// Mermaid returns the source.
func (d Drawn) Mermaid() string { return d.InMermaid }

// DOT returns the source.
func (d Drawn) DOT() string { return d.InDOT }

// breaks lets lines break behind a slash, so that no word of a path or of an API's name is
// broken.
func breaks(s string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(s), "/", `/<span class="cut"></span>`)) //nolint:gosec // escaped
}

// Parse parses a page, or parts of one. Besides funcs it can use inert, name, lines and
// count of package text, breaks and figure, and the templates of the head.
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

// WritePage fills in a page of HTML that needs nothing else: no script, no picture, no font
// from elsewhere, and that says so to the browser. It begins with the template "head"; see
// [Parse]. It is written piece by piece, so that it ends where w refuses more.
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
