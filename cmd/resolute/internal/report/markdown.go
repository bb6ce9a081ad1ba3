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

// MaxMarkdownBytes bounds the Markdown. GitHub limits a comment to 65,536 characters.
const MaxMarkdownBytes = 60_000

// markdown writes the report as Markdown for a pull request comment. It starts with an HTML
// comment that names the command, by which a workflow finds its previous comment. Names and
// texts are escaped: they form no links, mentions or tables. Findings with the same cause share
// a row. Beyond the size limit, findings are only counted. It returns write errors only.
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
		fmt.Fprintf(&b, "\nKnown findings in the baseline, not listed: %d.\n", r.Known)
	}
	if len(r.Better) > 0 && b.Len() < MaxMarkdownBytes/2 {
		fmt.Fprintf(&b, "\n<details><summary>Improvements (%d)</summary>\n\n", len(r.Better))
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
	b.WriteString("| | code | location | affected |\n|---|---|---|---|\n")
	shown := 0
	for _, row := range rows(list) {
		f := row[0]
		name, said := f.Name(), f.Text
		if len(row) > 1 {
			name, said = joinSubjects(row), f.Cause
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

// rows groups findings by cause, in order of first occurrence.
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

// joinSubjects joins the subjects of findings that differ only in their last part.
func joinSubjects(row []*Finding) string {
	last := row[0].last()
	of := Finding{Subject: row[0].Subject[:last]}
	return of.Name() + ": " + text.Short(text.Each(row, func(f *Finding) string { return f.Subject[last] }), 4)
}

// last returns the index of the last non-empty part of the subject, or 0.
func (f *Finding) last() int {
	for i, word := range slices.Backward(f.Subject) {
		if word != "" {
			return i
		}
	}
	return 0
}

// mark returns a severity with its symbol.
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

// joiner is U+2060, an invisible word joiner. GitHub detects mentions, references and URLs
// after decoding entities, so escaping alone is not enough.
const joiner = "&#8288;"

// references matches URL and issue reference prefixes and emoji names, which GitHub converts.
// commits matches possible commit hashes, and six their first characters.
var (
	references = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(www|gh|mailto|xmpp)([.:-])|(:)(//|[a-z+-][a-z0-9_+-]*:)`)
	})
	commits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b[0-9a-f]{7,40}\b`) })
	six     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`.{6}\B`) })
)

// markdown escapes text for a table cell.
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
