package properties

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/internal/quickjson"
)

// Parse parses a JSON array of properties, each an object with the keys
// "type" and "value"; other keys are ignored. Properties in error are left
// out of the set, and each gives an [*Error] with its Index, joined by
// [errors.Join]: the set is what could be used. JSON null is the empty list.
func Parse(data []byte) (Set, error) { return parse(data, New) }

// Parse is the function [Parse] through the Interner.
func (in *Interner) Parse(data []byte) (Set, error) {
	return parse(data, func(typ string, value json.RawMessage) (*Property, error) { return in.Property(typ, value) })
}

// parse reads a list, making each property by newProperty.
func parse(data []byte, newProperty func(string, json.RawMessage) (*Property, error)) (Set, error) {
	raw, err := compact(data)
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
	for at := range quickjson.Items(raw) {
		p, err := parseOne(at.Of(raw), newProperty)
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
func parseOne(raw []byte, newProperty func(string, json.RawMessage) (*Property, error)) (*Property, error) {
	if raw[0] != '{' {
		return nil, newError("", "value", string(raw), "must be an object with type and value, not "+quickjson.KindOf(raw))
	}
	typ, value := []byte(nil), []byte(nil)
	for name, at := range quickjson.Members(raw) {
		switch string(quickjson.Unquote(name)) {
		case "type":
			if typ != nil {
				return nil, newError("", "type", "", "is given more than once")
			}
			var err *Error
			if typ, err = wantText("", "type", at.Of(raw)); err != nil {
				return nil, err
			}
		case "value":
			if value != nil {
				return nil, newError(string(typ), "value", "", "is given more than once")
			}
			value = at.Of(raw)
		}
	}
	if len(typ) == 0 {
		return nil, newError("", "type", "", "is missing or empty")
	}
	return newProperty(string(typ), value)
}

// compact returns a compact copy of data, or an *Error without a Type when
// data is not valid JSON.
func compact(data []byte) ([]byte, *Error) {
	scanner := quickjson.Scanner{Text: data}
	if end, ok := scanner.Value(0); ok && end == len(data) && !scanner.Spaced {
		return bytes.Clone(data), nil
	}
	if !utf8.Valid(data) {
		return nil, newError("", "", "", "is not valid UTF-8")
	}
	raw := jsontext.Value(bytes.Clone(data))
	if err := raw.Compact(); err != nil {
		return nil, newError("", "", "", "is not valid JSON: "+strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	return raw, nil
}

// appendJSON appends the property as compact JSON.
func (p *Property) appendJSON(b []byte) []byte {
	b = append(b, `{"type":`...)
	// A type is valid UTF-8 or has passed through the standard replacement
	// of what is not; either way the quoted text is usable.
	b, _ = jsontext.AppendQuote(b, strings.ToValidUTF8(p.Type(), "\uFFFD"))
	b = append(b, `,"value":`...)
	raw := p.Raw()
	if len(raw) == 0 {
		b = append(b, "null"...)
	}
	b = append(b, raw...)
	return append(b, '}')
}

// MarshalJSON writes {"type": …, "value": …} with the value as it was
// declared, compact.
func (p *Property) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalJSON reads what MarshalJSON writes and validates it as [New] does.
// It is for a Property that is not shared yet. The error is an [*Error].
func (p *Property) UnmarshalJSON(data []byte) error {
	raw, invalid := compact(data)
	if invalid != nil {
		return invalid
	}
	parsed, err := parseOne(raw, New)
	if err != nil {
		return err
	}
	*p = *parsed
	return nil
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
