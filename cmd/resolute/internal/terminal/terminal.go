// Package terminal writes to what may be a terminal: in colour, and with one line that
// shows how far the work is, where a person looks on.
package terminal

import (
	"io"
	"os"
)

// Stream is an output stream that knows whether it is a terminal.
type Stream struct {
	io.Writer
	file   *os.File // what is written to, if it is a terminal
	tty    bool
	colour bool
	width  int // columns of a terminal, 0 if not known
	ended  func() error
}

// Until makes writes fail once ended returns an error.
func (t *Stream) Until(ended func() error) { t.ended = ended }

// Write writes, unless the stream has ended.
func (t *Stream) Write(p []byte) (int, error) {
	if t.ended != nil {
		if err := t.ended(); err != nil {
			return 0, err
		}
	}
	return t.Writer.Write(p)
}

// New returns a stream, in colour as [Auto] says.
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

// When says when output is in colour.
type When string

// The values of When.
const (
	// Auto colours what a terminal shows. NO_COLOR, and CLICOLOR=0, turn that off;
	// CLICOLOR_FORCE turns it on for files and pipes too. NO_COLOR goes first.
	Auto   When = "auto"
	Always When = "always"
	Never  When = "never"
)

// Colours says when the stream is in colour. An unknown value counts as [Auto].
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

// coloured decides for [Auto].
func coloured(tty bool, env func(string) string) bool {
	switch force := env("CLICOLOR_FORCE"); {
	case env("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return tty && env("CLICOLOR") != "0"
}

// Colour is an ANSI parameter.
type Colour string

// The colours.
const (
	Green  Colour = "32"
	Red    Colour = "31"
	Yellow Colour = "33"
	Dim    Colour = "2"
)

// Paint colours a text where colours are wanted.
func (t *Stream) Paint(colour Colour, text string) string {
	if t == nil || !t.colour || colour == "" {
		return text
	}
	return "\x1b[" + string(colour) + "m" + text + "\x1b[0m"
}
