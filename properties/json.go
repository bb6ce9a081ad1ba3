package properties

import (
	"bytes"
	"errors"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Parse parses a JSON array of properties, each an object with the keys
// "type" and "value"; other keys are ignored. Properties in error are left
// out of the set, and each gives an [*Error] with its Index, joined by
// [errors.Join]: the set is what could be used. JSON null is the empty list.
func Parse(data []byte) (Set, error) {
	raw, err := compact(data)
	if err != nil {
		return Set{}, err
	}
	if string(raw) == "null" {
		return Set{}, nil
	}
	if raw[0] != '[' {
		return Set{}, newError("", "", string(raw), "must be an array, not "+kindOf(raw))
	}
	var list []*Property
	var errs []error
	index := 0
	for _, item := range inside(raw) {
		p, err := parseOne(item)
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
		return nil, newError("", "value", string(raw), "must be an object with type and value, not "+kindOf(raw))
	}
	typ, value := "", []byte(nil)
	seen := false
	for name, v := range inside(raw) {
		switch name {
		case "type":
			if seen {
				return nil, newError("", "type", "", "is given more than once")
			}
			seen = true
			var err *Error
			if typ, err = wantText("", "type", v); err != nil {
				return nil, err
			}
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

// compact returns a compact copy of data, or an *Error without a Type when
// data is not valid JSON.
func compact(data []byte) ([]byte, *Error) {
	if !utf8.Valid(data) {
		return nil, newError("", "", "", "is not valid UTF-8")
	}
	raw := jsontext.Value(bytes.Clone(data))
	if err := raw.Compact(jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, newError("", "", "", "is not valid JSON: "+strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	return raw, nil
}

// inside goes through the names and values of an object, or the items of an array, of
// valid JSON. Values are parts of the text.
func inside(raw []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		d := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		open, _ := d.ReadToken()
		object := open.Kind() == '{'
		for k := d.PeekKind(); k > 0 && k != '}' && k != ']'; k = d.PeekKind() {
			name := ""
			if object {
				tok, err := d.ReadToken()
				if err != nil {
					return
				}
				name = tok.String()
			}
			v, err := d.ReadValue()
			end := d.InputOffset()
			if err != nil || !yield(name, raw[end-int64(len(v)):end]) {
				return
			}
		}
	}
}

// textOf returns what a JSON string stands for.
func textOf(quoted []byte) string {
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	text, _ := jsontext.AppendUnquote(nil, quoted) // it is valid
	return string(text)
}

// kindOf says in words what a valid JSON value is.
func kindOf(value jsontext.Value) string {
	switch value.Kind() {
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

// UnmarshalJSON is [Parse]; with any property in error, the set stays as it
// was.
func (s *Set) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err != nil {
		return err
	}
	*s = parsed
	return nil
}
