package read

import (
	"bytes"

	"github.com/seed109e2655/resolute/cache/fbc/document"
)

// Blob is a chunk of text with JSON values: usually one if it comes from YAML, or some hundred
// kilobytes of JSON. The text is valid until the next one is read: copy what you keep.
type Blob struct {
	Raw   []byte
	Line  int            // of the first byte
	Marks document.Marks // of JSON from YAML: the source lines

	last  bool  // the file ends with it
	limit int64 // maximum bytes of one value; 0 means no limit
	seen  counted
}

// counted is an offset in a text whose line is known, so that only newlines after it need to be
// counted.
type counted struct{ offset, newlines int }

// at returns the number of newlines before an offset.
func (c *counted) at(text []byte, offset int) int {
	offset = min(max(offset, 0), len(text))
	if offset >= c.offset {
		c.newlines += bytes.Count(text[c.offset:offset], newline)
	} else {
		c.newlines -= bytes.Count(text[offset:c.offset], newline)
	}
	c.offset = offset
	return c.newlines
}

// manyLines reports whether a part spans several lines.
func (b *Blob) manyLines(part span) bool {
	return b.Marks != nil || bytes.IndexByte(part.Of(b.Raw), '\n') >= 0
}

// LineAt returns the source line of an offset.
func (b *Blob) LineAt(offset int) int {
	if b.Marks == nil {
		return b.Line + b.seen.at(b.Raw, offset)
	}
	return b.Marks.Line(offset)
}

// BlobOf returns the blob of a node of a document.
func BlobOf(n *document.Node) Blob {
	raw, marks := n.JSONLines()
	return Blob{Raw: raw, Line: marks[0].Line, Marks: marks}
}
