package cel

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/google/cel-go/common/ast"
)

// tokensPerRune is the number of additional tokens that a non-ASCII character counts as. The
// parser has no table for these characters and takes up to 30 µs for each.
const tokensPerRune = 5

// tokens returns an upper bound of the tokens of a rule, plus tokensPerRune for each non-ASCII
// character.
func tokens(rule string) int {
	n, inWord := 0, false
	for _, c := range rule {
		word := c == '_' || c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'A' <= c&^0x20 && c&^0x20 <= 'Z'
		if word && !inWord || !word && c > ' ' {
			n++
		}
		if c >= utf8.RuneSelf {
			n += tokensPerRune
		}
		inWord = word
	}
	return n
}

// ruleSize counts the expressions of a rule that are expensive to check.
type ruleSize struct{ operations, builders, computedKeys, messages int }

// checkSize checks a parsed rule against [MaxOperations], [MaxBuilders] and [MaxComputedKeys].
// It runs before the type checker, which it protects.
func checkSize(e ast.Expr) *CompileError {
	var s ruleSize
	ast.PreOrderVisit(e, ast.NewExprVisitor(s.count))
	switch {
	case s.messages > 0:
		return &CompileError{Reason: "the rule builds a protocol buffers message, which is not supported"}
	case s.operations > MaxOperations:
		return &CompileError{Reason: fmt.Sprintf("the rule has %d operations; the limit is %d", s.operations, MaxOperations)}
	case s.builders > MaxBuilders:
		return &CompileError{Reason: fmt.Sprintf("the rule builds %d lists and maps with map, filter or literals; the limit is %d", s.builders, MaxBuilders)}
	case s.computedKeys > MaxComputedKeys:
		return &CompileError{Reason: fmt.Sprintf("the rule has %d map keys that are not literals; the limit is %d", s.computedKeys, MaxComputedKeys)}
	}
	return nil
}

// count counts one expression without its subexpressions. Macros are already expanded: map and
// filter each leave a list literal that contains the element.
func (s *ruleSize) count(e ast.Expr) {
	switch e.Kind() {
	case ast.CallKind, ast.ComprehensionKind:
		s.operations++
	case ast.StructKind:
		s.messages++
	case ast.ListKind:
		s.operations++
		if slices.ContainsFunc(e.AsList().Elements(), notLiteral) {
			s.builders++
		}
	case ast.MapKind:
		s.operations++
		computed := false
		for _, entry := range e.AsMap().Entries() {
			m := entry.AsMapEntry()
			if notLiteral(m.Key()) {
				s.computedKeys++
			}
			computed = computed || notLiteral(m.Key()) || notLiteral(m.Value())
		}
		if computed {
			s.builders++
		}
	}
}

func notLiteral(e ast.Expr) bool { return e.Kind() != ast.LiteralKind }
