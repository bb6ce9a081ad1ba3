package cel

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/seed109e2655/resolute/properties"
)

// Value is a list of properties in the form that rules work on. It is
// immutable, safe for concurrent use and cheap: each evaluation decodes what
// it looks at, and pays for it. The zero Value is the empty list.
type Value struct{ set properties.Set }

// Convert returns the properties as rules see them.
func Convert(s properties.Set) Value { return Value{s} }

// list returns the value during one evaluation.
func (v Value) list(m *meter) ref.Val { return &list{meter: m, set: v.set} }

// decoder reads one JSON value.
type decoder struct {
	meter  *meter
	tokens *jsontext.Decoder
}

// decodeJSON returns a JSON value as rules see it: objects as maps, the last
// of equal keys counting, and all numbers as doubles.
func decodeJSON(m *meter, raw []byte) ref.Val {
	m.chargeBytes(len(raw))
	d := decoder{m, jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	v, err := d.next()
	if err != nil {
		return types.WrapErr(err)
	}
	return v
}

func (d decoder) next() (ref.Val, error) {
	d.meter.charge(1)
	t, err := d.tokens.ReadToken()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case '{':
		return d.object()
	case '[':
		return d.array()
	case '"':
		return types.String(t.String()), nil
	case 't', 'f':
		return types.Bool(t.Bool()), nil
	case '0':
		// Out of range is infinite.
		f, _ := strconv.ParseFloat(t.String(), 64)
		return types.Double(f), nil
	}
	return types.NullValue, nil
}

// object reads the rest of an object.
func (d decoder) object() (ref.Val, error) {
	var members []pair
	for d.tokens.PeekKind() != '}' {
		key, err := d.tokens.ReadToken()
		if err != nil {
			return nil, err
		}
		name := types.String(key.String())
		v, err := d.next()
		if err != nil {
			return nil, err
		}
		members = append(members, pair{name, v})
	}
	if _, err := d.tokens.ReadToken(); err != nil {
		return nil, err
	}
	return newObject(d.meter, members), nil
}

// array reads the rest of an array.
func (d decoder) array() (ref.Val, error) {
	var elements []ref.Val
	for d.tokens.PeekKind() != ']' {
		v, err := d.next()
		if err != nil {
			return nil, err
		}
		elements = append(elements, v)
	}
	if _, err := d.tokens.ReadToken(); err != nil {
		return nil, err
	}
	return types.NewRefValList(types.DefaultTypeAdapter, elements), nil
}
