package graph

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// inert returns a name in the form in which every sentence and picture shows
// it. Names come from catalogs, which are foreign input: one that has anything
// but letters, digits and the usual punctuation of names is quoted, so that
// control characters, escape sequences of terminals, invisible characters and
// line breaks are written out, and no name can look like the text around it.
func inert(name string) string {
	if name == "" {
		return `""`
	}
	if strings.ContainsFunc(name, rightToLeft) {
		return strconv.QuoteToASCII(name) // it would turn round what follows
	}
	if strings.ContainsFunc(name, untame) || !utf8.ValidString(name) {
		return strconv.Quote(name)
	}
	return name
}

// untame tells whether a character makes a name be quoted.
func untame(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(".-_+~:/@", r))
	case r == utf8.RuneError:
		return true
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// rightToLeft tells whether a character belongs to a script that is written
// from right to left.
func rightToLeft(r rune) bool {
	return 0x0590 <= r && r <= 0x08FF || 0xFB1D <= r && r <= 0xFDFF || 0xFE70 <= r && r <= 0xFEFE ||
		0x10800 <= r && r <= 0x10FFF || 0x1E800 <= r && r <= 0x1EFFF
}

// inertAll is inert for a list, as many of it as can be read at once.
func inertAll(names []string) string {
	const most = 5
	shown := make([]string, 0, most+1)
	for _, n := range names[:min(most, len(names))] {
		shown = append(shown, inert(n))
	}
	if more := len(names) - most; more > 0 {
		return strings.Join(shown, ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(shown, ", ")
}

// shorten cuts the middle out of a text that is longer than most characters,
// for names differ at their ends.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	head := (most - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(most-1-head):])
}

// columns estimates how many columns of a monospaced font a text takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x1100 && (r <= 0x115F || 0x2E80 <= r && r <= 0xD7A3 || 0xF900 <= r && r <= 0xFAFF ||
			0xFE30 <= r && r <= 0xFE6F || 0xFF00 <= r && r <= 0xFF60 || r >= 0x1F300) {
			n++
		}
	}
	return n
}

// counted returns "1 entry" or "3 entries".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// inertText returns a message of foreign origin, such as that of a
// deprecation, on one line and without characters that do not show.
func inertText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return ' '
		case !unicode.IsPrint(r), r == utf8.RuneError:
			return '�'
		}
		return r
	}, s)
}
