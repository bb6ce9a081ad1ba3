// Package quickjson recognizes JSON that is written plainly, as nearly all of a
// catalog is, in one pass and without memory. What it does not recognize may be
// valid all the same, and is for a JSON library to say.
//
// It is the one scanner of JSON beside the library jsontext, and there for one
// reason: a reader that walks by itself can pass over a property whose text it
// knows from the bundle before. Without it, loading the catalog community-all,
// which has no large properties, takes 30 percent more processor time, and so does
// every copy on disk (the user time of BenchmarkLoad in cache/fbc, 22 November
// 2026). Where large properties take most of the time, jsontext is as fast.
package quickjson

import "bytes"

// Object reports whether text is a JSON object written without any space, whose
// values are all strings, and whose strings are printable ASCII without escapes.
// It is then valid, and as compact as can be.
func Object(text []byte) bool {
	if len(text) < 2 || text[0] != '{' {
		return false
	}
	for i := 0; ; {
		key, ok := String(text[i+1:])
		if !ok {
			return false
		}
		i += 1 + key
		if i >= len(text) || text[i] != ':' {
			return false
		}
		value, ok := String(text[i+1:])
		if !ok {
			return false
		}
		i += 1 + value
		switch {
		case i == len(text)-1 && text[i] == '}':
			return true
		case i >= len(text) || text[i] != ',':
			return false
		}
	}
}

// String returns the length of the string that text begins with, its quotes
// included; ok is false if it is not of printable ASCII without escapes.
func String(text []byte) (length int, ok bool) {
	if len(text) == 0 || text[0] != '"' {
		return 0, false
	}
	end := bytes.IndexByte(text[1:], '"')
	if end < 0 {
		return 0, false
	}
	for _, c := range text[1 : 1+end] {
		if c < ' ' || c > '~' || c == '\\' {
			return 0, false
		}
	}
	return end + 2, true
}
