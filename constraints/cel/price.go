package cel

import (
	"errors"
	"fmt"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// Bounds on the work of one call, independent of the cost limit. They limit the time between
// two checks of the context to a few milliseconds.
const (
	// maxText bounds the result of a string or bytes concatenation, in bytes.
	maxText = 1 << 20
	// maxElements bounds the result of a list concatenation.
	maxElements = 10_000
	// maxNodes bounds the values visited by a comparison. With macros, a rule of a few lines
	// can build nested lists that take little memory, because they share their parts, and years
	// to compare.
	maxNodes = 10_000
	// maxScalarText bounds a string that is converted to a number, a time or a duration, or
	// looked up in a list or map. The library quotes it in errors.
	maxScalarText = 4 << 10
)

// errTooLarge is wrapped by the errors of all these bounds.
var errTooLarge = errors.New("a value is too large")

// payScalar charges for converting a string.
func payScalar(m *meter, v, _ ref.Val) error { return m.scalar(v, "a converted string") }

// scalar charges for a value that must be small.
func (m *meter) scalar(v ref.Val, what string) error {
	n := textSize(v)
	m.chargeBytes(min(n, maxScalarText))
	if n > maxScalarText {
		return fmt.Errorf("%w: %s has %d bytes, the limit is %d", errTooLarge, what, n, maxScalarText)
	}
	return nil
}

// key charges for a key of a map, in a lookup or a literal. The library quotes it if it is
// missing.
func (m *meter) key(key ref.Val) error {
	if composite(key) {
		return errors.New("no such key: a key cannot be a list or map")
	}
	return m.scalar(key, "a key")
}

// payEqual charges for comparing two values.
func payEqual(m *meter, left, right ref.Val) error {
	c := census{meter: m}
	c.pair(left, right)
	return c.err("a comparison")
}

// payIn charges for searching a list, or a key in a map.
func payIn(m *meter, left, right ref.Val) error {
	switch list := right.(type) {
	case traits.Mapper:
		return m.key(left)
	case traits.Lister:
		n := size(list)
		c := census{meter: m, nodes: n}
		for i := 0; i < n && c.nodes <= maxNodes; i++ {
			m.charge(1)
			c.pair(left, list.Get(types.Int(i)))
		}
		return c.err("in")
	}
	return nil
}

// add charges for sums and concatenations.
func add(m *meter, left, right ref.Val, call func() ref.Val) ref.Val {
	switch l := left.(type) {
	case types.String, types.Bytes:
		n := textSize(left) + textSize(right)
		if n > maxText {
			return types.WrapErr(fmt.Errorf("%w: the result of + has more than %d bytes", errTooLarge, maxText))
		}
		m.chargeBytes(n)
	case traits.MutableLister: // the accumulator of a macro
	case traits.Lister:
		return addLists(m, l, right)
	}
	return call()
}

// addLists concatenates two lists to a flat one. The library (v0.31.0) charges the cost of one
// and returns a view of both; nested views are slow to read.
func addLists(m *meter, left traits.Lister, right ref.Val) ref.Val {
	r, ok := right.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(right)
	}
	n := size(left) + size(r)
	if n > maxElements {
		return types.WrapErr(fmt.Errorf("%w: the result of + has more than %d elements", errTooLarge, maxElements))
	}
	m.charge(1 + n)
	joined := make([]ref.Val, 0, n)
	for _, l := range []traits.Lister{left, r} {
		for i := range types.Int(size(l)) {
			joined = append(joined, l.Get(i))
		}
	}
	return types.NewRefValList(types.DefaultTypeAdapter, joined)
}

// census counts nested values and charges for visiting each. It stops soon after maxNodes.
type census struct {
	meter *meter
	nodes int
}

// err returns an error if there were too many.
func (c *census) err(what string) error {
	if c.nodes <= maxNodes {
		return nil
	}
	return fmt.Errorf("%w: %s visits more than %d values", errTooLarge, what, maxNodes)
}

// pair counts the values visited by comparing two values. The library charges for top-level
// strings after comparing them, so only nested ones are charged here.
func (c *census) pair(left, right ref.Val) {
	switch {
	case composite(left) && composite(right):
		c.count(left)
		c.count(right)
	case textSize(left) == textSize(right):
		c.meter.charge(textSize(left) / bytesPerUnit)
	}
}

// count counts v and its nested values.
func (c *census) count(v ref.Val) {
	if c.nodes++; c.nodes > maxNodes {
		return
	}
	c.meter.chargeBytes(textSize(v))
	switch v := v.(type) {
	case traits.Lister:
		for i := types.Int(0); i < types.Int(size(v)) && c.nodes <= maxNodes; i++ {
			c.count(v.Get(i))
		}
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True && c.nodes <= maxNodes; {
			key := it.Next()
			c.count(key)
			c.count(v.Get(key))
		}
	}
}

// composite reports whether v is a list or map.
func composite(v ref.Val) bool {
	switch v.(type) {
	case traits.Lister, traits.Mapper:
		return true
	}
	return false
}

// size returns the number of elements of a list or map. It does not count the characters of
// strings, which is slow.
func size(v ref.Val) int {
	if composite(v) {
		if n, ok := v.(traits.Sizer).Size().(types.Int); ok {
			return int(n)
		}
	}
	return 0
}
