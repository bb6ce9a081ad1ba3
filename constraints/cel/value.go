package cel

import (
	"bytes"
	"errors"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/seed109e2655/resolute/properties"
)

// listOf returns properties as a list of maps for one evaluation. Values are decoded and
// charged on first use.
func listOf(set properties.Set, m *meter) ref.Val {
	entries, list := make([]entry, set.Len()), make([]ref.Val, set.Len())
	for i := range entries {
		entries[i] = entry{meter: m, property: set.At(i)}
		list[i] = &entries[i]
	}
	return types.NewRefValList(types.DefaultTypeAdapter, list)
}

// entry is a property as a map with the keys "type" and "value". The value is decoded on first
// use.
type entry struct {
	meter    *meter
	property *properties.Property
	decoded  ref.Val
}

var _ traits.Mapper = (*entry)(nil)

const (
	keyType  = types.String("type")
	keyValue = types.String("value")
)

// errNative is the error of conversions that rules do not need.
var errNative = errors.New("a value of a rule cannot be converted")

func (e *entry) value() ref.Val {
	if e.decoded == nil {
		e.decoded = decodeJSON(e.meter, e.property.Raw())
	}
	return e.decoded
}

// toMap returns the property as a map of the library.
func (e *entry) toMap() traits.Mapper {
	return types.NewRefValMap(types.DefaultTypeAdapter, map[ref.Val]ref.Val{keyType: types.String(e.property.Type()), keyValue: e.value()})
}

func (e *entry) Find(key ref.Val) (ref.Val, bool) {
	switch key {
	case keyType:
		return types.String(e.property.Type()), true
	case keyValue:
		return e.value(), true
	}
	if err := e.meter.key(key); err != nil {
		return types.WrapErr(err), true
	}
	return nil, false
}

func (e *entry) Get(key ref.Val) ref.Val { return get(e, key) }

// get returns the result of Find, or an error for a missing key.
func get(in traits.Mapper, key ref.Val) ref.Val {
	if v, ok := in.Find(key); ok {
		return v
	}
	return types.NewErr("no such key")
}

func (e *entry) Contains(key ref.Val) ref.Val { return types.Bool(key == keyType || key == keyValue) }
func (e *entry) Size() ref.Val                { return types.Int(2) }
func (e *entry) Iterator() traits.Iterator    { return &iterator{keys: []ref.Val{keyType, keyValue}} }

func (e *entry) Equal(other ref.Val) ref.Val {
	if o, ok := other.(*entry); ok && o.property == e.property {
		return types.True
	}
	return e.toMap().Equal(other)
}

func (e *entry) Type() ref.Type                            { return types.MapType }
func (e *entry) Value() any                                { return e.property }
func (e *entry) ConvertToType(t ref.Type) ref.Val          { return e.toMap().ConvertToType(t) }
func (e *entry) ConvertToNative(reflect.Type) (any, error) { return nil, errNative }

// decoder decodes one JSON value.
type decoder struct {
	meter  *meter
	tokens *jsontext.Decoder
}

// decodeJSON converts a JSON value: objects become maps, where the last of duplicate keys wins,
// and numbers become doubles.
func decodeJSON(m *meter, raw string) ref.Val {
	m.chargeBytes(len(raw))
	d := decoder{m, jsontext.NewDecoder(bytes.NewBufferString(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
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
		// A number out of range becomes infinite.
		f, _ := strconv.ParseFloat(t.String(), 64)
		return types.Double(f), nil
	}
	return types.NullValue, nil
}

// object decodes the rest of an object.
func (d decoder) object() (ref.Val, error) {
	members := map[ref.Val]ref.Val{}
	for d.tokens.PeekKind() != '}' {
		key, err := d.tokens.ReadToken()
		if err != nil {
			return nil, err
		}
		name := types.String(key.String())
		if members[name], err = d.next(); err != nil {
			return nil, err
		}
	}
	_, err := d.tokens.ReadToken()
	return newOrdered(d.meter, types.NewRefValMap(types.DefaultTypeAdapter, members)), err
}

// array decodes the rest of an array.
func (d decoder) array() (ref.Val, error) {
	var elements []ref.Val
	for d.tokens.PeekKind() != ']' {
		v, err := d.next()
		if err != nil {
			return nil, err
		}
		elements = append(elements, v)
	}
	_, err := d.tokens.ReadToken()
	return types.NewRefValList(types.DefaultTypeAdapter, elements), err
}
