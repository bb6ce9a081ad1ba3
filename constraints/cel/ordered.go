package cel

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// ordered is a map that is gone through in the order of its keys. The library's are
// gone through in any order, and a rule can see in which.
type ordered struct {
	traits.Mapper
	meter *meter
	keys  []ref.Val
}

// newOrdered orders the keys of a map: by their type, then by their value.
func newOrdered(m *meter, v traits.Mapper) *ordered {
	o := &ordered{Mapper: v, meter: m}
	for it := v.Iterator(); it.HasNext() == types.True; {
		o.keys = append(o.keys, it.Next())
	}
	// Charged before, as how often two keys are compared depends on the order in which the
	// library has them, which is another one each time.
	for _, key := range o.keys {
		m.charge(bits.Len(uint(len(o.keys))-1) * (1 + textSize(key)/bytesPerUnit))
	}
	slices.SortFunc(o.keys, compareKeys)
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

// Find pays for the key, an error in which is what is found: to look something up is no
// call of a function, which a guard could stand before.
func (o *ordered) Find(key ref.Val) (ref.Val, bool) {
	if err := o.meter.key(key); err != nil {
		return types.WrapErr(err), true
	}
	return o.Mapper.Find(key)
}

func (o *ordered) Get(key ref.Val) ref.Val { return get(o, key) }

func (o *ordered) Iterator() traits.Iterator { return &iterator{keys: o.keys} }

// iterator goes through keys. Of the methods of a value, which an iterator is to
// the library, it has none that are of use.
type iterator struct {
	types.Null
	keys []ref.Val
}

var _ traits.Iterator = (*iterator)(nil)

func (it *iterator) HasNext() ref.Val { return types.Bool(len(it.keys) > 0) }

func (it *iterator) Next() ref.Val {
	if len(it.keys) == 0 {
		return nil
	}
	key := it.keys[0]
	it.keys = it.keys[1:]
	return key
}
