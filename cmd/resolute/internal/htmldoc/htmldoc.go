// Package htmldoc writes self-contained HTML pages: their head, style sheet and figures.
package htmldoc

import (
	"bufio"
	"context"
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

// head begins each page with {{template "head" "TITLE"}} and has the shared parts of pages.
//
//go:embed head.html
var head string

// Source is a picture with its sources, as package draw makes them. Texts in its pictures are
// escaped.
type Source interface {
	WriteSVG(ctx context.Context, w io.Writer) error
	WriteMermaid(ctx context.Context, w io.Writer) error
	WriteDOT(ctx context.Context, w io.Writer) error
}

// Figures are the pictures of a page. They are drawn during rendering. Once the context has ended, a
// note replaces each further one, so that an answer which took all the time is still shown. Figures
// are not safe for concurrent use.
type Figures struct {
	ctx   context.Context
	ended bool
}

// NewFigures returns figures that are drawn until ctx ends.
func NewFigures(ctx context.Context) *Figures { return &Figures{ctx: ctx} }

// New returns a picture. The text describes its content.
func (f *Figures) New(of string, source Source) *Figure { return &Figure{of, f, source} }

// Figure is a picture with its sources, rendered by the template "figure".
type Figure struct {
	// Of describes the content of the picture.
	Of     string
	of     *Figures
	source Source
}

// notDrawn replaces a picture after the end of its context.
const notDrawn = `<p class="soft">Not drawn: the time limit was reached.</p>`

// Inline returns the picture for inlining into HTML, without a name space. The picture comes from
// package draw, so all text in it is escaped.
func (f *Figure) Inline() (template.HTML, error) {
	svg, err := f.of.written(f.source.WriteSVG)
	if f.of.ended {
		return notDrawn, nil
	}
	return template.HTML(strings.Replace(svg, ` xmlns="http://www.w3.org/2000/svg"`, "", 1)), err //nolint:gosec // see above
}

// Mermaid returns the source; empty if there is none.
func (f *Figure) Mermaid() (string, error) { return f.of.written(f.source.WriteMermaid) }

// DOT returns the source; empty if there is none.
func (f *Figure) DOT() (string, error) { return f.of.written(f.source.WriteDOT) }

// written returns a form of a picture, or "" if the context has ended.
func (f *Figures) written(form func(context.Context, io.Writer) error) (string, error) {
	if f.ended {
		return "", nil
	}
	var b strings.Builder
	err := form(f.ctx, &b)
	if f.ended = f.ctx.Err() != nil; f.ended {
		return "", nil
	}
	return b.String(), err
}

// Drawn is a rendered picture with its sources; empty ones are hidden.
type Drawn struct{ Picture, InMermaid, InDOT string }

// WriteSVG writes the picture.
func (d Drawn) WriteSVG(_ context.Context, w io.Writer) error { return write(w, d.Picture) }

// WriteMermaid writes the source.
func (d Drawn) WriteMermaid(_ context.Context, w io.Writer) error { return write(w, d.InMermaid) }

// WriteDOT writes the source.
func (d Drawn) WriteDOT(_ context.Context, w io.Writer) error { return write(w, d.InDOT) }

func write(w io.Writer, s string) error {
	_, err := io.WriteString(w, s)
	return err
}

// breaks allows line breaks after slashes, so that words of a path or an API name stay whole.
func breaks(s string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(s), "/", `/<span class="cut"></span>`)) //nolint:gosec // escaped
}

// Parse parses a page, or parts of one. Besides funcs, it can use inert, name, lines and count of
// package text, breaks, and the templates of the head.
func Parse(source string, funcs template.FuncMap) (*template.Template, error) {
	all := template.FuncMap{
		"inert":  text.Inert,
		"name":   text.Name,
		"lines":  text.Block,
		"count":  text.Count,
		"breaks": breaks,
	}
	maps.Copy(all, funcs)
	return template.New("page").Funcs(all).Parse(head + `{{define "sheet"}}` + Sheet + `{{end}}` + source)
}

// Write renders a self-contained HTML page without external scripts, pictures or fonts, and
// declares so to the browser. The source begins with the template "head"; see [Parse]. Output is
// streamed, so that a write error stops it. It also stops soon after ctx ends and returns its
// cause.
func Write(ctx context.Context, w io.Writer, source string, funcs template.FuncMap, data any) error {
	t, err := Parse(source, funcs)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(Stops(ctx, w), 64<<10)
	if err := t.Execute(b, data); err != nil {
		return err
	}
	return b.Flush()
}

// Stops returns a writer that fails with the cause of the end of ctx once it has ended.
func Stops(ctx context.Context, w io.Writer) io.Writer { return &stopping{ctx, w} }

type stopping struct {
	ctx context.Context
	w   io.Writer
}

func (s *stopping) Write(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	return s.w.Write(p)
}
