package picture

import (
	"bufio"
	_ "embed" // the head
	"html/template"
	"io"
	"maps"

	"github.com/seed109e2655/resolute/internal/text"
)

// head begins each page: {{template "head" "TITLE"}}. What it defines as "style" is added to
// the style sheet that all pages share.
//
//go:embed head.html
var head string

// WritePage fills in a page of HTML that needs nothing else: no script, no picture, no font
// from elsewhere, and that says so to the browser. It begins with the template "head". Besides funcs it can use
// inert, name, lines and count of package text. It is written piece by piece, so that it
// ends where w refuses more.
func WritePage(w io.Writer, source string, funcs template.FuncMap, data any) error {
	all := template.FuncMap{
		"inert": text.Inert,
		"name":  text.Name,
		"lines": text.Block,
		"count": text.Count,
	}
	maps.Copy(all, funcs)
	t, err := template.New("page").Funcs(all).Parse(head + source)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 64<<10)
	if err := t.Execute(b, data); err != nil {
		return err
	}
	return b.Flush()
}
