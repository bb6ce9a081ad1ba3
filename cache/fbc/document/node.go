package document

import (
	"encoding/json"
	"sort"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the kind of a [Node].
type Kind string

// The kinds of JSON values.
const (
	KindNull     Kind = ""
	KindBool     Kind = "bool"
	KindNumber   Kind = "number"
	KindString   Kind = "string"
	KindSequence Kind = "sequence"
	KindMapping  Kind = "mapping"
)

// String returns the kind in words, as for a message: "a string".
func (k Kind) String() string {
	switch k {
	case KindNull:
		return "null"
	case KindBool:
		return "a boolean"
	case KindNumber:
		return "a number"
	case KindString:
		return "a string"
	case KindSequence:
		return "an array"
	case KindMapping:
		return "an object"
	}
	return "an unknown kind of value"
}

// Node is a value of a YAML or JSON document with its line, for errors. YAML features that JSON
// lacks are resolved: aliases are expanded, merge keys applied, tags and comments dropped. A Node
// is plain data.
type Node struct {
	// Kind determines which of the other fields are set.
	Kind Kind
	// Line is the line at which the value begins, counted from 1; 0 means unknown. Values expanded
	// from an alias have the lines of its anchor.
	Line int
	// Value is the text of a string, the JSON text of a number, or "true" or
	// "false".
	Value string
	// Items are the items of a sequence.
	Items []*Node
	// Fields are the members of a mapping, in order, each name once.
	Fields []Field
}

// Field is a member of a mapping.
type Field struct {
	// Name is its name, and Line the line of the name.
	Name string
	Line int
	// Value is its value, never nil.
	Value *Node
}

// Field returns the value of the member with a name, or nil if there is none or the node is no
// mapping.
func (n *Node) Field(name string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Fields {
		if n.Fields[i].Name == name {
			return n.Fields[i].Value
		}
	}
	return nil
}

// JSON returns the value as compact JSON.
func (n *Node) JSON() json.RawMessage { return n.appendJSON(nil, nil) }

// appendJSON appends the value as compact JSON, and records its line changes.
func (n *Node) appendJSON(dst []byte, marks *Marks) []byte {
	if n == nil {
		return append(dst, "null"...)
	}
	marks.at(len(dst), n.Line)
	switch n.Kind {
	case KindBool, KindNumber:
		return append(dst, n.Value...)
	case KindString:
		return appendString(dst, n.Value)
	case KindSequence:
		dst = append(dst, '[')
		for i, item := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst, marks)
		}
		return append(dst, ']')
	case KindMapping:
		dst = append(dst, '{')
		for i := range n.Fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			marks.at(len(dst), n.Fields[i].Line)
			dst = append(appendString(dst, n.Fields[i].Name), ':')
			dst = n.Fields[i].Value.appendJSON(dst, marks)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// Mark is an offset in a text at which a new source line begins.
type Mark struct{ Offset, Line int }

// Marks are line changes, sorted by offset.
type Marks []Mark

// Line returns the source line of an offset, 0 before all marks.
func (m Marks) Line(offset int) int {
	i := sort.Search(len(m), func(i int) bool { return m[i].Offset > offset })
	if i == 0 {
		return 0
	}
	return m[i-1].Line
}

// at records that text from an offset on comes from a line. Nil marks record nothing.
func (m *Marks) at(offset, line int) {
	if m == nil || line == 0 {
		return
	}
	if n := len(*m); n > 0 && (*m)[n-1].Line == line {
		return
	}
	*m = append(*m, Mark{offset, line})
}

// JSONLines returns the value as compact JSON, with its line changes.
func (n *Node) JSONLines() (json.RawMessage, Marks) {
	m := Marks{{}}
	if n != nil {
		m[0].Line = n.Line
	}
	return n.appendJSON(nil, &m), m
}

// appendString appends a JSON string. Invalid UTF-8 is replaced.
func appendString[Bytes ~[]byte | ~string](dst []byte, s Bytes) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
