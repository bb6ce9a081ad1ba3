package cel

import (
	"errors"
	"fmt"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
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
	// duration, and one that is looked up in a list or map.
	maxScalarText = 4 << 10
)

// price pays for a call before it is made. An error is the result of the
// call: it hits a bound. right is nil in a call with one argument.
type price func(m *meter, left, right ref.Val) error

// functionKey is the function that [markKeys] puts around the keys of a rule.
const functionKey = "@key"

// functionSemver is the function that Operator Lifecycle Manager adds.
const functionSemver = "semver_compare"

// oldNotStrictlyFalse is what the library called NotStrictlyFalse once. It still
// declares it.
const oldNotStrictlyFalse = "__not_strictly_false__"

// priceOf returns the price of a function, or nil for one that has none. A
// rule that calls a function without a price does not compile.
func priceOf(function string) price {
	switch function {
	case operators.LogicalNot, operators.NotStrictlyFalse, oldNotStrictlyFalse, operators.Negate,
		operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo,
		overloads.TypeConvertDyn, overloads.TypeConvertType,
		overloads.Matches: // pays for the rest when its pattern is known
		return priceOfStep
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		return priceOfOrder
	case operators.Equals, operators.NotEquals:
		return priceOfEqual
	case operators.In, operators.OldIn, overloads.DeprecatedIn:
		return priceOfIn
	case operators.Add:
		return priceOfAdd
	case functionKey:
		return priceOfKey
	case overloads.Size, overloads.Contains, overloads.StartsWith, overloads.EndsWith, functionSemver,
		overloads.TypeConvertString, overloads.TypeConvertBytes:
		return priceOfText
	case overloads.TypeConvertBool, overloads.TypeConvertInt, overloads.TypeConvertUint, overloads.TypeConvertDouble,
		overloads.TypeConvertTimestamp, overloads.TypeConvertDuration:
		return priceOfScalar
	case overloads.TimeGetFullYear, overloads.TimeGetMonth, overloads.TimeGetDayOfYear, overloads.TimeGetDayOfMonth,
		overloads.TimeGetDate, overloads.TimeGetDayOfWeek, overloads.TimeGetHours, overloads.TimeGetMinutes,
		overloads.TimeGetSeconds, overloads.TimeGetMilliseconds:
		return priceOfTime
	}
	return nil
}

// priceOfStep is for what takes the same time whatever its arguments.
func priceOfStep(m *meter, _, _ ref.Val) error {
	m.charge(1)
	return nil
}

// priceOfText is for what goes through its texts once.
func priceOfText(m *meter, left, right ref.Val) error {
	m.chargeBytes(textSize(left))
	if right != nil {
		m.chargeBytes(textSize(right))
	}
	return nil
}

// priceOfScalar is for what reads one value out of a text. The library quotes
// the text in its errors.
func priceOfScalar(m *meter, left, _ ref.Val) error {
	return m.chargeScalar(left, "a text that is converted")
}

// chargeScalar charges for a value that has to be small.
func (m *meter) chargeScalar(v ref.Val, what string) error {
	n := textSize(v)
	m.chargeBytes(min(n, maxScalarText))
	if n > maxScalarText {
		return fmt.Errorf("%w: %s may have %d bytes, this one has %d", errTooLarge, what, maxScalarText, n)
	}
	return nil
}

// priceOfKey is for looking something up in a list or map.
func priceOfKey(m *meter, key, _ ref.Val) error {
	if err := m.chargeScalar(key, "a key"); err != nil {
		return err
	}
	if composite(key) {
		return errors.New("no such key: a key cannot be a list or map")
	}
	return nil
}

// priceOfOrder is for comparing two values that have an order.
func priceOfOrder(m *meter, left, right ref.Val) error {
	m.chargeBytes(min(textSize(left), textSize(right)))
	return nil
}

// priceOfEqual is for comparing any two values.
func priceOfEqual(m *meter, left, right ref.Val) error {
	if !composite(left) || !composite(right) {
		if textSize(left) == textSize(right) { // otherwise they differ at a glance
			m.chargeBytes(textSize(left))
			return nil
		}
		m.charge(1)
		return nil
	}
	c := census{meter: m}
	c.count(left)
	c.count(right)
	return c.err("a comparison")
}

// priceOfIn is for looking through a list, or for a key in a map.
func priceOfIn(m *meter, left, right ref.Val) error {
	switch list := right.(type) {
	case traits.Mapper:
		return priceOfKey(m, left, nil)
	case traits.Lister:
		n := size(list)
		if n > maxNodes {
			return (&census{nodes: n}).err("in")
		}
		m.charge(n)
		c := census{meter: m}
		for i := range types.Int(n) {
			switch e := list.Get(i); {
			case composite(left) && composite(e):
				c.count(left)
				c.count(e)
			case textSize(e) == textSize(left):
				m.charge(textSize(e) / bytesPerUnit)
			}
			if c.nodes > maxNodes {
				break
			}
		}
		return c.err("in")
	}
	m.charge(1)
	return nil
}

// priceOfAdd is for sums, and for texts and lists that are joined.
func priceOfAdd(m *meter, left, right ref.Val) error {
	switch left.(type) {
	case types.String, types.Bytes:
		n := textSize(left) + textSize(right)
		if n > maxText {
			return fmt.Errorf("%w: + makes a text of more than %d bytes", errTooLarge, maxText)
		}
		m.chargeBytes(n)
	case traits.MutableLister: // what a macro collects into, one by one
		m.charge(1 + size(right))
	case traits.Lister:
		n := size(left) + size(right)
		if n > maxElements {
			return fmt.Errorf("%w: + makes a list of more than %d elements", errTooLarge, maxElements)
		}
		m.charge(1 + n)
	default:
		m.charge(1)
	}
	return nil
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
