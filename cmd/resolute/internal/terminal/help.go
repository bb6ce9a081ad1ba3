package terminal

import (
	"bytes"
	"io"
	"regexp"
	"strings"
)

// Help returns the stream for help texts. It buffers incomplete lines. On a terminal,
// paragraphs of the description are refilled and other lines wrapped. It is not safe for
// concurrent use.
func (t *Stream) Help() io.Writer {
	if t == nil || t.width < minWidth {
		return t
	}
	return &help{to: t}
}

type help struct {
	to          *Stream
	rest        []byte // an incomplete line
	describes   bool   // within the description
	description []string
}

// title matches the title line of a help text.
var title = regexp.MustCompile(`^ *(kubectl )?resolute( [a-z]+)? - `)

// Write implements io.Writer.
func (h *help) Write(p []byte) (int, error) {
	h.rest = append(h.rest, p...)
	end := bytes.LastIndexByte(h.rest, '\n') + 1
	var b strings.Builder
	for line := range strings.Lines(string(h.rest[:end])) {
		h.line(&b, line)
	}
	h.rest = append(h.rest[:0], h.rest[end:]...)
	_, err := io.WriteString(h.to, b.String())
	return len(p), err
}

// line writes a line, or buffers it until the description ends.
func (h *help) line(b *strings.Builder, line string) {
	heading := line != "\n" && line[0] != ' '
	if h.describes && !heading {
		h.description = append(h.description, line)
		return
	}
	h.describes = line == "DESCRIPTION:\n"
	fill(b, h.description, h.to.width)
	h.description = nil
	breakLine(b, line, h.to.width, title.MatchString(line))
}

// fill refills paragraphs to the width of the terminal. A command after a colon keeps its line.
func fill(b *strings.Builder, lines []string, width int) {
	paragraph, before := "", ""
	end := func() {
		if paragraph != "" {
			indent := len(paragraph) - len(strings.TrimLeft(paragraph, " "))
			breakWords(b, paragraph+"\n", width, indent, false)
		}
		paragraph = ""
	}
	for _, line := range lines {
		text := strings.TrimSpace(line)
		switch {
		case text == "", strings.HasSuffix(before, ":") && isCommand(text, true):
			end()
			b.WriteString(line)
		case paragraph == "":
			paragraph = strings.TrimRight(line, "\n")
		default:
			paragraph += " " + text
		}
		before = text
	}
	end()
}
