package picture

import (
	"html/template"
	"strings"
)

// Inline makes a picture part of a page of HTML, which needs no name space for it. The
// picture is one of this package or of package draw: all text in it is escaped.
func Inline(picture string) template.HTML {
	return template.HTML(strings.Replace(picture, ` xmlns="http://www.w3.org/2000/svg"`, "", 1)) //nolint:gosec // see above
}

// WithSource is [Inline] with the source of the picture in Mermaid behind "Show source".
func WithSource(picture, mermaid string) template.HTML {
	return Inline(picture) + template.HTML(`<details><summary>Show source</summary><pre>`+template.HTMLEscapeString(mermaid)+`</pre></details>`) //nolint:gosec // escaped
}
