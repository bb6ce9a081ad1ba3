package cel

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// Bounds on single operations. The library counts the cost of an operation
// when it is done and checks for interruption in loops alone, so one
// operation must not be able to run for long.
const (
	// maxText bounds the result of a concatenation of strings or bytes.
	maxText = 1 << 20
	// maxElements bounds the result of a concatenation of lists.
	maxElements = 10_000
	// maxNodes bounds how many values a comparison may look at: with the
	// macros, a rule of a few lines builds a list of lists of lists …, small
	// in memory for it shares its parts, that takes for ever to compare.
	maxNodes = 10_000
	// maxPattern bounds the text of a regular expression, maxRegexProgram
	// what it compiles to, and maxRegexWork the product of that and of the
	// length of the text that it is matched with.
	maxPattern      = 1 << 10
	maxRegexProgram = 1_000
	maxRegexWork    = 500_000
)

// operation is a binary operation with its bounds.
type operation func(left, right ref.Val) ref.Val

// guarded is a call of an operation in place of the library's own. It also
// gives way to interruption.
type guarded struct {
	interpreter.InterpretableCall
	op operation
}

// guard replaces the operations that can run for long by bounded ones. It is
// called for each node of a rule while the rule is planned.
func guard(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok || len(call.Args()) != 2 {
		return i, nil
	}
	switch call.Function() {
	case operators.Equals:
		return &guarded{call, equal}, nil
	case operators.NotEquals:
		return &guarded{call, notEqual}, nil
	case operators.In, operators.OldIn:
		return &guarded{call, contains}, nil
	case operators.Add:
		return &guarded{call, add}, nil
	case overloads.Matches:
		op, err := matchOperation(call.Args()[1])
		return &guarded{call, op}, err
	}
	return i, nil
}

// Exec evaluates the operands, then the operation. An operand in error is
// the result.
func (g *guarded) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	args := g.Args()
	left := args[0].Exec(frame)
	if types.IsUnknownOrError(left) {
		return left
	}
	right := args[1].Exec(frame)
	if types.IsUnknownOrError(right) {
		return right
	}
	if frame.CheckInterrupt() {
		return types.WrapErr(interpreter.InterruptError{})
	}
	return types.LabelErrNode(g.ID(), g.op(left, right))
}

// Eval implements [interpreter.Interpretable].
func (g *guarded) Eval(vars interpreter.Activation) ref.Val { return g.Exec(interpreter.AsFrame(vars)) }

// equal is the operator ==.
func equal(left, right ref.Val) ref.Val {
	if nodes(left, right) > maxNodes {
		return tooLarge("== compares", "values", maxNodes)
	}
	return types.Equal(left, right)
}

// notEqual is the operator !=.
func notEqual(left, right ref.Val) ref.Val {
	if nodes(left, right) > maxNodes {
		return tooLarge("!= compares", "values", maxNodes)
	}
	return types.Bool(types.Equal(left, right) != types.True)
}

// contains is the operator in.
func contains(left, right ref.Val) ref.Val {
	c, ok := right.(traits.Container)
	if !ok {
		return types.MaybeNoSuchOverloadErr(right)
	}
	if nodes(left, right) > maxNodes {
		return tooLarge("in looks through", "values", maxNodes)
	}
	return c.Contains(left)
}

// add is the operator +.
func add(left, right ref.Val) ref.Val {
	a, ok := left.(traits.Adder)
	if !ok {
		return types.MaybeNoSuchOverloadErr(left)
	}
	switch left.(type) {
	case types.String, types.Bytes:
		if size(left)+size(right) > maxText {
			return tooLarge("+ makes a text of", "bytes", maxText)
		}
	case traits.MutableLister: // what a macro collects into, one by one
	case traits.Lister:
		return addLists(left, right)
	}
	return a.Add(right)
}

