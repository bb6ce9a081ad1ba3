package cel

import (
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Most rules of a catalog differ in nothing but what their literals say: a
// package, a version. Whether a rule compiles does not depend on that. So the
// language parses, checks and plans each shape of rules once, and a rule of a
// known shape is made of the checked expression of that shape, when it is first
// asked for.
//
// That a shape compiles if and only if its rules do holds because a literal that
// is cut out leaves one of the same kind in its place, so that the language sees
// the same tokens. What it makes of them looks at the kind of a literal alone,
// but for regular expressions, which are compiled with the rule: nothing is cut
// out where one may be.
const (
	// maxShape bounds, in bytes, a rule whose literals are cut out, and so what
	// it takes to make it of its shape: some ten microseconds for a rule that a
	// person would write, and a few milliseconds at worst.
	maxShape = 2 << 10
	// maxTemplates bounds how many shapes are remembered.
	maxTemplates = 256
	// firstNumber is the number that stands for the first literal where that is
	// a number. Those that macros put into an expression are smaller.
	firstNumber = 1_000_000
)

// template is what the rules of one shape have in common.
type template struct {
	language *language
	checked  *ast.AST
}

// template compiles a shape.
func (c *Compiler) template(shape string) (*template, error) {
	l, checked, err := c.check(shape)
	if err != nil {
		return nil, err
	}
	if _, err := l.plan(checked); err != nil {
		return nil, err
	}
	return &template{l, checked}, nil
}

// plan makes a rule of the shape ready for evaluation.
func (t *template) plan(rule string) (p *planned, err error) {
	defer refuse(&err)
	return t.language.plan(t.fill(rule))
}

// fill returns the checked expression of a rule of the shape.
func (t *template) fill(rule string) *ast.AST {
	var literals []ref.Val
	cut(rule, func(v ref.Val) { literals = append(literals, v) })
	factory := ast.NewExprFactory()
	e := factory.CopyExpr(t.checked.Expr())
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.LiteralKind {
			if v := stoodFor(e.AsLiteral(), literals); v != nil {
				e.SetKindCase(factory.NewLiteral(e.ID(), v))
			}
		}
	}))
	return ast.NewCheckedAST(ast.NewAST(e, t.checked.SourceInfo()), t.checked.TypeMap(), t.checked.ReferenceMap())
}

// stoodFor returns the literal that v stands for in a shape, or nil if it stands
// for itself, as what macros put into an expression does.
func stoodFor(v ref.Val, literals []ref.Val) ref.Val {
	switch v := v.(type) {
	case types.String:
		if i, err := strconv.Atoi(string(v)); err == nil {
			return literals[i]
		}
	case types.Int:
		if v >= firstNumber {
			return literals[v-firstNumber]
		}
		if v <= -firstNumber { // the minus sign is part of the literal
			return literals[-v-firstNumber].(types.Int).Negate()
		}
	}
	return nil
}

// cut cuts the literals out of a rule: texts of plain characters and whole
// numbers, which it passes to take unless that is nil. ok is false if there are
// none, or if something in the rule could make the language divide it into other
// tokens, or give a literal a meaning before the rule runs.
func cut(rule string, take func(ref.Val)) (shape string, ok bool) {
	if len(rule) > maxShape || strings.Contains(rule, overloads.Matches) {
		return "", false
	}
	count := int64(0)
	b := make([]byte, 0, len(rule)+16)
	for i := 0; i < len(rule); {
		n := 1
		switch ch := rule[i]; {
		case ch == '\'' || ch == '"':
			if n = plainText(rule[i:]); n == 0 {
				return "", false
			}
			b = append(strconv.AppendInt(append(b, '\''), count, 10), '\'')
			count++
			if take != nil {
				take(types.String(rule[i+1 : i+n-1]))
			}
		case isDigit(ch):
			n = word(rule[i:])
			v, err := strconv.ParseInt(rule[i:i+n], 10, 64)
			if err != nil {
				return "", false
			}
			b = strconv.AppendInt(b, firstNumber+count, 10)
			count++
			if take != nil {
				take(types.Int(v))
			}
		case isLetter(ch):
			n = word(rule[i:])
			if i+n < len(rule) && (rule[i+n] == '\'' || rule[i+n] == '"') { // a prefix, as of r"raw"
				return "", false
			}
			b = append(b, rule[i:i+n]...)
		case ch == '`', ch == '/' && strings.HasPrefix(rule[i:], "//"), // quotes an identifier, begins a comment
			ch == '.' && i+1 < len(rule) && isDigit(rule[i+1]): // makes a number of another kind
			return "", false
		default:
			b = append(b, ch)
		}
		i += n
	}
	return string(b), count > 0
}

// plainText returns the length of the literal with which s begins, quotes
// included, or 0 if it is anything but plain.
func plainText(s string) int {
	for i := 1; i < len(s); i++ {
		switch ch := s[i]; {
		case ch == s[0]:
			if i == 1 && len(s) > 2 && s[2] == s[0] { // three quotes
				return 0
			}
			return i + 1
		case ch < ' ' || ch > '~' || ch == '\\':
			return 0
		}
	}
	return 0
}

// word returns the length of the letters and digits with which s begins.
func word(s string) int {
	n := 0
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n])) {
		n++
	}
	return n
}

func isDigit(ch byte) bool { return '0' <= ch && ch <= '9' }

func isLetter(ch byte) bool { return 'a' <= ch|0x20 && ch|0x20 <= 'z' || ch == '_' }
