package cel

import (
	"errors"
	"fmt"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// Bounds on what one call may touch, whatever the cost limit. They keep a
// call, between two looks at the context, to a few milliseconds.
const (
	// maxText bounds the result of a concatenation of strings or bytes.
	maxText = 1 << 20
	// maxElements bounds the result of a concatenation of lists.
	maxElements = 10_000
	// maxNodes bounds how many values a comparison may look at: with the
	// macros, a rule of a few lines builds a list of lists of lists …, small
	// in memory for it shares its parts, that takes years to compare.
	maxNodes = 10_000
	// maxScalarText bounds a text that is converted to a number, a time or a
	// duration, and one that is looked up in a list or map. The library quotes it
	// in its errors.
	maxScalarText = 4 << 10
)

// errTooLarge is what the errors of all these bounds wrap.
var errTooLarge = errors.New("a value is too large")

// payScalar is for what reads one value out of a text.
func payScalar(m *meter, v, _ ref.Val) error { return m.scalar(v, "a text that is converted") }

// scalar pays for a value that has to be small.
func (m *meter) scalar(v ref.Val, what string) error {
	n := textSize(v)
	m.chargeBytes(min(n, maxScalarText))
	if n > maxScalarText {
		return fmt.Errorf("%w: %s may have %d bytes, this one has %d", errTooLarge, what, maxScalarText, n)
	}
	return nil
}

// key pays for a key of a map, as one that is looked up or of a literal. The library
// quotes it where it is not there.
func (m *meter) key(key ref.Val) error {
	if composite(key) {
		return errors.New("no such key: a key cannot be a list or map")
	}
	return m.scalar(key, "a key")
}

// payEqual is for comparing any two values.
func payEqual(m *meter, left, right ref.Val) error {
	c := census{meter: m}
	c.pair(left, right)
	return c.err("a comparison")
}

// payIn is for looking through a list, or for a key in a map.
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

// add is for sums, and for texts and lists that are joined.
func add(m *meter, left, right ref.Val, call func() ref.Val) ref.Val {
	switch l := left.(type) {
	case types.String, types.Bytes:
		n := textSize(left) + textSize(right)
		if n > maxText {
			return types.WrapErr(fmt.Errorf("%w: + makes a text of more than %d bytes", errTooLarge, maxText))
		}
		m.chargeBytes(n)
	case traits.MutableLister: // what a macro collects into, one by one
	case traits.Lister:
		return addLists(m, l, right)
	}
	return call()
}

// addLists joins two lists into a flat one. The library (v0.31.0) makes a view of
// both for the cost of one, and views of views are slow to read.
func addLists(m *meter, left traits.Lister, right ref.Val) ref.Val {
	r, ok := right.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(right)
	}
	n := size(left) + size(r)
	if n > maxElements {
		return types.WrapErr(fmt.Errorf("%w: + makes a list of more than %d elements", errTooLarge, maxElements))
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

// census counts the values inside others, and pays for looking at each. It
// stops soon after maxNodes.
type census struct {
	meter *meter
	nodes int
}

// err reports whether there were too many.
func (c *census) err(what string) error {
	if c.nodes <= maxNodes {
		return nil
	}
	return fmt.Errorf("%w: %s looks at more than %d values", errTooLarge, what, maxNodes)
}

// pair counts what comparing two values looks at. Texts are charged for by the
// library after they were compared, and so are paid here only inside of others.
func (c *census) pair(left, right ref.Val) {
	switch {
	case composite(left) && composite(right):
		c.count(left)
		c.count(right)
	case textSize(left) == textSize(right):
		c.meter.charge(textSize(left) / bytesPerUnit)
	}
}

// count counts v and what is in it, at any depth.
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

// size returns the number of elements of a list or map. It does not count the
// characters of texts, which takes time.
func size(v ref.Val) int {
	if composite(v) {
		if n, ok := v.(traits.Sizer).Size().(types.Int); ok {
			return int(n)
		}
	}
	return 0
}
