package cel

import (
	"fmt"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// guard replaces the implementation of a function: it checks and charges for the arguments
// before it calls the library. right is nil in a call with one argument. call is the library's
// implementation.
type guard func(m *meter, left, right ref.Val, call func() ref.Val) ref.Val

// check returns a guard that only checks the arguments.
func check(validate func(m *meter, left, right ref.Val) error) guard {
	return func(m *meter, left, right ref.Val, call func() ref.Val) ref.Val {
		if err := validate(m, left, right); err != nil {
			return types.WrapErr(err)
		}
		return call()
	}
}

// guardOf returns the guard of a function that needs one, or nil. The time of all other
// functions grows with the length of their string arguments, for which each call is charged.
func guardOf(function string) guard {
	switch function {
	case operators.Equals, operators.NotEquals:
		return check(payEqual)
	case operators.In, operators.OldIn, overloads.DeprecatedIn:
		return check(payIn)
	case operators.Add:
		return add
	case overloads.TypeConvertBool, overloads.TypeConvertInt, overloads.TypeConvertUint, overloads.TypeConvertDouble, overloads.TypeConvertDuration:
		return check(payScalar)
	case functionSemver:
		return check(paySemver)
	case overloads.TypeConvertTimestamp:
		return toTimestamp
	case overloads.TimeGetFullYear, overloads.TimeGetMonth, overloads.TimeGetDayOfYear, overloads.TimeGetDayOfMonth, overloads.TimeGetDate,
		overloads.TimeGetDayOfWeek, overloads.TimeGetHours, overloads.TimeGetMinutes, overloads.TimeGetSeconds, overloads.TimeGetMilliseconds:
		return check(checkZone)
	}
	return nil
}

// plan is the state of planning one rule.
type plan struct {
	*language
	patterns patterns
}

// decorate adds guards and costs to a planned rule.
func (p *plan) decorate(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	switch i := i.(type) {
	case *paid, *paidAttribute, *guarded:
		return i, nil
	case interpreter.InterpretableCall:
		if !nonStrict(i.Function()) {
			return p.guardCall(i)
		}
	}
	return pay(i), nil
}

// guarded is a call that charges for its string arguments, with an optional guard.
type guarded struct {
	interpreter.InterpretableCall
	guard guard // may be nil
	call  func(left, right ref.Val) ref.Val
}

func (p *plan) guardCall(i interpreter.InterpretableCall) (interpreter.InterpretableV2, error) {
	g, args := guardOf(i.Function()), i.Args()
	if i.Function() == overloads.Matches && len(args) == 2 {
		var err error
		if g, err = p.patterns.matcher(args[1]); err != nil {
			return nil, err
		}
	}
	if len(args) < 1 || len(args) > 2 {
		return nil, fmt.Errorf("function %s is not available with %d arguments", i.Function(), len(args))
	}
	c := &guarded{InterpretableCall: i, guard: g}
	switch f, found := p.find(i); {
	case i.Function() == operators.Equals:
		c.call = types.Equal
	case i.Function() == operators.NotEquals:
		c.call = func(left, right ref.Val) ref.Val { return types.Bool(types.Equal(left, right) != types.True) }
	case found:
		c.call = func(left, right ref.Val) ref.Val { return dispatch(f, left, right) }
	default:
		return nil, fmt.Errorf("function %s is not available", i.Function())
	}
	return c, nil
}

// find returns the implementation of a call.
func (l *language) find(i interpreter.InterpretableCall) (*functions.Overload, bool) {
	if f, ok := l.functions.FindOverload(i.OverloadID()); ok {
		return f, true
	}
	return l.functions.FindOverload(i.Function())
}

// dispatch calls a library function with one or two arguments.
func dispatch(f *functions.Overload, left, right ref.Val) ref.Val {
	args := []ref.Val{left, right}
	if right == nil {
		args = args[:1]
	}
	switch {
	case f.OperandTrait != 0 && !left.Type().HasTrait(f.OperandTrait):
	case right == nil && f.Unary != nil:
		return f.Unary(left)
	case right != nil && f.Binary != nil:
		return f.Binary(left, right)
	case f.Function != nil:
		return f.Function(args...)
	}
	if receiver, ok := left.(traits.Receiver); ok {
		return receiver.Receive(f.Operator, f.Operator, args[1:])
	}
	return types.NoSuchOverloadErr()
}

// Exec evaluates the arguments, and calls the function through its guard. An error in an
// argument is the result.
func (c *guarded) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	var values [2]ref.Val
	for i, arg := range c.Args() {
		if values[i] = arg.Exec(frame); types.IsUnknownOrError(values[i]) {
			return values[i]
		}
	}
	left, right := values[0], values[1]
	m := meterOf(frame)
	payTexts(m, c.Function(), left, right)
	if c.guard == nil {
		return types.LabelErrNode(c.ID(), c.call(left, right))
	}
	return types.LabelErrNode(c.ID(), c.guard(m, left, right, func() ref.Val { return c.call(left, right) }))
}

func (c *guarded) Eval(vars interpreter.Activation) ref.Val {
	return c.Exec(interpreter.AsFrame(vars))
}

// orderedLiteral is a map literal with ordered keys.
type orderedLiteral struct {
	interpreter.InterpretableConstructor
}

func (l *orderedLiteral) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := l.InterpretableConstructor.Exec(frame)
	made, ok := v.(traits.Mapper)
	if !ok {
		return v
	}
	o := newOrdered(meterOf(frame), made)
	for _, key := range o.keys {
		if err := o.meter.key(key); err != nil {
			return types.WrapErr(err)
		}
	}
	return o
}

func (l *orderedLiteral) Eval(vars interpreter.Activation) ref.Val {
	return l.Exec(interpreter.AsFrame(vars))
}
