package read

import (
	"bytes"

	"github.com/seed109e2655/resolute/graph"
)

// emptiness finds YAML documents without content, in the way opm cuts a file (the decoder of
// k8s.io/apimachinery): a marker ends the text before it if there is any, and is text itself
// otherwise. So one marker at the beginning or the end of a file is valid, as are two between
// documents; a comment followed by a marker is a document.
type emptiness struct {
	*source
	inside bool // in a document with content, which the next marker ends
	from   int  // the first line of text without content, 0 if there is none
}

// scan scans the text at the start of the window up to its first content, and returns the line of
// the content, 0 if there is none.
func (e *emptiness) scan(text []byte) (content int) {
	line := e.line
	for l := range bytes.Lines(text) {
		rest, marker := bytes.CutPrefix(l, []byte("---"))
		rest = bytes.TrimSpace(rest)
		nothing := len(rest) == 0 || rest[0] == '#'
		switch {
		case marker && nothing:
			if !e.inside && e.from == 0 {
				e.from = line
				break
			}
			e.report()
			e.inside = false
		case nothing && !marker || e.inside && isMarker(l, "..."):
			if !e.inside && e.from == 0 {
				e.from = line
			}
		default:
			e.inside, e.from = true, 0
			return line
		}
		if line++; line%checkEvery == 0 && e.ended() {
			return 0
		}
	}
	return 0
}

// report reports a document without content.
func (e *emptiness) report() {
	if e.from > 0 {
		e.to.Problem(emptyDocument(e.from))
	}
	e.from = 0
}

func emptyDocument(line int) graph.Problem {
	return failure(CodeEmptyDocument, line, "the document that begins here is empty, which opm refuses: remove it, or the line --- that sets it apart")
}
