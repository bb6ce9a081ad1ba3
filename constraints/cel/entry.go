package cel

import (
	"reflect"
	"sync"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/seed109e2655/resolute/properties"
)

// entry is one property as a map with the keys "type" and "value". Its value
// is decoded when it is first read: most rules look at the type and pass on.
type entry struct {
	typ      types.String
	property *properties.Property
	once     sync.Once
	decoded  ref.Val
}

var _ traits.Mapper = (*entry)(nil)

// The keys of an entry.
const (
	keyType  = types.String("type")
	keyValue = types.String("value")
)

// newEntry returns the entry of a property.
func newEntry(p *properties.Property) *entry {
	return &entry{typ: types.String(p.Type()), property: p}
}

// value returns the decoded value.
func (e *entry) value() ref.Val {
	e.once.Do(func() { e.decoded = decodeJSON(e.property.Raw()) })
	return e.decoded
}

// whole returns the entry as an ordinary map, for what rules seldom do.
func (e *entry) whole() traits.Mapper {
	return types.NewRefValMap(types.DefaultTypeAdapter, map[ref.Val]ref.Val{keyType: e.typ, keyValue: e.value()})
}

// Find implements [traits.Mapper].
func (e *entry) Find(key ref.Val) (ref.Val, bool) {
	switch key {
	case keyType:
		return e.typ, true
	case keyValue:
		return e.value(), true
	}
	return nil, false
}

// Get implements [traits.Indexer].
func (e *entry) Get(key ref.Val) ref.Val {
	if v, ok := e.Find(key); ok {
		return v
	}
	return e.whole().Get(key) // an error that names the key
}

// Contains implements [traits.Container].
func (e *entry) Contains(key ref.Val) ref.Val { return types.Bool(key == keyType || key == keyValue) }

// Size implements [traits.Sizer].
func (e *entry) Size() ref.Val { return types.Int(2) }

// Iterator implements [traits.Iterable]. The order is fixed.
func (e *entry) Iterator() traits.Iterator {
	return types.NewRefValList(types.DefaultTypeAdapter, []ref.Val{keyType, keyValue}).Iterator()
}

// Equal implements [ref.Val].
func (e *entry) Equal(other ref.Val) ref.Val {
	if e == other {
		return types.True
	}
	return e.whole().Equal(other)
}

// Type implements [ref.Val].
func (e *entry) Type() ref.Type { return types.MapType }

// Value implements [ref.Val].
func (e *entry) Value() any { return e.whole().Value() }

// ConvertToType implements [ref.Val].
func (e *entry) ConvertToType(t ref.Type) ref.Val { return e.whole().ConvertToType(t) }

// ConvertToNative implements [ref.Val].
func (e *entry) ConvertToNative(t reflect.Type) (any, error) { return e.whole().ConvertToNative(t) }
