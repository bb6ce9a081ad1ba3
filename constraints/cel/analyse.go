package cel

import (
	"maps"
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// maxAnalysis bounds the steps of one analysis. Nested conditionals are
// looked at from both sides and would otherwise take exponential time.
const maxAnalysis = 10_000

// analyse works out what a bundle needs to match a rule.
//
// It goes through the rule with one question: what must be the case for this
// expression to be true (or false)? Wherever it does not know, the answer is
// "nothing", so every answer is a necessary condition. An expression in error
// is neither true nor false, and the logical operators pass over an error
// only where the other side decides: the question is not touched by errors.
func analyse(a *ast.AST) Needs {
	c := (&analysis{}).when(a.Expr(), true, nil)
	return Needs{
		Never:       c.never,
		Types:       c.types,
		Packages:    c.packages,
		Anything:    !c.never && c.types == nil && c.packages == nil,
		ClusterOnly: !mentionsBundle(a.Expr(), nil),
	}
}

// scope is what the variables of the macros around an expression stand for. Other
// names are global.
type scope map[string]binding

// and returns the scope with one more variable.
func (s scope) and(name string, of binding) scope {
	inner := make(scope, len(s)+1)
	maps.Copy(inner, s)
	inner[name] = of
	return inner
}

// analysis is one run.
type analysis struct {
	steps int
	last  binding
}

func (a *analysis) bind() binding {
	a.last++
	return a.last
}

// when returns what must be the case for e to have the value want. Where want
// is false, it is also what must be the case for e to have any other value
// than true, which matters where the type of e is known only at run time.
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
		return a.whenLoop(recognize(e), want, s)
	}
	return condition{}
}

// whenCall is when for a call.
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
	case operators.Conditional:
		return either(
			both(a.when(args[0], true, s), a.when(args[1], want, s)),
			both(a.when(args[0], false, s), a.when(args[2], want, s)))
	case operators.Equals:
		return a.whenEqual(args[0], args[1], want, s)
	case operators.NotEquals:
		return a.whenEqual(args[0], args[1], !want, s)
	case operators.In, operators.OldIn:
		if want {
			return a.whenIn(args[0], args[1], s)
		}
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		return a.whenSize(c.FunctionName(), args[0], args[1], want, s)
	}
	return condition{}
}

// whenLoop is when for a macro.
func (a *analysis) whenLoop(l loop, want bool, s scope) condition {
	switch {
	case l.macro == macroExists && want, l.macro == macroExistsOne && want:
		return a.some(l, true, nil, s)
	case l.macro == macroAll && !want:
		return a.some(l, false, nil, s)
	}
	return condition{}
}

// some returns what must be the case for the list of l to have an element
// for which the test of l, if there is one, has the value want, and of which map
// makes one of the texts, unless they are nil.
func (a *analysis) some(l loop, want bool, texts []string, s scope) condition {
	v := a.bind()
	c, isProperty := a.element(l.over, v, s)
	if !isProperty {
		c, v = a.notEmpty(l.over, s), 0
	}
	inner := s.and(l.variable, v)
	if l.test != nil {
		c = both(c, a.when(l.test, want, inner))
	}
	if texts != nil && isProperty {
		c = both(c, a.textIs(l.made, texts, inner))
	}
	return c.exists(v)
}

// element returns what is known of each element v of the list e. ok is true if
// whether the elements are properties of the bundle.
func (a *analysis) element(e ast.Expr, v binding, s scope) (c condition, ok bool) {
	if isIdent(e, varProperties) {
		_, local := s[varProperties]
		return condition{}, !local
	}
	if l := recognize(e); l.macro == macroFilter {
		c, ok = a.element(l.over, v, s)
		if ok {
			c = both(c, a.when(l.test, true, s.and(l.variable, v)))
		}
	}
	return c, ok
}

// notEmpty returns what must be the case for the list e to have an element.
func (a *analysis) notEmpty(e ast.Expr, s scope) condition {
	if a.steps++; a.steps > maxAnalysis {
		return condition{}
	}
	if e.Kind() == ast.ListKind && e.AsList().Size() == 0 {
		return never
	}
	if l := recognize(e); l.macro == macroFilter || l.macro == macroMap {
		return a.some(l, true, nil, s)
	}
	return condition{}
}

