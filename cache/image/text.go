package image

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxInert bounds a foreign text in a message, in characters.
const maxInert = 300

// inert makes text of foreign origin do nothing to whoever looks at it: one
// line, without control characters and what turns the direction of writing.
func inert(text string) string {
	var b strings.Builder
	n, space := 0, false
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		if r == utf8.RuneError || !unicode.IsPrint(r) || r == ' ' {
			space = true
			continue
		}
		if n >= maxInert {
			b.WriteRune('…')
			break
		}
		if space && n > 0 {
			b.WriteByte(' ')
			n++
		}
		space = false
		b.WriteRune(r)
		n++
	}
	return b.String()
}
