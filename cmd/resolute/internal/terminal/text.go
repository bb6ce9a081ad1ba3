package terminal

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Text is buffered text, colored on a terminal, until [Text.Flush]. It is not safe for
// concurrent use.
type Text struct {
	bytes.Buffer
	to *Stream
}

// NewText returns a text for a stream.
func NewText(to *Stream) *Text { return &Text{to: to} }

// Flush writes the buffered text to the stream.
func (t *Text) Flush() error {
	_, err := t.WriteTo(t.to.Wrapped())
	return err
}

// Line writes a line. String arguments are untrusted and escaped.
func (t *Text) Line(format string, args ...any) {
	for i, arg := range args {
		if s, ok := arg.(string); ok {
			args[i] = text.Inert(s)
		}
	}
	fmt.Fprintf(t, format+"\n", args...)
}

// Painted is escaped text, possibly colored.
type Painted string

// Paint colors and escapes a text.
func (t *Text) Paint(colour Colour, said string) Painted {
	return Painted(t.to.Paint(colour, text.Inert(said)))
}

// Verdicts colors the buffered lines that contain one of the given parts.
func (t *Text) Verdicts(colours map[string]Colour) {
	written := t.String()
	t.Reset()
	for line := range strings.Lines(written) {
		for part, colour := range colours {
			if strings.Contains(line, part) {
				line = string(t.Paint(colour, strings.TrimSuffix(line, "\n"))) + "\n"
				break
			}
		}
		t.WriteString(line)
	}
}

// Good colors a verdict green or red.
func (t *Text) Good(good bool, verdict string) Painted {
	if good {
		return t.Paint(Green, verdict)
	}
	return t.Paint(Red, verdict)
}

// Severity colors the name of a severity.
func (t *Text) Severity(name string) Painted {
	if name == "error" {
		return t.Paint(Red, name)
	}
	return t.Paint(Yellow, name)
}
