package report

import "github.com/seed109e2655/resolute/internal/text"

// inert makes a text of foreign origin stand on one line and do nothing.
func inert(s string) string { return text.Inert(s) }
