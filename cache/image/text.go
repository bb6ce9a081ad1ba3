package image

import (
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// maxInert bounds a text from somebody else in a message, in bytes.
const maxInert = 500

// inert makes text from somebody else do nothing to whoever looks at it: one
// line of bounded length.
func inert(s string) string {
	return text.Clip(text.Inert(strings.Join(strings.Fields(s), " ")), maxInert)
}

// quoted is inert in quotes.
func quoted(s string) string { return text.Quote(text.Clip(s, maxInert)) }
