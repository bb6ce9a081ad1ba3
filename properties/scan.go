package properties

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The functions of this file walk JSON that is already known to be valid and
// compact: [build] has checked it. That makes them short, and several times
// faster than a general tokenizer, which matters because a catalog holds tens
// of thousands of properties.

// stringer makes the strings of parsed values, and the ranges written in them.
type stringer interface {
	string(b []byte) string
	versionRange(text string) (Range, error)
}

// bareStrings makes a new string each time.
type bareStrings struct{}

func (bareStrings) string(b []byte) string                  { return string(b) }
func (bareStrings) versionRange(text string) (Range, error) { return ParseRange(text) }

// sharedStrings makes one string for equal texts, and parses each range once:
// bundles of a catalog require the same few ranges of each other.
type sharedStrings struct {
	*recentStrings
	ranges map[string]Range
}

func newSharedStrings() sharedStrings {
	return sharedStrings{recentStrings: newRecentStrings(), ranges: map[string]Range{}}
}

func (m sharedStrings) versionRange(text string) (Range, error) {
	if r, ok := m.ranges[text]; ok {
		return r, nil
	}
	r, err := ParseRange(text)
	if err == nil {
		m.ranges[text] = r
	}
	return r, err
}

// eachMember calls fn with the key (still quoted) and the value of each
// member of the object raw, until fn returns false. What is not an object has
// no members.
func eachMember(raw []byte, fn func(key, value []byte) bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return
	}
	for i := 1; i < len(raw) && raw[i] != '}'; {
		key := raw[i:skipValue(raw, i)]
		i += len(key) + 1 // past the colon
		value := raw[i:skipValue(raw, i)]
		i += len(value)
		if i < len(raw) && raw[i] == ',' {
			i++
		}
		if !fn(key, value) {
			return
		}
	}
}

// eachElement calls fn with each element of the array raw.
func eachElement(raw []byte, fn func(value []byte)) {
	for i := 1; i < len(raw) && raw[i] != ']'; {
		value := raw[i:skipValue(raw, i)]
		i += len(value)
		if i < len(raw) && raw[i] == ',' {
			i++
		}
		fn(value)
	}
}

// skipValue returns where the value that starts at i ends. It never goes
// beyond the end of raw, whatever raw is.
func skipValue(raw []byte, i int) int {
	depth := 0
	for i < len(raw) {
		switch c := raw[i]; c {
		case '"':
			i = skipString(raw, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':':
			i++
		default: // a number or literal
			for i < len(raw) && !bytes.ContainsRune([]byte(",:]}"), rune(raw[i])) {
				i++
			}
		}
		if depth <= 0 {
			return i
		}
	}
	return len(raw)
}

// skipString returns where the string that starts at i ends.
func skipString(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// unquote returns the text of the JSON string quoted, as part of it where no
// escape is in the way.
func unquote(quoted []byte) []byte {
	if len(quoted) < 2 {
		return nil
	}
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	// An error tells of a lone surrogate, which reads as U+FFFD, just as
	// encoding/json reads it.
	text, _ := jsontext.AppendUnquote(nil, quoted)
	return text
}

// kindOf names the JSON type of raw for a sentence.
func kindOf(raw []byte) string {
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
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

// plain returns the text of an error of the JSON library without its prefix.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "jsontext: ") }
