package argument

import (
	"fmt"
	"html"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// maxIndent is the maximum indentation of a line, in levels.
const maxIndent = 50

// Caveat returns a sentence that follows an argument that is NotMinimal; empty otherwise.
func (a *Argument) Caveat() string {
	if !a.NotMinimal {
		return ""
	}
	return "These facts cannot all hold, but some may be redundant: the minimization stopped early, at its deadline or its limit on solver calls."
}

// Text returns the argument as lines: the headline, then one statement per line, indented up to
// 50 levels. It does not include Further.
func (a *Argument) Text() string {
	var b strings.Builder
	b.WriteString(a.Headline + ":\n")
	a.Walk(func(depth int, s *Statement) {
		if depth > 0 {
			b.WriteString(strings.Repeat("  ", min(depth-1, maxIndent)) + "- ")
		}
		b.WriteString(s.Sentence() + "\n")
	})
	if a.Omitted > 0 {
		fmt.Fprintf(&b, "… and %s.\n", text.Count(a.Omitted, "line more", "lines more"))
	}
	if caveat := a.Caveat(); caveat != "" {
		b.WriteString(caveat + "\n")
	}
	return b.String()
}

// HTML returns the tree as nested lists: a list of class "argument", in which each item has the
// kind of its statement as class. All text is escaped. The headline is not included.
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
