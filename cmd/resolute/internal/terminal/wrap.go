package terminal

import (
	"io"
	"slices"
	"strings"
)

// minWidth is the narrowest terminal that lines are wrapped for, in columns.
const minWidth = 20

// Wrapped returns a writer that wraps long lines between words on a terminal. Each write must
// consist of complete lines.
func (t *Stream) Wrapped() io.Writer {
	if t.width < minWidth {
		return t
	}
	return wrapper{t}
}

type wrapper struct{ to *Stream }

// Write implements io.Writer.
func (w wrapper) Write(p []byte) (int, error) {
	var b strings.Builder
	for line := range strings.Lines(string(p)) {
		breakLine(&b, line, w.to.width, false)
	}
	_, err := io.WriteString(w.to, b.String())
	return len(p), err
}

// breakLine wraps a line and indents its continuation. Long words and commands are not broken,
// so that they can be copied. Prose does not start with a command.
func breakLine(b *strings.Builder, line string, width int, prose bool) {
	if columns(line) <= width {
		b.WriteString(line)
		return
	}
	indent := len(line) - len(strings.TrimLeft(line, " "))
	hang := min(indent+4, width/2)
	if n := secondColumn(line[indent:]); n > 0 && indent+n <= width/2 {
		hang = indent + n
	} else if n > 0 { // too narrow: the second column goes below
		first, second, _ := strings.Cut(line[indent:], "  ")
		breakWords(b, line[:indent]+first+"\n", width, hang, !prose)
		line, prose = strings.Repeat(" ", hang)+strings.TrimLeft(second, " "), true
	}
	breakWords(b, line, width, hang, !prose)
}

// breakWords wraps a line and indents its continuation by hang columns. The first word may
// start a command.
func breakWords(b *strings.Builder, line string, width, hang int, command bool) {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	at, begin := 0, indent // columns so far, and the column of the first word
	for first := command; len(line) > 0; first = false {
		rest := strings.TrimLeft(line, " ")
		spaces := len(line) - len(rest)
		word := rest[:wordLength(rest, first)]
		line = rest[len(word):]
		n := columns(word)
		if at > begin && at+spaces+n > width {
			at = max(0, min(hang, width-n))
			b.WriteString("\n" + strings.Repeat(" ", at))
			begin, spaces = at, 0
		}
		b.WriteString(strings.Repeat(" ", spaces) + word)
		at += spaces + n
	}
}

// secondColumn returns the start of the second column of a line, after two or more spaces, or
// 0.
func secondColumn(line string) int {
	first, rest, _ := strings.Cut(line, "  ")
	text := strings.TrimLeft(rest, " ")
	if strings.TrimSpace(text) == "" || strings.HasPrefix(first, "\x1b") {
		return 0
	}
	return columns(first) + 2 + len(rest) - len(text)
}

// wordLength returns the length of the unbreakable start of a text: a command or a word.
func wordLength(s string, first bool) int {
	end := len(s)
	if n := strings.IndexByte(s, ' '); n >= 0 {
		end = n
	}
	before := len(s) - len(strings.TrimLeft(s, "([\"'"))
	quoted, isQuoted := strings.CutPrefix(s[before:], "`")
	if !isCommand(quoted, first || isQuoted) {
		return end
	}
	closing := strings.IndexByte(quoted, '`')
	if n := strings.Index(s, ". "); n >= 0 && !isQuoted && !first && strings.HasPrefix(quoted, "resolute ") {
		return n + 1 // the end of a sentence
	}
	if !isQuoted || closing < 0 {
		return len(s)
	}
	end = before + closing + 2
	if n := strings.IndexByte(s[end:], ' '); n >= 0 { // including punctuation after the command
		return end + n
	}
	return len(s)
}

// isCommand reports whether a text starts with a command. If one is expected, any argument may
// follow its program; within a sentence it must be a flag or a verb.
func isCommand(s string, expected bool) bool {
	program, rest, more := strings.Cut(s, " ")
	if !more || !slices.Contains([]string{"kubectl", "oc", "resolute"}, program) {
		return false
	}
	next, _, _ := strings.Cut(rest, " ")
	return expected || len(next) > 1 && next[0] == '-' || program != "resolute" && slices.Contains(kubectlVerbs[:], next)
}

// kubectlVerbs are commands of kubectl and oc.
var kubectlVerbs = [...]string{"adm", "annotate", "api-resources", "apply", "auth", "create", "delete", "describe", "edit", "exec",
	"explain", "get", "kustomize", "label", "logs", "patch", "replace", "resolute", "rollout", "run", "scale", "set", "wait"}
