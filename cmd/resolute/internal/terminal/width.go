package terminal

import (
	"strings"
	"unicode"

	eastasian "golang.org/x/text/width"

	"github.com/seed109e2655/resolute/internal/text"
)

// columns is the number of columns that a text of one line takes on a terminal: two for wide
// characters, none for those that combine with the one before, for colours, and for the end
// of the line.
func columns(s string) int {
	s = strings.TrimRight(s, "\n")
	if text.Plain(s) {
		return len(s)
	}
	n := 0
	for s != "" {
		if end := escape(s); end > 0 {
			s = s[end:]
			continue
		}
		size := 0
		for i, r := range s {
			if i > 0 {
				size = i
				break
			}
			n += runeColumns(r)
			size = len(s)
		}
		s = s[size:]
	}
	return n
}

// escape is the length of the colour that a text begins with, 0 if it begins with none.
func escape(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	return strings.IndexByte(s, 'm') + 1
}

// runeColumns returns the width of a character in columns.
func runeColumns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch eastasian.LookupRune(r).Kind() {
	case eastasian.EastAsianWide, eastasian.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Cut cuts the end off a text without colours so that it takes at most so many columns, the
// mark "…" included.
func Cut(s string, width int) string {
	if columns(s) <= width {
		return s
	}
	n := 0
	for i, r := range s {
		if n += runeColumns(r); n > width-1 {
			if width < 1 {
				return ""
			}
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// columns is the width of the terminal as it is now, or a usual one if it is not known.
func (t *Stream) columns() int {
	n := t.width
	if t.file != nil {
		n = width(t.file)
	}
	if n < 1 {
		return defaultWidth
	}
	return n
}
