package read

import (
	"bytes"

	"github.com/seed109e2655/resolute/cache/fbc/document"
)

// Blob is a part of text that holds JSON values: mostly one, if it was made of YAML, or as
// many as stand in some hundred kilobytes of JSON.
// The text is good until the next one is read: what is kept has to be copied.
type Blob struct {
	Raw   []byte
	Line  int            // of the first byte
	Marks document.Marks // for JSON that was made of YAML: where its lines come from

	last bool  // the file ends with it
	most int64 // bytes that one value of it may have; 0 for no bound
	seen counted
}

// counted is a place in a text whose line is known. From one place to the next
// only the newlines in between need to be counted.
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

// manyLines reports whether not all of a part stands on one line.
func (b *Blob) manyLines(part span) bool {
	return b.Marks != nil || bytes.IndexByte(part.Of(b.Raw), '\n') >= 0
}

// LineAt returns the line that the text at an offset comes from.
func (b *Blob) LineAt(offset int) int {
	if b.Marks == nil {
		return b.Line + b.seen.at(b.Raw, offset)
	}
	return b.Marks.Line(offset)
}

// BlobOf returns the blob that a node of a document is.
func BlobOf(n *document.Node) Blob {
	raw, marks := n.JSONLines()
	return Blob{Raw: raw, Line: marks[0].Line, Marks: marks}
}
