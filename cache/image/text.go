package image

import (
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// maxInert is the maximum length of untrusted text in a message, in bytes.
const maxInert = 500

// inert makes untrusted text safe to print: one line of bounded length.
func inert(s string) string {
	return text.Clip(text.Inert(strings.Join(strings.Fields(s), " ")), maxInert)
}

// quoted returns untrusted text quoted and safe to print.
func quoted(s string) string { return text.Quote(text.Clip(s, maxInert)) }
