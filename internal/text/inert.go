package text

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Inert makes untrusted text, such as a message, safe within a line. A run of
// white space with a tab or line break becomes one space, or is trimmed at
// either end; other white space becomes spaces.
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

// logCommand matches a command that CI runners recognize anywhere in a log
// line: "##[command]" of GitHub, "##vso[command]" of Azure.
var logCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`##([A-Za-z]*\[)`) })

// noCommand escapes text that a CI runner would execute as a log line: a
// command anywhere, and GitHub's "::command::" at the beginning.
func noCommand(s string) string {
	if strings.Contains(s, "##") {
		s = logCommand().ReplaceAllString(s, `#\x23$1`)
	}
	if rest := strings.TrimLeftFunc(s, unicode.IsSpace); strings.HasPrefix(rest, "::") && strings.Contains(rest[2:], "::") {
		return s[:len(s)-len(rest)] + `\x3a` + rest[1:]
	}
	return s
}

// Block is Inert for each line of a text. Lines end with "\n", and tabs become
// four spaces because they indent.
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

// Name formats an untrusted name for a sentence. It quotes names with
// characters other than letters, digits and the usual punctuation, so that no
// name can imitate the text around it, and empty names.
func Name(s string) string {
	if s != "" && !strings.HasPrefix(s, "::") && !strings.ContainsFunc(s, unusual) {
		return s
	}
	return Quote(s)
}

// Names applies Name to a list.
func Names(list []string) []string { return Each(list, Name) }

// Quote quotes untrusted text as a Go string.
func Quote(s string) string {
	if strings.ContainsFunc(s, rightToLeft) {
		return noCommand(strconv.QuoteToASCII(s))
	}
	return noCommand(strconv.Quote(s))
}

// Each applies fn to each item of a list.
func Each[T any](list []T, fn func(T) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fn(s)
	}
	return out
}

// Plain reports whether a text is entirely printable ASCII, as most are: it is
// inert, and each byte has one column.
func Plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// shows reports whether a character of n bytes is visible and unescaped.
func shows(r rune, n int) bool {
	return unicode.IsPrint(r) && !rightToLeft(r) && !(r == utf8.RuneError && n == 1)
}

// unusual reports whether a character requires quotes around a name.
func unusual(r rune) bool {
	if r < utf8.RuneSelf {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(".-_+~:/@", r))
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) || rightToLeft(r)
}

// rightToLeft reports whether a character belongs to a right-to-left script,
// which would reorder the text beside it.
func rightToLeft(r rune) bool {
	return 0x0590 <= r && r <= 0x08FF || 0xFB1D <= r && r <= 0xFDFF || 0xFE70 <= r && r <= 0xFEFE ||
		0x10800 <= r && r <= 0x10FFF || 0x1E800 <= r && r <= 0x1EFFF
}

// spaces returns the length of the leading white space.
func spaces(s string) int { return len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace)) }

// writeSpaces writes a run of white space; between reports whether there is
// text on both sides.
func writeSpaces(b *strings.Builder, run string, between bool) {
	switch {
	case !strings.ContainsAny(run, "\t\n\v\f\r\u0085\u2028\u2029"):
		b.WriteString(strings.Repeat(" ", utf8.RuneCountInString(run)))
	case between:
		b.WriteByte(' ')
	}
}
