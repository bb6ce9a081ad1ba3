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

// ordered is a map with ordered iteration. The library's maps iterate in random order, which is
// observable in a rule.
type ordered struct {
	traits.Mapper
	meter *meter
	keys  []ref.Val
}

// newOrdered sorts the keys of a map by their type, then by their value.
func newOrdered(m *meter, v traits.Mapper) *ordered {
	o := &ordered{Mapper: v, meter: m}
	for it := v.Iterator(); it.HasNext() == types.True; {
		o.keys = append(o.keys, it.Next())
	}
	// Charged in advance: the number of comparisons depends on the library's iteration order,
	// which is random.
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

// Find charges for the key and returns an error for an invalid one. A lookup is not a function
// call, so no guard can do it.
func (o *ordered) Find(key ref.Val) (ref.Val, bool) {
	if err := o.meter.key(key); err != nil {
		return types.WrapErr(err), true
	}
	return o.Mapper.Find(key)
}

func (o *ordered) Get(key ref.Val) ref.Val { return get(o, key) }

func (o *ordered) Iterator() traits.Iterator { return &iterator{keys: o.keys} }

// iterator iterates over keys. The library requires an iterator to be a value; none of those
// methods is used.
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
