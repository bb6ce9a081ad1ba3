package quickjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Unquote returns the text of a valid JSON string, as a subslice if it has no
// escape. An unpaired surrogate becomes U+FFFD, as in encoding/json.
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

// AppendCompact appends a JSON value without white space between its tokens.
// It accepts unpaired surrogates. If ok is false, the text is not one value
// and the appended bytes are meaningless.
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

// KindOf names the kind of a valid JSON value by its first byte.
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

// LooksLikeObject reports whether a text begins like a JSON object. YAML may
// begin the same way but rarely does.
func LooksLikeObject(text []byte) bool {
	text = text[Space(text):]
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	text = text[1:]
	text = text[Space(text):]
	return len(text) == 0 || text[0] == '"' || text[0] == '}'
}
