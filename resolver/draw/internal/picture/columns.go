package picture

import "github.com/seed109e2655/resolute/internal/text"

// Font is the font stack of a picture, all monospaced, so that text widths are
// known. FontSize is in pixels.
const (
	Font     = "DejaVu Sans Mono, Menlo, Consolas, monospace"
	FontSize = 12.0
)

// column is the width of a character of [Font] at [FontSize], in pixels,
// rounded up.
const column = 7.25

// Columns estimates the width of a text in columns of a monospaced font.
func Columns(s string) int {
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

// Width estimates the width of a text at [FontSize], in pixels.
func Width(s string) float64 { return float64(Columns(s)) * column }

// fit cuts the middle of a text to fit a number of columns.
func fit(s string, columns int) string {
	if short := text.Middle(s, columns); Columns(short) <= columns {
		return short
	}
	return text.Middle(s, columns/2) // a character takes up to two columns
}
