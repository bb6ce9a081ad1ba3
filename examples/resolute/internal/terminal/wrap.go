package terminal

import (
	"io"
	"strings"
	"unicode/utf8"
)

// leastWidth is the narrowest terminal for which lines are broken, in columns.
const leastWidth = 40

// Wrapped is the stream for text: where it is a terminal, lines that are too long for it
// are broken between words. What is written at a time has to be whole lines.
func (t *Stream) Wrapped() io.Writer {
	if t.width < leastWidth {
		return t
	}
	return wrapper{t}
}

type wrapper struct{ to *Stream }

// Write implements io.Writer.
func (w wrapper) Write(p []byte) (int, error) {
	var b strings.Builder
	for line := range strings.Lines(string(p)) {
		breakLine(&b, line, w.to.width)
	}
	_, err := io.WriteString(w.to, b.String())
	return len(p), err
}

// breakLine writes a line in as many as it takes, those behind the first indented. A
// command is not broken: it is to be copied.
func breakLine(b *strings.Builder, line string, width int) {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	if columns(line) <= width || strings.HasPrefix(text, "kubectl ") || strings.HasPrefix(text, "resolute ") {
		b.WriteString(line)
		return
	}
	hang := min(indent+4, width/2)
	at, begin := 0, indent // columns of the line so far, and where its first word stands
	for len(line) > 0 {
		rest := strings.TrimLeft(line, " ")
		spaces := len(line) - len(rest)
		word := rest
		if i := strings.IndexByte(rest, ' '); i >= 0 {
			word = rest[:i]
		}
		line = rest[len(word):]
		n := columns(word)
		if at > begin && at+spaces+n > width {
			b.WriteString("\n" + strings.Repeat(" ", hang))
			at, begin, spaces = hang, hang, 0
		}
		b.WriteString(strings.Repeat(" ", spaces) + word)
		at += spaces + n
	}
}

// columns counts the characters of a text that are seen: colours and the end of the line
// are not.
func columns(s string) int {
	s = strings.TrimRight(s, "\n")
	n := utf8.RuneCountInString(s)
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			return n
		}
		end := strings.IndexByte(s[i:], 'm')
		if end < 0 {
			return n
		}
		n -= end + 1
		s = s[i+end+1:]
	}
}
