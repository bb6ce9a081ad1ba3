package cel

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// The macros of the language are gone from a checked expression: only the
// loop that each expands to is left. The functions of this file recognize the
// loops by their shape. A loop that is not recognized is no macro that the
// analysis knows, and demands nothing.

// macro is what a loop was before it was expanded.
type macro int

const (
	macroNone      macro = iota
	macroAll             // all(v, test)
	macroExists          // exists(v, test)
	macroExistsOne       // exists_one(v, test)
	macroFilter          // filter(v, test)
	macroMap             // map(v, made) and map(v, test, made)
)

// loop is a recognized loop.
type loop struct {
	macro    macro
	over     ast.Expr // the list
	variable string   // the variable that goes through it
	test     ast.Expr // nil where the macro has none
	made     ast.Expr // what map makes of each element
}

// recognize returns the macro that e was.
func recognize(e ast.Expr) loop {
	if e.Kind() != ast.ComprehensionKind || e.AsComprehension().HasIterVar2() {
		return loop{}
	}
	c := e.AsComprehension()
	l := loop{over: c.IterRange(), variable: c.IterVar()}
	accu := c.AccuVar()
	switch init := c.AccuInit(); init.Kind() {
	case ast.LiteralKind:
		l.recognizeTest(c, init.AsLiteral(), accu)
	case ast.ListKind:
		if init.AsList().Size() == 0 && isIdent(c.Result(), accu) {
			l.recognizeList(c.LoopStep(), accu)
		}
	}
	return l
}

// recognizeTest recognizes the macros that give a boolean.
func (l *loop) recognizeTest(c ast.ComprehensionExpr, init ref.Val, accu string) {
	step := c.LoopStep()
	switch init {
	case types.True:
		if args, ok := call(step, operators.LogicalAnd, 2); ok && isIdent(args[0], accu) && isIdent(c.Result(), accu) {
			l.macro, l.test = macroAll, args[1]
		}
	case types.False:
		if args, ok := call(step, operators.LogicalOr, 2); ok && isIdent(args[0], accu) && isIdent(c.Result(), accu) {
			l.macro, l.test = macroExists, args[1]
		}
	case types.IntZero:
		args, ok := call(step, operators.Conditional, 3)
		result, isEqual := call(c.Result(), operators.Equals, 2)
		if ok && isIdent(args[2], accu) && isEqual && isIdent(result[0], accu) && isLiteral(result[1], types.IntOne) {
			l.macro, l.test = macroExistsOne, args[0]
		}
	}
}

// recognizeList recognizes the macros that give a list.
func (l *loop) recognizeList(step ast.Expr, accu string) {
	var test ast.Expr
	if args, ok := call(step, operators.Conditional, 3); ok && isIdent(args[2], accu) {
		test, step = args[0], args[1]
	}
	args, ok := call(step, operators.Add, 2)
	if !ok || !isIdent(args[0], accu) || args[1].Kind() != ast.ListKind || args[1].AsList().Size() != 1 {
		return
	}
	l.test, l.made = test, args[1].AsList().Elements()[0]
	l.macro = macroMap
	if test != nil && isIdent(l.made, l.variable) {
		l.macro = macroFilter
	}
}

// call returns the operands of e, the target of a method among them, if e is
// a call of that function with n operands.
func call(e ast.Expr, function string, n int) ([]ast.Expr, bool) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != function {
		return nil, false
	}
	args := operands(e.AsCall())
	return args, len(args) == n
}

// operands returns the target and the arguments of a call.
func operands(c ast.CallExpr) []ast.Expr {
	if !c.IsMemberFunction() {
		return c.Args()
	}
	return append([]ast.Expr{c.Target()}, c.Args()...)
}

func isIdent(e ast.Expr, name string) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == name }

func isLiteral(e ast.Expr, v ref.Val) bool { return e.Kind() == ast.LiteralKind && e.AsLiteral() == v }

// literal returns the value of a literal of a type.
func literal[T ref.Val](e ast.Expr) (v T, ok bool) {
	if e.Kind() == ast.LiteralKind {
		v, ok = e.AsLiteral().(T)
	}
	return v, ok
}

// stringLiterals returns the texts of a list of string literals.
func stringLiterals(e ast.Expr) ([]string, bool) {
	if e.Kind() != ast.ListKind {
		return nil, false
	}
	texts := []string{}
	for _, item := range e.AsList().Elements() {
		s, ok := literal[types.String](item)
		if !ok {
			return nil, false
		}
		texts = append(texts, string(s))
	}
	return texts, true
}

// member returns the operand of e.name or e["name"].
func member(e ast.Expr, name string) (ast.Expr, bool) {
	if e.Kind() == ast.SelectKind {
		s := e.AsSelect()
		return s.Operand(), s.FieldName() == name && !s.IsTestOnly()
	}
	if args, ok := call(e, operators.Index, 2); ok {
		return args[0], isLiteral(args[1], types.String(name))
	}
	return nil, false
}
