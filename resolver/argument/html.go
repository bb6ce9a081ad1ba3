package argument

import (
	"fmt"
	"html"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// HTML renders the tree of an argument as nested lists, to be put into a page: a
// list of class "argument", in which each statement is an item with its kind as the
// class. The headline is left to the page. Whatever is in a sentence is text there.
func (a *Argument) HTML() string {
	var b strings.Builder
	writeList(&b, ` class="argument"`, a.Statements)
	if a.Omitted > 0 {
		fmt.Fprintf(&b, "<p>… and %s.</p>\n", text.Count(a.Omitted, "line more", "lines more"))
	}
	if caveat := a.Caveat(); caveat != "" {
		b.WriteString("<p>" + caveat + "</p>\n")
	}
	return b.String()
}

func writeList(b *strings.Builder, class string, list []*Statement) {
	if len(list) == 0 {
		return
	}
	b.WriteString("<ul" + class + ">\n")
	for _, s := range list {
		fmt.Fprintf(b, "<li class=\"%s\">%s", html.EscapeString(string(s.Kind)), html.EscapeString(s.Sentence()))
		writeList(b, "", s.Children)
		b.WriteString("</li>\n")
	}
	b.WriteString("</ul>\n")
}
