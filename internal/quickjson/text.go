package quickjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Unquote returns the text of a valid JSON string: a part of it where it has no
// escape. One half of a surrogate pair becomes U+FFFD, as in encoding/json.
func Unquote(quoted []byte) []byte {
	if len(quoted) < 2 {
		return nil
	}
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	text, _ := jsontext.AppendUnquote(nil, quoted)
	return text
}

// AppendCompact appends a text that consists of one value, without the space between its
// tokens. One half of a surrogate pair is accepted. What is appended is of no use if ok is false, for text that is anything else.
func AppendCompact(to, text []byte) (all []byte, ok bool) {
	s := Scanner{Text: text, Halves: true}
	from := Space(text)
	end, ok := s.Value(from)
	if !ok || end+Space(text[end:]) < len(text) {
		return to, false
	}
	if !s.Spaced {
		return append(to, text[from:end]...), true
	}
	for i := from; i < end; i++ {
		if text[i] == '"' {
			after, _ := s.quoted(i)
			to = append(to, text[i:after]...)
			i = after - 1
		} else if text[i] > ' ' {
			to = append(to, text[i])
		}
	}
	return to, true
}

// KindOf says in words what a valid JSON value is, by how it begins.
func KindOf(value []byte) string {
	if len(value) == 0 {
		return "nothing"
	}
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// LooksLikeObject reports whether a text begins like an object of JSON. YAML can
// begin like that as well, but hardly does.
func LooksLikeObject(text []byte) bool {
	text = text[Space(text):]
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	text = text[1:]
	text = text[Space(text):]
	return len(text) == 0 || text[0] == '"' || text[0] == '}'
}
