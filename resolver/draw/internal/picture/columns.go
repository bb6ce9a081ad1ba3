package picture

import (
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Font is the font stack of a picture: the font of the page. FontSize is in pixels.
const (
	Font     = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, DejaVu Sans, sans-serif"
	FontSize = 12.0
)

// bold is the width of bold text in relation to normal text.
const bold = 1.15

// advance estimates the width of a character in hundredths of the font size, for the widest fonts
// of [Font], so that text stays in its box with each of them.
func advance(r rune) float64 {
	switch {
	case columns(r) == 2:
		return 125
	case r > '~':
		return 101
	case strings.ContainsRune("ijl'|", r):
		return 34
	case strings.ContainsRune(" fIJrt.,:;/\\()[]-!", r):
		return 42
	case strings.ContainsRune("mwMW%@", r):
		return 101
	case r >= 'A' && r <= 'Z' || strings.ContainsRune("+=<>~^#&", r):
		return 85
	}
	return 65
}

// Columns counts the columns of a text: two for a wide character, one for any other.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		n += columns(r)
	}
	return n
}

func columns(r rune) int {
	if r >= 0x1100 && (r <= 0x115F || 0x2E80 <= r && r <= 0xD7A3 || 0xF900 <= r && r <= 0xFAFF ||
		0xFE30 <= r && r <= 0xFE6F || 0xFF00 <= r && r <= 0xFF60 || r >= 0x1F300) {
		return 2
	}
	return 1
}

// Width estimates the width of a text at [FontSize], in pixels.
func Width(s string) float64 {
	sum := 0.0
	for _, r := range s {
		sum += advance(r)
	}
	return sum * FontSize / 100
}

// BoldWidth is [Width] for bold text.
func BoldWidth(s string) float64 { return bold * Width(s) }

// fit cuts the middle of a text to fit a number of columns.
func fit(s string, columns int) string {
	if short := text.Middle(s, columns); Columns(short) <= columns {
		return short
	}
	return text.Middle(s, columns/2) // a character takes up to two columns
}
