package cel

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// The maps of this package are gone through in the order of their keys. The
// library's are gone through in any order, and a rule can see in which.

// errNative is the error of conversions that rules have no use for.
var errNative = errors.New("a value of a rule cannot be converted")

// object is a JSON object as a map.
type object struct{ members []pair }

// pair is one key of an object with its value.
type pair struct {
	key   types.String
	value ref.Val
}

var _ traits.Mapper = (*object)(nil)

// newObject returns an object of the members that were read, of which the last
// counts where keys are equal.
func newObject(m *meter, members []pair) *object {
	slices.SortStableFunc(members, func(a, b pair) int {
		m.chargeBytes(min(len(a.key), len(b.key)))
		return strings.Compare(string(a.key), string(b.key))
	})
	n := 0
	for i, e := range members {
		if i+1 == len(members) || members[i+1].key != e.key {
			members[n] = e
			n++
		}
	}
	return &object{slices.Clip(members[:n])}
}

func (o *object) Find(key ref.Val) (ref.Val, bool) {
	text, ok := key.(types.String)
	if !ok {
		return nil, false
	}
	i, found := slices.BinarySearchFunc(o.members, string(text), func(e pair, k string) int {
		return strings.Compare(string(e.key), k)
	})
	if !found {
		return nil, false
	}
	return o.members[i].value, true
}

func (o *object) Get(key ref.Val) ref.Val { return get(o, key) }
func (o *object) Size() ref.Val           { return types.Int(len(o.members)) }

func (o *object) Contains(key ref.Val) ref.Val {
	_, found := o.Find(key)
	return types.Bool(found)
}

func (o *object) Iterator() traits.Iterator {
	return &iterator{size: len(o.members), at: func(i int) ref.Val { return o.members[i].key }}
}

func (o *object) Equal(other ref.Val) ref.Val               { return equalMaps(o, other) }
func (o *object) Type() ref.Type                            { return types.MapType }
func (o *object) Value() any                                { return o.members }
func (o *object) ConvertToType(t ref.Type) ref.Val          { return convertTo(o, types.MapType, t) }
func (o *object) ConvertToNative(reflect.Type) (any, error) { return nil, errNative }

// ordered is a map of the library with its keys in order.
type ordered struct {
	traits.Mapper
	keys []ref.Val
}

// newOrdered orders the keys of a map: by their type, then by their value.
func newOrdered(m *meter, v traits.Mapper) *ordered {
	o := &ordered{Mapper: v}
	for it := v.Iterator(); it.HasNext() == types.True; {
		o.keys = append(o.keys, it.Next())
	}
	slices.SortFunc(o.keys, func(a, b ref.Val) int {
		m.chargeBytes(min(textSize(a), textSize(b)))
		return compareKeys(a, b)
	})
	return o
}

func compareKeys(a, b ref.Val) int {
	if c := strings.Compare(a.Type().TypeName(), b.Type().TypeName()); c != 0 {
		return c
	}
	if a, ok := a.(traits.Comparer); ok {
		if c, ok := a.Compare(b).(types.Int); ok {
			return cmp.Compare(c, 0)
		}
	}
	return 0
}

func (o *ordered) Iterator() traits.Iterator {
	return &iterator{size: len(o.keys), at: func(i int) ref.Val { return o.keys[i] }}
}

func (o *ordered) Equal(other ref.Val) ref.Val { return equalMaps(o, other) }

func get(m traits.Mapper, key ref.Val) ref.Val {
	if v, ok := m.Find(key); ok {
		return v
	}
	return types.NewErr("no such key")
}

// convertTo is the ConvertToType of lists and maps.
func convertTo(v ref.Val, own *types.Type, t ref.Type) ref.Val {
	switch t {
	case own:
		return v
	case types.TypeType:
		return own
	}
	return types.NewErr("type conversion error from '%s' to '%s'", own.TypeName(), t.TypeName())
}

// iterator goes through something that is numbered. Of the methods of a value,
// which an iterator is to the library, it has none that are of use.
type iterator struct {
	types.Null
	size, next int
	at         func(int) ref.Val
}

var _ traits.Iterator = (*iterator)(nil)

func (it *iterator) HasNext() ref.Val { return types.Bool(it.next < it.size) }

func (it *iterator) Next() ref.Val {
	if it.next >= it.size {
		return nil
	}
	it.next++
	return it.at(it.next - 1)
}
