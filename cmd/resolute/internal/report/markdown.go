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

// joiner is U+2060, which is not seen and splits words. GitHub looks for mentions,
// references and addresses after it has decoded entities, so those alone do not help.
const joiner = "&#8288;"

// references are what GitHub makes something else of, by itself: the beginnings of addresses
// and references to issues, and names of emojis. commits are what may be one, by its first
// characters.
var (
	references = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(www|gh|mailto|xmpp)([.:-])|(:)(//|[a-z+-][a-z0-9_+-]*:)`)
	})
	commits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b[0-9a-f]{7,40}\b`) })
	six     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`.{6}\B`) })
)

// markdown escapes a text for a cell of a table.
func markdown(s string) string {
	const mark = "\u2060" // for the joiner, which no inert text has
	s = commits().ReplaceAllStringFunc(text.Inert(s), func(sha string) string { return six().ReplaceAllString(sha, "${0}"+mark) })
	for range 2 { // the names of emojis share their colons
		s = references().ReplaceAllString(s, "${1}${3}"+mark+"${2}${4}")
	}
	var b strings.Builder
	for _, c := range s {
		switch c {
		case '@':
			b.WriteString("&commat;" + joiner)
		case '#':
			b.WriteString("&num;" + joiner)
		case '!':
			b.WriteString("&excl;" + joiner)
		case '<':
			b.WriteString("&lt;")
		case '&':
			b.WriteString("&amp;")
		case '$':
			b.WriteString("&dollar;" + joiner) // no mathematics
		case '\u2060':
			b.WriteString(joiner)
		case '\\', '`', '*', '_', '{', '}', '[', ']', '|', '~', '>':
			b.WriteByte('\\')
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
