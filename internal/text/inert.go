package text

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Inert makes a text of foreign origin, such as a message, part of a line of
// ours. A run of white space with a tab or line break in it becomes one space,
// and goes away at the beginning and end; any other white space becomes spaces.
func Inert(s string) string {
	if Plain(s) {
		return noCommand(s)
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		if n := spaces(s[i:]); n > 0 {
			writeSpaces(&b, s[i:i+n], i > 0 && i+n < len(s))
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if shows(r, n) {
			b.WriteString(s[i : i+n])
		} else {
			escaped := strconv.QuoteToASCII(s[i : i+n])
			b.WriteString(escaped[1 : len(escaped)-1])
		}
		i += n
	}
	return noCommand(b.String())
}

// logCommand matches a command that runners of workflows look for anywhere in a line of a
// log: "##[command]" of GitHub, "##vso[command]" of Azure.
var logCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`##([A-Za-z]*\[)`) })

// noCommand escapes what the runner of a workflow would execute if the text were a line of its
// log: a command anywhere in it, and "::command::" of GitHub at its beginning.
func noCommand(s string) string {
	if strings.Contains(s, "##") {
		s = logCommand().ReplaceAllString(s, `#\x23$1`)
	}
	if rest := strings.TrimLeftFunc(s, unicode.IsSpace); strings.HasPrefix(rest, "::") && strings.Contains(rest[2:], "::") {
		return s[:len(s)-len(rest)] + `\x3a` + rest[1:]
	}
	return s
}

// Block is Inert for each line of a text. Its lines end with "\n" alone, and
// tabs become four spaces, for they indent.
func Block(s string) string {
	if !strings.ContainsAny(s, "\n\r\t") {
		return Inert(s)
	}
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\t", "    "), "\n")
	for i, line := range lines {
		lines[i] = Inert(line)
	}
	return strings.Join(lines, "\n")
}

// Name makes a name of foreign origin part of a sentence. One that has anything
// but letters, digits and the usual punctuation of names is quoted, so that no
// name can look like the text around it, and an empty one can be seen.
func Name(s string) string {
	if s != "" && !strings.HasPrefix(s, "::") && !strings.ContainsFunc(s, unusual) {
		return s
	}
	return Quote(s)
}

// Names is Name for each of a list.
func Names(list []string) []string { return Each(list, Name) }

// Quote returns a text of foreign origin in double quotes, as a string of Go.
func Quote(s string) string {
	if strings.ContainsFunc(s, rightToLeft) {
		return noCommand(strconv.QuoteToASCII(s))
	}
	return noCommand(strconv.Quote(s))
}

// Each returns the text that fn makes of each of a list.
func Each[T any](list []T, fn func(T) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fn(s)
	}
	return out
}

// Plain reports whether a text consists of nothing but printable ASCII, as nearly
// every one does: it is inert as it is, and has a column for each byte.
func Plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// shows reports whether a character of n bytes shows, and shows as itself.
func shows(r rune, n int) bool {
	return unicode.IsPrint(r) && !rightToLeft(r) && !(r == utf8.RuneError && n == 1)
}

// unusual reports whether a character makes a name be quoted.
func unusual(r rune) bool {
	if r < utf8.RuneSelf {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(".-_+~:/@", r))
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) || rightToLeft(r)
}

// rightToLeft reports whether a character belongs to a script that is written
// from right to left: it would turn round the text beside it.
func rightToLeft(r rune) bool {
	return 0x0590 <= r && r <= 0x08FF || 0xFB1D <= r && r <= 0xFDFF || 0xFE70 <= r && r <= 0xFEFE ||
		0x10800 <= r && r <= 0x10FFF || 0x1E800 <= r && r <= 0x1EFFF
}

// spaces returns the length of the white space that a text begins with.
func spaces(s string) int { return len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace)) }

// writeSpaces writes a run of white space; between is true if there is something
// before and behind it.
func writeSpaces(b *strings.Builder, run string, between bool) {
	switch {
	case !strings.ContainsAny(run, "\t\n\v\f\r\u0085\u2028\u2029"):
		b.WriteString(strings.Repeat(" ", utf8.RuneCountInString(run)))
	case between:
		b.WriteByte(' ')
	}
}
