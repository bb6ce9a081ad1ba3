package main

import (
	"bytes"
	_ "embed"
	"html/template"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// pageSource is the page that shows answers. It needs nothing else: no script, no
// picture, no font from elsewhere, and says so to the browser.
//
//go:embed page.html
var pageSource string

// renderPage writes answers as one page, a section each. Whatever is in names and
// messages is shown as text.
func renderPage(sections []section) ([]byte, error) {
	page, err := template.New("page").Funcs(template.FuncMap{
		"join": strings.Join, "add": func(a, b int) int { return a + b }, "count": func(n int, what string) string { return text.Count(n, what, what+"s") },
	}).Parse(pageSource)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = page.Execute(&b, map[string]any{"Sections": sections})
	return b.Bytes(), err
}
