package terminal

import (
	"strings"
	"unicode"

	eastasian "golang.org/x/text/width"

	"github.com/seed109e2655/resolute/internal/text"
)

// columns returns the display width of a line: two columns for wide characters, none for
// combining characters, colors and line ends.
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

// escape returns the length of the color escape at the start of a text, or 0.
func escape(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	return strings.IndexByte(s, 'm') + 1
}

// runeColumns returns the display width of a character.
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

// Cut truncates an uncolored text to width columns, including the mark "…".
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

// columns returns the current width of the terminal, or defaultWidth.
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
