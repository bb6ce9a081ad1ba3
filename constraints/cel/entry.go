package cel

import (
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/seed109e2655/resolute/properties"
)

// list is the properties of a bundle during one evaluation: a list of maps.
// Nothing of it is kept beyond the evaluation, and nothing is made of a
// property before the rule looks at it.
type list struct {
	meter *meter
	set   properties.Set
}

var _ traits.Lister = (*list)(nil)

func (l *list) Get(index ref.Val) ref.Val {
	i, err := types.IndexOrError(index)
	if err != nil {
		return types.WrapErr(err)
	}
	p := l.set.At(i)
	if p == nil {
		return types.NewErr("index out of bounds: %d", i)
	}
	return &entry{meter: l.meter, property: p}
}

func (l *list) Contains(v ref.Val) ref.Val {
	for i := range types.Int(l.set.Len()) {
		if types.Equal(l.Get(i), v) == types.True {
			return types.True
		}
	}
	return types.False
}

func (l *list) Size() ref.Val { return types.Int(l.set.Len()) }

func (l *list) Iterator() traits.Iterator {
	return &iterator{size: l.set.Len(), at: func(i int) ref.Val { return l.Get(types.Int(i)) }}
}

func (l *list) Add(other ref.Val) ref.Val                 { return addLists(l, other) }
func (l *list) Equal(other ref.Val) ref.Val               { return equalLists(l, other) }
func (l *list) Type() ref.Type                            { return types.ListType }
func (l *list) Value() any                                { return l.set }
func (l *list) ConvertToType(t ref.Type) ref.Val          { return convertTo(l, types.ListType, t) }
func (l *list) ConvertToNative(reflect.Type) (any, error) { return nil, errNative }

// entry is one property as a map with the keys "type" and "value". Its value
// is decoded when it is first read: most rules look at the type and pass on.
type entry struct {
	meter    *meter
	property *properties.Property
	decoded  ref.Val
}

var _ traits.Mapper = (*entry)(nil)

// The keys of an entry, in order.
const (
	keyType  = types.String("type")
	keyValue = types.String("value")
)

func (e *entry) value() ref.Val {
	if e.decoded == nil {
		e.decoded = decodeJSON(e.meter, e.property.Raw())
	}
	return e.decoded
}

func (e *entry) Find(key ref.Val) (ref.Val, bool) {
	switch key {
	case keyType:
		return types.String(e.property.Type()), true
	case keyValue:
		return e.value(), true
	}
	return nil, false
}

func (e *entry) Get(key ref.Val) ref.Val      { return get(e, key) }
func (e *entry) Contains(key ref.Val) ref.Val { return types.Bool(key == keyType || key == keyValue) }
func (e *entry) Size() ref.Val                { return types.Int(2) }

func (e *entry) Iterator() traits.Iterator {
	return &iterator{size: 2, at: func(i int) ref.Val { return [...]ref.Val{keyType, keyValue}[i] }}
}

func (e *entry) Equal(other ref.Val) ref.Val {
	if o, ok := other.(*entry); ok && o.property == e.property {
		return types.True
	}
	return equalMaps(e, other)
}

func (e *entry) Type() ref.Type                            { return types.MapType }
func (e *entry) Value() any                                { return e.property }
func (e *entry) ConvertToType(t ref.Type) ref.Val          { return convertTo(e, types.MapType, t) }
func (e *entry) ConvertToNative(reflect.Type) (any, error) { return nil, errNative }
