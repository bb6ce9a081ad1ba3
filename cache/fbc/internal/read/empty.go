package read

import (
	"bytes"

	"github.com/seed109e2655/resolute/graph"
)

// emptiness finds the documents of YAML without content, as opm cuts a file (the decoder
// of k8s.io/apimachinery): a marker ends the text before it, if there is any, and is
// otherwise text itself. So one marker at the beginning or the end of a file is fine, and
// so are two between documents; a comment with a marker behind it is a document.
type emptiness struct {
	*source
	inside bool // of a document with content, which the next marker ends
	from   int  // the line from which on there is text without content, 0 if there is none
}

// look looks at the text that the window begins with, up to its first content, and returns
// the line of that, 0 if there is none.
func (e *emptiness) look(text []byte) (content int) {
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

// report reports text that turned out to be a document without content.
func (e *emptiness) report() {
	if e.from > 0 {
		e.to.Problem(emptyDocument(e.from))
	}
	e.from = 0
}

func emptyDocument(line int) graph.Problem {
	return failure(CodeEmptyDocument, line, "the document that begins here is empty, which opm refuses: remove it, or the line --- that sets it apart")
}
