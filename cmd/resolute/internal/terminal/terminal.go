// Package terminal writes colored text, tables and progress to terminals, and plain text to
// other outputs.
package terminal

import (
	"io"
	"os"
)

// Stream is an output stream that may be a terminal.
type Stream struct {
	io.Writer
	file   *os.File // the terminal, or nil
	tty    bool
	colour bool
	width  int // columns, 0 if unknown
	ended  func() error
}

// Until makes writes fail once ended returns an error.
func (t *Stream) Until(ended func() error) { t.ended = ended }

// Write writes to the stream, or returns its error once it has ended.
func (t *Stream) Write(p []byte) (int, error) {
	if t.ended != nil {
		if err := t.ended(); err != nil {
			return 0, err
		}
	}
	return t.Writer.Write(p)
}

// New returns a stream colored according to [Auto].
func New(w io.Writer) *Stream {
	t := &Stream{Writer: w}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		if err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb" {
			t.tty, t.file, t.width = true, f, width(f)
		}
	}
	t.Colours(Auto)
	return t
}

// When selects when output is colored.
type When string

// The values of When.
const (
	// Auto colors the output of terminals. NO_COLOR or CLICOLOR=0 disables colors;
	// CLICOLOR_FORCE enables them for files and pipes. NO_COLOR takes precedence.
	Auto   When = "auto"
	Always When = "always"
	Never  When = "never"
)

// Colours sets when the stream is colored. Unknown values mean [Auto].
func (t *Stream) Colours(when When) {
	switch when {
	case Always:
		t.colour = true
	case Never:
		t.colour = false
	default:
		t.colour = coloured(t.tty, os.Getenv)
	}
}

// coloured reports whether [Auto] enables colors.
func coloured(tty bool, env func(string) string) bool {
	switch force := env("CLICOLOR_FORCE"); {
	case env("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return tty && env("CLICOLOR") != "0"
}

// Colour is an ANSI color parameter.
type Colour string

// The colours.
const (
	Green  Colour = "32"
	Red    Colour = "31"
	Yellow Colour = "33"
	Dim    Colour = "2"
)

// Paint colors a text if colors are enabled.
func (t *Stream) Paint(colour Colour, text string) string {
	if t == nil || !t.colour || colour == "" {
		return text
	}
	return "\x1b[" + string(colour) + "m" + text + "\x1b[0m"
}
