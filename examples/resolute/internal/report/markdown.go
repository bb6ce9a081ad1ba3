package report

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed109e2655/resolute/internal/text"
)

// MaxMarkdownBytes bounds the Markdown: a comment on GitHub holds 65,536 characters.
const MaxMarkdownBytes = 60_000

// markdown writes the report as Markdown for a comment on a pull request. It
// begins with a comment that names the command, by which a workflow finds what it
// wrote before. Names and sentences are shown as text: they make no links, mentions
// or tables. Findings of one cause are one row. Of many the first are shown, and the
// others counted. The error is that of the writer.
func (r *Report) markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- resolute %s -->\n### resolute %s", r.Command, r.Command)
	if r.Title != "" {
		fmt.Fprintf(&b, ": %s", markdown(r.Title))
	}
	b.WriteString("\n\n")
	if r.Summary != "" {
		b.WriteString(markdown(r.Summary) + "\n\n")
	}
	r.table(&b, r.Findings)
	if r.Known > 0 {
		fmt.Fprintf(&b, "\nKnown from the baseline and not listed: %d.\n", r.Known)
	}
	if len(r.Better) > 0 && b.Len() < MaxMarkdownBytes/2 {
		fmt.Fprintf(&b, "\n<details><summary>What got better (%d)</summary>\n\n", len(r.Better))
		r.table(&b, r.Better)
		b.WriteString("\n</details>\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// table writes findings as a table.
func (r *Report) table(b *strings.Builder, list []Finding) {
	if len(list) == 0 {
		return
	}
	b.WriteString("| | what | where | who is hit |\n|---|---|---|---|\n")
	shown := 0
	for _, row := range rows(list) {
		f := row[0]
		name, said := f.Name(), f.Text
		if len(row) > 1 {
			name, said = together(row), f.Cause
		}
		at, number := r.place(f)
		if number > 0 {
			at = fmt.Sprintf("%s:%d", at, number)
		}
		line := fmt.Sprintf("| %s | `%s`<br>%s | %s | %s |\n", mark(f.Severity), strings.ReplaceAll(f.Code, "`", ""), markdown(name), markdown(at), markdown(said))
		if b.Len()+len(line) > MaxMarkdownBytes {
			fmt.Fprintf(b, "\n… and %d more.\n", len(list)-shown)
			return
		}
		b.WriteString(line)
		shown += len(row)
	}
}

// rows puts findings of one cause together, in the order of the first of each.
func rows(list []Finding) [][]*Finding {
	type alike struct {
		code, cause, of string
		severity        Severity
	}
	var out [][]*Finding
	at := make(map[alike]int)
	for i := range list {
		f := &list[i]
		key := alike{f.Code, f.Cause, strings.Join(f.Subject[:f.last()], "\x00"), f.Severity}
		if k, found := at[key]; found && f.Cause != "" {
			out[k] = append(out[k], f)
			continue
		}
		at[key] = len(out)
		out = append(out, []*Finding{f})
	}
	return out
}

// together names the subjects of findings that differ in the last word of it.
func together(row []*Finding) string {
	last := row[0].last()
	of := Finding{Subject: row[0].Subject[:last]}
	return of.Name() + ": " + text.Short(text.Each(row, func(f *Finding) string { return f.Subject[last] }), 4)
}

// last is where the last word of the subject is that is not empty, or 0.
func (f *Finding) last() int {
	for i, word := range slices.Backward(f.Subject) {
		if word != "" {
			return i
		}
	}
	return 0
}

// mark is a severity as people see it at once.
func mark(s Severity) string {
	switch s {
	case Error:
		return "❌ error"
	case Warning:
		return "⚠️ warning"
	default:
		return "ℹ️ note"
	}
}

// links are beginnings of what becomes a link by itself, an address or a reference to an
// issue, unless something that is not seen stands in between.
var links = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(www|gh)([.-])`) })

// markdown makes a text stand for itself inside a cell of a table.
func markdown(s string) string {
	var b strings.Builder
	for _, c := range text.Inert(s) {
		switch {
		case c == '@' || c == '#':
			fmt.Fprintf(&b, "&#%d;", c) // no mention, no reference to an issue
		case c == '<':
			b.WriteString("&lt;")
		case c == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\`*_{}[]|~>!", c):
			b.WriteByte('\\')
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
	}
	return links().ReplaceAllString(strings.ReplaceAll(b.String(), "://", ":&#47;&#47;"), "${1}&#8288;${2}")
}
