package cel

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/seed109e2655/resolute/constraints"
)

// maxAnalysis is the maximum number of analysed expressions. All others imply no demand.
const maxAnalysis = 10_000

// analyse derives from a checked rule what a matching bundle must have. It handles the usual
// rules of catalogs: exists and all over the properties, comparisons of a property's type and
// package with strings, and logical operators. Anything else implies no demand.
func analyse(e ast.Expr) constraints.Needs {
	c := (&analysis{}).when(e, true, scope{})
	return constraints.Needs{
		Never:       c.never,
		Types:       c.some.types,
		Packages:    c.some.names,
		Anything:    !c.never && c.some.types == nil && c.some.names == nil,
		ClusterOnly: !mentionsBundle(e),
	}
}

// analysis analyses one rule.
type analysis struct{ steps int }

// scope is the meaning of names in an expression.
type scope struct {
	// variable is the variable of the innermost macro over the bundle's properties. It is empty
	// outside such a macro and where the name is shadowed. Demands on a property apply only to
	// this variable.
	variable string
	// shadowed: the name of the properties has another meaning.
	shadowed bool
}

// when returns a necessary condition for e to have the value want.
func (a *analysis) when(e ast.Expr, want bool, s scope) condition {
	if a.steps++; a.steps > maxAnalysis {
		return condition{}
	}
	switch e.Kind() {
	case ast.LiteralKind:
		if b, ok := literal[types.Bool](e); ok && bool(b) != want {
			return never
		}
	case ast.CallKind:
		return a.whenCall(e.AsCall(), want, s)
	case ast.ComprehensionKind:
		return a.whenLoop(e.AsComprehension(), want, s)
	}
	return condition{}
}

func (a *analysis) whenCall(c ast.CallExpr, want bool, s scope) condition {
	args := operands(c)
	switch c.FunctionName() {
	case operators.LogicalNot:
		return a.when(args[0], !want, s)
	case operators.LogicalAnd, operators.LogicalOr:
		combine := either
		if (c.FunctionName() == operators.LogicalAnd) == want {
			combine = both
		}
		return combine(a.when(args[0], want, s), a.when(args[1], want, s))
	case operators.Equals:
		return a.whenEqual(args[0], args[1], want, s)
	case operators.NotEquals:
		return a.whenEqual(args[0], args[1], !want, s)
	case operators.In, operators.OldIn:
		if texts, ok := stringLiterals(args[1]); ok && want {
			slices.Sort(texts)
			return a.textIs(args[0], slices.Compact(texts), s)
		}
	}
	return condition{}
}

// whenLoop implements when for the loops of exists, exists_one and all. If one of the first two
// is true, or the last is false, there is an element whose test has that value.
func (a *analysis) whenLoop(c ast.ComprehensionExpr, want bool, s scope) condition {
	test, all, ok := testOf(c)
	if !ok || all == want {
		return condition{}
	}
	inner := s
	inner.shadowed = s.shadowed || c.IterVar() == varProperties
	if s.shadowed || !isIdent(c.IterRange(), varProperties) {
		if c.IterVar() == s.variable {
			inner.variable = ""
		}
		return a.when(test, want, inner)
	}
	inner.variable = c.IterVar()
	return a.when(test, want, inner).exists()
}

// testOf returns the test of the macro that a loop was expanded from; all reports whether it
// was the macro all. Loops of another shape are not supported.
func testOf(c ast.ComprehensionExpr) (test ast.Expr, all, ok bool) {
	if c.HasIterVar2() {
		return nil, false, false
	}
	step := c.LoopStep()
	switch init, _ := literal[types.Bool](c.AccuInit()); {
	case isLiteral(c.AccuInit(), types.IntZero): // exists_one counts
		args, counts := call(step, operators.Conditional, 3)
		result, compares := call(c.Result(), operators.Equals, 2)
		if counts && compares && isIdent(result[0], c.AccuVar()) && isLiteral(result[1], types.IntOne) {
			return args[0], false, true
		}
	case !isIdent(c.Result(), c.AccuVar()):
	case isLiteral(c.AccuInit(), init):
		function := operators.LogicalOr
		if init {
			function = operators.LogicalAnd
		}
		if args, ok := call(step, function, 2); ok && isIdent(args[0], c.AccuVar()) {
			return args[1], bool(init), true
		}
	}
	return nil, false, false
}

// whenEqual implements when for x == y.
func (a *analysis) whenEqual(x, y ast.Expr, want bool, s scope) condition {
	if x.Kind() == ast.LiteralKind {
		x, y = y, x
	}
	if b, ok := literal[types.Bool](y); ok {
		return a.when(x, bool(b) == want, s)
	}
	if text, ok := literal[types.String](y); ok && want {
		return a.textIs(x, []string{string(text)}, s)
	}
	return condition{}
}

// textIs returns a necessary condition for e to be one of the strings, which are sorted.
func (a *analysis) textIs(e ast.Expr, texts []string, s scope) condition {
	if len(texts) == 0 {
		return never
	}
	if len(texts) > maxAlternatives {
		return condition{}
	}
	if of, ok := member(e, "type"); ok {
		return about(of, demand{types: texts}, s)
	}
	if of, ok := member(e, "packageName"); ok {
		if value, ok := member(of, "value"); ok {
			return about(value, demand{names: texts}, s)
		}
	}
	return condition{}
}

// about returns a demand on the property of the variable if e is that variable.
func about(e ast.Expr, d demand, s scope) condition {
	if s.variable != "" && isIdent(e, s.variable) {
		return condition{this: d}
	}
	return condition{}
}

// mentionsBundle reports whether the value of e may depend on the bundle: whether it refers to
// properties.
func mentionsBundle(e ast.Expr) (found bool) {
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) { found = found || isIdent(e, varProperties) }))
	return found
}

// call returns the operands of e, including the target of a method, if e is a call of the
// function with n operands.
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

func isLiteral(e ast.Expr, v any) bool { return e.Kind() == ast.LiteralKind && e.AsLiteral() == v }

// literal returns the value of a literal of a type.
func literal[T any](e ast.Expr) (v T, ok bool) {
	if e.Kind() == ast.LiteralKind {
		v, ok = e.AsLiteral().(T)
	}
	return v, ok
}

// stringLiterals returns the values of a list of string literals.
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
