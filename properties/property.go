package properties

import (
	"bytes"
	"encoding/json"
)

// Property is one property: a type and a value. It is immutable, safe for
// concurrent use, and meant to be shared by pointer. The zero Property is
// only there to be unmarshalled into.
type Property struct {
	typ   string
	raw   []byte
	value any
}

// New parses and validates the value of a property of type typ. The bytes of
// value are copied. The error is an [*Error].
func New(typ string, value json.RawMessage) (*Property, error) {
	p, err := build(typ, value, bareStrings{})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// build is New with a say in how strings are made.
func build(typ string, value []byte, s stringer) (*Property, *Error) {
	if typ == "" {
		return nil, newError("", "type", "", "is missing or empty")
	}
	if len(value) == 0 {
		return nil, newError(typ, "value", "", "is missing")
	}
	raw, err := compact(value)
	if err != nil {
		err.Type, err.Field = shorten(typ), "value"
		return nil, err
	}
	v, err := decode(typ, raw, s)
	if err != nil {
		return nil, err
	}
	return &Property{typ: typ, raw: raw, value: v}, nil
}

// Type returns the type of the property, such as "olm.gvk".
func (p *Property) Type() string { return p.typ }

// Raw returns the value as compact JSON. It is shared: do not modify it.
func (p *Property) Raw() json.RawMessage { return p.raw }

// Value returns the parsed value: a [Package], [GVK], [Label], [Deprecated],
// [MaxOpenShiftVersion], [PackageRequired], [GVKRequired], [LabelRequired] or
// [Constraint] by the type of the property, or nil for any other type.
func (p *Property) Value() any { return p.value }

// Equal reports whether both have the same type and the same compact JSON.
func (p *Property) Equal(o *Property) bool {
	if p == nil || o == nil {
		return p == o
	}
	return p == o || p.typ == o.typ && bytes.Equal(p.raw, o.raw)
}

// String returns the property as compact JSON.
func (p *Property) String() string {
	if p == nil {
		return "null"
	}
	return string(p.appendJSON(nil))
}
