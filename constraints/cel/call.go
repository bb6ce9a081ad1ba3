package cel

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// What the parts of a rule cost that are not calls, as in the cost model of
// the language.
const (
	costOfName = 1
	costOfList = 10
	costOfMap  = 30
)

// operation is what a call does with its arguments. right is nil in a call
// with one argument. The call has paid its price already; the meter is there
// for what only shows on the way.
type operation func(m *meter, left, right ref.Val) ref.Val

// language is the environment of the rules with its functions by name.
type language struct {
	env       *cel.Env
	functions interpreter.Dispatcher
}

// newLanguage collects the functions of an environment.
func newLanguage(env *cel.Env) (*language, error) {
	l := &language{env: env, functions: interpreter.NewDispatcher()}
	for _, f := range env.Functions() {
		bindings, err := f.Bindings()
		if err != nil {
			return nil, err
		}
		if err := l.functions.Add(bindings...); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// meterNode puts each node of a rule on the meter, while the rule is planned:
// calls pay by their arguments, everything else that takes time by its kind.
// Loops need nothing: each round evaluates nodes.
func (l *language) meterNode(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	switch i := i.(type) {
	case *meteredCall, *meteredName, *meteredLiteral, interpreter.InterpretableConst:
		return i, nil
	case interpreter.InterpretableCall:
		return l.meterCall(i)
	case interpreter.InterpretableAttribute:
		return &meteredName{InterpretableAttribute: i, cost: costOfName}, nil
	case interpreter.InterpretableConstructor:
		return &meteredLiteral{i}, nil
	}
	return i, nil
}

// meteredCall is a call that pays before it is made.
type meteredCall struct {
	interpreter.InterpretableCall
	left, right interpreter.InterpretableV2 // right is nil in a call with one argument
	strict      bool                        // an argument in error is the result
	price       price
	do          operation
}

// meterCall makes a call of the library's.
func (l *language) meterCall(i interpreter.InterpretableCall) (interpreter.InterpretableV2, error) {
	args := i.Args()
	c := &meteredCall{InterpretableCall: i, strict: true, price: priceOf(i.Function())}
	if c.price == nil || len(args) < 1 || len(args) > 2 {
		return nil, fmt.Errorf("the function %s is not available", i.Function())
	}
	c.left = args[0]
	if len(args) == 2 {
		c.right = args[1]
	}
	f, found := l.functions.FindOverload(i.OverloadID())
	if !found {
		f, found = l.functions.FindOverload(i.Function())
	}
	if found {
		c.strict = !f.NonStrict
	}
	var err error
	c.do, err = c.operation(f)
	return c, err
}

// operation returns what a call does: an operation of this package, or the
// library's.
func (c *meteredCall) operation(f *functions.Overload) (operation, error) {
	switch c.Function() {
	case operators.Equals:
		return equal, nil
	case operators.NotEquals:
		return notEqual, nil
	case operators.In, operators.OldIn, overloads.DeprecatedIn:
		return contains, nil
	case operators.Add:
		return add, nil
	case overloads.Matches:
		return matcher(c.right)
	case overloads.TypeConvertTimestamp:
		return toTimestamp, nil
	}
	return func(_ *meter, left, right ref.Val) ref.Val { return c.dispatch(f, left, right) }, nil
}

// dispatch calls a function of the library, as the library does.
func (c *meteredCall) dispatch(f *functions.Overload, left, right ref.Val) ref.Val {
	if f != nil && (f.OperandTrait == 0 || !c.strict && types.IsUnknownOrError(left) || left.Type().HasTrait(f.OperandTrait)) {
		switch {
		case right == nil && f.Unary != nil:
			return f.Unary(left)
		case right != nil && f.Binary != nil:
			return f.Binary(left, right)
		case right == nil && f.Function != nil:
			return f.Function(left)
		case f.Function != nil:
			return f.Function(left, right)
		}
	}
	if receiver, ok := left.(traits.Receiver); ok {
		args := []ref.Val{}
		if right != nil {
			args = append(args, right)
		}
		return receiver.Receive(c.Function(), c.OverloadID(), args)
	}
	return types.NoSuchOverloadErr()
}

// Exec evaluates the arguments, pays, and makes the call.
func (c *meteredCall) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	left := c.left.Exec(frame)
	if c.strict && types.IsUnknownOrError(left) {
		return left
	}
	var right ref.Val
	if c.right != nil {
		if right = c.right.Exec(frame); c.strict && types.IsUnknownOrError(right) {
			return right
		}
	}
	m := meterOf(frame)
	if err := c.price(m, left, right); err != nil {
		return types.LabelErrNode(c.ID(), types.WrapErr(err))
	}
	return types.LabelErrNode(c.ID(), c.do(m, left, right))
}

func (c *meteredCall) Eval(vars interpreter.Activation) ref.Val {
	return c.Exec(interpreter.AsFrame(vars))
}

// meteredName is a variable and what is selected from it, as p.value.version.
type meteredName struct {
	interpreter.InterpretableAttribute
	cost int
}

func (n *meteredName) AddQualifier(q interpreter.Qualifier) (interpreter.Attribute, error) {
	n.cost += costOfName
	_, err := n.InterpretableAttribute.AddQualifier(q)
	return n, err
}

func (n *meteredName) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	meterOf(frame).charge(n.cost)
	return n.InterpretableAttribute.Exec(frame)
}

func (n *meteredName) Eval(vars interpreter.Activation) ref.Val {
	return n.Exec(interpreter.AsFrame(vars))
}

// meteredLiteral is a list or map that a rule builds.
type meteredLiteral struct {
	interpreter.InterpretableConstructor
}

func (l *meteredLiteral) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	m, n := meterOf(frame), len(l.InitVals())
	if l.Type() != types.MapType {
		m.charge(max(costOfList, n))
		return l.InterpretableConstructor.Exec(frame)
	}
	m.charge(max(costOfMap, n))
	v := l.InterpretableConstructor.Exec(frame)
	if made, ok := v.(traits.Mapper); ok {
		return newOrdered(m, made)
	}
	return v
}

func (l *meteredLiteral) Eval(vars interpreter.Activation) ref.Val {
	return l.Exec(interpreter.AsFrame(vars))
}