// whenEqual returns what must be the case for x == y to have the value want.
func (a *analysis) whenEqual(x, y ast.Expr, want bool, s scope) condition {
	if x.Kind() == ast.LiteralKind || x.Kind() == ast.ListKind {
		x, y = y, x
	}
	if b, ok := literal[types.Bool](y); ok {
		return a.when(x, bool(b) == want, s)
	}
	if text, ok := literal[types.String](y); ok && want {
		return a.textIs(x, []string{string(text)}, s)
	}
	if y.Kind() == ast.ListKind && y.AsList().Size() == 0 && !want {
		return a.notEmpty(x, s)
	}
	return a.whenSize(operators.Equals, x, y, want, s)
}

// whenIn returns what must be the case for x in y.
func (a *analysis) whenIn(x, y ast.Expr, s scope) condition {
	if texts, ok := stringLiterals(y); ok {
		slices.Sort(texts)
		return a.textIs(x, slices.Compact(texts), s)
	}
	if text, ok := literal[types.String](x); ok {
		if l := recognize(y); l.macro == macroMap {
			return a.some(l, true, []string{string(text)}, s)
		}
	}
	return a.notEmpty(y, s)
}

// textIs returns what must be the case for e to be one of the texts, which
// are sorted.
func (a *analysis) textIs(e ast.Expr, texts []string, s scope) condition {
	if len(texts) == 0 {
		return never
	}
	if len(texts) > maxAlternatives {
		return condition{}
	}
	if of, ok := member(e, "type"); ok {
		return a.property(of, element{types: texts}, s)
	}
	if of, ok := member(e, "packageName"); ok {
		if value, ok := member(of, "value"); ok {
			return a.property(value, element{names: texts}, s)
		}
	}
	return condition{}
}

// property returns the condition that the property e stands for fulfils el.
func (a *analysis) property(e ast.Expr, el element, s scope) condition {
	if e.Kind() == ast.IdentKind {
		if v := s[e.AsIdent()]; v != 0 {
			return condition{}.with(v, el)
		}
		return condition{}
	}
	if args, ok := call(e, operators.Index, 2); ok { // properties[i]
		v := a.bind()
		if c, ok := a.element(args[0], v, s); ok {
			return both(c, condition{}.with(v, el)).exists(v)
		}
	}
	return condition{}
}

// whenSize returns what must be the case for the comparison of the size of a
// list with a number to have the value want: where a size of 0 would give
// another value, the list has an element.
func (a *analysis) whenSize(operator string, x, y ast.Expr, want bool, s scope) condition {
	if list, ok := call(x, overloads.Size, 1); ok {
		if n, ok := literal[types.Int](y); ok && compare(operator, 0, n) != want {
			return a.notEmpty(list[0], s)
		}
	}
	if list, ok := call(y, overloads.Size, 1); ok {
		if n, ok := literal[types.Int](x); ok && compare(operator, n, 0) != want {
			return a.notEmpty(list[0], s)
		}
	}
	return condition{}
}

func compare(operator string, x, y types.Int) bool {
	switch operator {
	case operators.Equals:
		return x == y
	case operators.Less:
		return x < y
	case operators.LessEquals:
		return x <= y
	case operators.Greater:
		return x > y
	}
	return x >= y
}

// mentionsBundle reports whether e may depend on the properties of the bundle:
// it does unless every name in it is a variable of a macro or the cluster.
func mentionsBundle(e ast.Expr, s scope) bool {
	mentions := func(e ast.Expr) bool { return mentionsBundle(e, s) }
	switch e.Kind() {
	case ast.LiteralKind:
		return false
	case ast.IdentKind:
		_, local := s[e.AsIdent()]
		return !local && e.AsIdent() != varCluster
	case ast.SelectKind:
		return mentions(e.AsSelect().Operand())
	case ast.CallKind:
		return slices.ContainsFunc(operands(e.AsCall()), mentions)
	case ast.ListKind:
		return slices.ContainsFunc(e.AsList().Elements(), mentions)
	case ast.MapKind:
		return slices.ContainsFunc(e.AsMap().Entries(), func(entry ast.EntryExpr) bool {
			m := entry.AsMapEntry()
			return mentions(m.Key()) || mentions(m.Value())
		})
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		inner := s.and(c.IterVar(), 0).and(c.AccuVar(), 0)
		if c.HasIterVar2() {
			inner = inner.and(c.IterVar2(), 0)
		}
		return mentions(c.IterRange()) || mentions(c.AccuInit()) || mentionsBundle(c.LoopCondition(), inner) ||
			mentionsBundle(c.LoopStep(), inner) || mentionsBundle(c.Result(), inner)
	}
	return true
}
