package argument

import (
	"fmt"
	"html"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// mostIndent is how many levels deep a line is indented at most: what lies deeper is
// on a level with it.
const mostIndent = 50

// Caveat is the sentence that belongs below an argument that is NotMinimal; empty for
// others.
func (a *Argument) Caveat() string {
	if !a.NotMinimal {
		return ""
	}
	return "All of this cannot hold together, but not all of it may be needed for that: the search for the reasons was stopped early, by its limit of time or of solver calls."
}

// Text renders an argument as lines: the headline, then one statement a line, each
// indented by what it depends on, up to 50 levels deep. Further arguments are not rendered; each has a Text
// of its own.
func (a *Argument) Text() string {
	var b strings.Builder
	b.WriteString(a.Headline + ":\n")
	a.Walk(func(depth int, s *Statement) {
		if depth > 0 {
			b.WriteString(strings.Repeat("  ", min(depth-1, mostIndent)) + "- ")
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
