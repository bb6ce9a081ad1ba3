package cel

import (
	"strconv"

	"bytes"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/seed109e2655/resolute/properties"
)

// Value is a list of properties in the form that rules work on. It is
// immutable, safe for concurrent use, and made once for each bundle that is
// tested, whatever number of rules it is tested against. The zero Value is
// the empty list.
type Value struct{ entries traits.Lister }

// Convert returns the properties as rules see them. Each value is decoded
// when a rule first looks into it.
func Convert(s properties.Set) Value {
	entries := make([]ref.Val, 0, s.Len())
	for p := range s.All() {
		entries = append(entries, newEntry(p))
	}
	return Value{entries: types.NewRefValList(types.DefaultTypeAdapter, entries)}
}

// list returns the list of the value.
func (v Value) list() ref.Val {
	if v.entries == nil {
		return types.NewRefValList(types.DefaultTypeAdapter, nil)
	}
	return v.entries
}

// decodeJSON returns a JSON value as rules see it: objects as maps, the last
// of equal keys counting, and all numbers as doubles.
func decodeJSON(raw []byte) ref.Val {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v, err := decodeNext(d)
	if err != nil {
		return types.WrapErr(err)
	}
	return v
}

// decodeNext reads one value.
func decodeNext(d *jsontext.Decoder) (ref.Val, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case '{':
		return decodeObject(d)
	case '[':
		return decodeArray(d)
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

// decodeObject reads the rest of an object.
func decodeObject(d *jsontext.Decoder) (ref.Val, error) {
	m := map[ref.Val]ref.Val{}
	for d.PeekKind() != '}' {
		key, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := types.String(key.String())
		v, err := decodeNext(d)
		if err != nil {
			return nil, err
		}
		m[name] = v
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	return types.NewRefValMap(types.DefaultTypeAdapter, m), nil
}

// decodeArray reads the rest of an array.
func decodeArray(d *jsontext.Decoder) (ref.Val, error) {
	var list []ref.Val
	for d.PeekKind() != ']' {
		v, err := decodeNext(d)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	return types.NewRefValList(types.DefaultTypeAdapter, list), nil
}
