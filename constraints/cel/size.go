package cel

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/google/cel-go/common/ast"
)

// tokensPerRune is how many tokens a character that is not ASCII counts as. The parser has
// no table for these and takes up to 30 µs for each.
const tokensPerRune = 5

// tokens counts the words, numbers and signs of a rule, which is no less than the tokens
// that its parser finds, and characters that are not ASCII for what the parser takes for them.
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

// ruleSize is what a rule holds of the things that are costly to check.
type ruleSize struct{ operations, builders, computedKeys, messages int }

// checkSize holds a parsed rule to [MaxOperations], [MaxBuilders] and
// [MaxComputedKeys]. It comes before the type checker because that is what
// it protects.
func checkSize(e ast.Expr) *CompileError {
	var s ruleSize
	ast.PreOrderVisit(e, ast.NewExprVisitor(s.count))
	switch {
	case s.messages > 0:
		return &CompileError{Reason: "the rule builds a protocol buffers message; properties have none to compare it with"}
	case s.operations > MaxOperations:
		return &CompileError{Reason: fmt.Sprintf("the rule has %d operations; at most %d are allowed", s.operations, MaxOperations)}
	case s.builders > MaxBuilders:
		return &CompileError{Reason: fmt.Sprintf("the rule builds %d lists and maps with map, filter or literals; at most %d are allowed", s.builders, MaxBuilders)}
	case s.computedKeys > MaxComputedKeys:
		return &CompileError{Reason: fmt.Sprintf("the rule has %d map keys that are not literals; at most %d are allowed", s.computedKeys, MaxComputedKeys)}
	}
	return nil
}

// count counts one expression without what is below it. Macros are expanded
// already: map and filter each left a list literal that holds the element.
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
