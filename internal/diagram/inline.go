package diagram

import (
	"html/template"
	"strings"
)

// Inline makes a picture part of a page of HTML, which needs no name space for it. The
// picture is one of this package or of package draw: all text in it is escaped.
func Inline(svg string) template.HTML {
	return template.HTML(strings.Replace(svg, ` xmlns="http://www.w3.org/2000/svg"`, "", 1)) //nolint:gosec // see above
}