// addLists joins two lists into a flat one. The library would make a view of
// both, and views of views are slow to read.
func addLists(left, right ref.Val) ref.Val {
	r, ok := right.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(right)
	}
	n := size(left) + size(right)
	if n > maxElements {
		return tooLarge("+ makes a list of", "elements", maxElements)
	}
	joined := make([]ref.Val, 0, n)
	for _, l := range []traits.Lister{left.(traits.Lister), r} {
		for i := range types.Int(size(l)) {
			joined = append(joined, l.Get(i))
		}
	}
	return types.NewRefValList(types.DefaultTypeAdapter, joined)
}

// matchOperation returns the function matches. A pattern that is written in
// the rule is compiled here, once; one that does not compile, or is too
// large, makes the rule invalid.
func matchOperation(pattern interpreter.InterpretableV2) (operation, error) {
	if c, ok := pattern.(interpreter.InterpretableConst); ok {
		if text, ok := c.Value().(types.String); ok {
			re, work, err := compileRegex(string(text))
			if err != nil {
				return nil, err
			}
			return func(left, _ ref.Val) ref.Val { return match(re, work, left) }, nil
		}
	}
	return func(left, right ref.Val) ref.Val {
		text, ok := right.(types.String)
		if !ok {
			return types.MaybeNoSuchOverloadErr(right)
		}
		re, work, err := compileRegex(string(text))
		if err != nil {
			return types.WrapErr(err)
		}
		return match(re, work, left)
	}, nil
}

// compileRegex compiles a pattern and tells the work that it makes of each
// byte that it is matched with.
func compileRegex(pattern string) (*regexp.Regexp, int, error) {
	if len(pattern) > maxPattern {
		return nil, 0, fmt.Errorf("%w: a regular expression may have %d bytes", errTooLarge, maxPattern)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, 0, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, 0, err
	}
	work := len(program.Inst)
	if work > maxRegexProgram {
		return nil, 0, fmt.Errorf("%w: a regular expression may compile to %d instructions, this one has %d", errTooLarge, maxRegexProgram, work)
	}
	re, err := regexp.Compile(pattern)
	return re, work, err
}

// match matches a text.
func match(re *regexp.Regexp, work int, v ref.Val) ref.Val {
	text, ok := v.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	if work*len(text) > maxRegexWork {
		return types.WrapErr(fmt.Errorf("%w for its regular expression: %d bytes", errTooLarge, len(text)))
	}
	return types.Bool(re.MatchString(string(text)))
}

// tooLarge is the value of an operation that hits its bound.
func tooLarge(what, unit string, limit int) ref.Val {
	return types.WrapErr(fmt.Errorf("%w: %s more than %d %s", errTooLarge, what, limit, unit))
}

// size returns the size of a text or list, counting bytes in a text.
func size(v ref.Val) int {
	switch v := v.(type) {
	case types.String:
		return len(v)
	case types.Bytes:
		return len(v)
	case traits.Sizer:
		if n, ok := v.Size().(types.Int); ok {
			return int(n)
		}
	}
	return 0
}

// nodes counts the values inside both values, at any depth, and stops soon
// after maxNodes. Where one of them is neither a list nor a map, the other is
// not descended into: all that can happen is a look at its elements.
func nodes(left, right ref.Val) int {
	deep := composite(left) && composite(right)
	n := 0
	count(left, deep, &n)
	count(right, deep, &n)
	return n
}

// composite tells whether v is a list or map.
func composite(v ref.Val) bool {
	switch v.(type) {
	case traits.Lister, traits.Mapper:
		return true
	}
	return false
}

// count adds the number of values in v to n.
func count(v ref.Val, deep bool, n *int) {
	*n++
	if *n > maxNodes {
		return
	}
	if !deep {
		if composite(v) {
			*n += size(v)
		}
		return
	}
	switch v := v.(type) {
	case traits.Lister:
		for i := types.Int(0); i < types.Int(size(v)) && *n <= maxNodes; i++ {
			count(v.Get(i), deep, n)
		}
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True && *n <= maxNodes; {
			*n++
			count(v.Get(it.Next()), deep, n)
		}
	}
}
