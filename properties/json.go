package properties

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/internal/quickjson"
)

// Parse parses a JSON array of properties, each an object with the keys
// "type" and "value"; other keys are ignored. The set lacks invalid properties; each is an
// [*Error] with its Index, joined by [errors.Join]. JSON null is the empty list.
func Parse(data []byte) (Set, error) {
	raw, err := compact(nil, data)
	if err != nil {
		return Set{}, err
	}
	if string(raw) == "null" {
		return Set{}, nil
	}
	if raw[0] != '[' {
		return Set{}, newError("", "", string(raw), "must be an array, not "+quickjson.KindOf(raw))
	}
	var list []*Property
	var errs []error
	index := 0
	for _, item := range quickjson.All(raw) {
		p, err := parseOne(item.Of(raw))
		if err != nil {
			var e *Error
			if errors.As(err, &e) {
				e.Index = index
			}
			errs = append(errs, err)
		} else {
			list = append(list, p)
		}
		index++
	}
	return NewSet(list...), errors.Join(errs...)
}

// parseOne reads one {"type": …, "value": …} of compact JSON.
func parseOne(raw []byte) (*Property, error) {
	if raw[0] != '{' {
		return nil, newError("", "value", string(raw), "must be an object with type and value, not "+quickjson.KindOf(raw))
	}
	typ, value := "", []byte(nil)
	seen := false
	for name, at := range quickjson.All(raw) {
		v := at.Of(raw)
		switch string(name) {
		case "type":
			if seen {
				return nil, newError("", "type", "", "is given more than once")
			}
			seen = true
			text, err := wantText("", "type", v)
			if err != nil {
				return nil, err
			}
			typ = string(text)
		case "value":
			if value != nil {
				return nil, newError(typ, "value", "", "is given more than once")
			}
			value = v
		}
	}
	if typ == "" {
		return nil, newError("", "type", "", "is missing or empty")
	}
	return New(typ, value)
}

// compact appends data without the space between its tokens, or returns an *Error
// without a Type when data is not valid JSON.
func compact(to, data []byte) ([]byte, *Error) {
	if raw, ok := quickjson.AppendCompact(to, data); ok {
		return raw, nil
	}
	if !utf8.Valid(data) {
		return nil, newError("", "", "", "is not valid UTF-8")
	}
	raw := jsontext.Value(bytes.Clone(data))
	err := raw.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return nil, newError("", "", "", "is not valid JSON: "+strings.TrimPrefix(fmt.Sprint(err), "jsontext: "))
}

// MarshalJSON writes the array that [Parse] reads.
func (s Set) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for p := range s.All() {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = p.appendJSON(b)
	}
	return append(b, ']'), nil
}

// UnmarshalJSON is [Parse]; if any property is invalid, the set is not changed.
func (s *Set) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err != nil {
		return err
	}
	*s = parsed
	return nil
}
