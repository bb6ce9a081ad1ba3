package cel

import (
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
)

// A filter is a cheap necessary condition for a rule of a policy: where it does not hold, the rule
// is false, without an error. Most rules are false for most bundles, and their filters say so in a
// tenth of the time of an evaluation. A nil filter always holds.
type filter func(*vetoSubject) bool

// filterOf returns a filter for e to have the value want. It recognizes conditions on the texts of
// a bundle, with literals, and what logical operators make of them.
func filterOf(e ast.Expr, want bool) filter {
	if e.Kind() != ast.CallKind {
		return filterOfField(e, want)
	}
	c := e.AsCall()
	args := operands(c)
	switch c.FunctionName() {
	case operators.LogicalNot:
		return filterOf(args[0], !want)
	case operators.LogicalAnd, operators.LogicalOr:
		left, right := filterOf(args[0], want), filterOf(args[1], want)
		if (c.FunctionName() == operators.LogicalAnd) == want {
			return bothFilters(left, right)
		}
		if left == nil || right == nil {
			return nil
		}
		return func(s *vetoSubject) bool { return left(s) || right(s) }
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		return filterOfVersion(c.FunctionName(), args, want)
	}
	if len(args) != 2 {
		return nil
	}
	test := testOfText(c.FunctionName(), args[1])
	field := fieldOf(args[0])
	if test == nil || field == nil {
		return nil
	}
	return func(s *vetoSubject) bool { return test(field(s.candidate)) == want }
}

// bothFilters holds if both do.
func bothFilters(a, b filter) filter {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(s *vetoSubject) bool { return a(s) && b(s) }
}

// filterOfField is filterOf for bundle.deprecated.
func filterOfField(e ast.Expr, want bool) filter {
	if of, ok := member(e, "deprecated"); ok && isIdent(of, varBundle) {
		return func(s *vetoSubject) bool { return s.candidate.Deprecated == want }
	}
	return nil
}

// fieldOf returns the field of a bundle that e selects, if it is a text.
func fieldOf(e ast.Expr) func(*constraints.Candidate) string {
	if e.Kind() != ast.SelectKind || e.AsSelect().IsTestOnly() || !isIdent(e.AsSelect().Operand(), varBundle) {
		return nil
	}
	switch e.AsSelect().FieldName() {
	case "package":
		return func(c *constraints.Candidate) string { return c.Package }
	case "name":
		return func(c *constraints.Candidate) string { return c.Name }
	case "version":
		return func(c *constraints.Candidate) string { return c.Version }
	case "catalog":
		return func(c *constraints.Candidate) string { return c.Catalog }
	case "image":
		return func(c *constraints.Candidate) string { return c.Image }
	}
	return nil
}

// testOfText returns the test of a text by a function with a literal.
func testOfText(function string, with ast.Expr) func(string) bool {
	if texts, ok := stringLiterals(with); ok && function == operators.In {
		return func(s string) bool { return slices.Contains(texts, s) }
	}
	literal, ok := literal[types.String](with)
	if !ok {
		return nil
	}
	text := string(literal)
	switch function {
	case operators.Equals:
		return func(s string) bool { return s == text }
	case operators.NotEquals:
		return func(s string) bool { return s != text }
	case overloads.StartsWith:
		return func(s string) bool { return strings.HasPrefix(s, text) }
	case overloads.EndsWith:
		return func(s string) bool { return strings.HasSuffix(s, text) }
	case overloads.Contains:
		return func(s string) bool { return strings.Contains(s, text) }
	}
	return nil
}

// filterOfVersion is filterOf for semver_compare(bundle.version, LITERAL) < 0, and other
// comparisons with an integer.
func filterOfVersion(function string, args []ast.Expr, want bool) filter {
	number, ok := literal[types.Int](args[1])
	versions, isCall := call(args[0], functionSemver, 2)
	if !ok || !isCall {
		return nil
	}
	of, isVersion := member(versions[0], "version")
	text, isText := literal[types.String](versions[1])
	if !isVersion || !isIdent(of, varBundle) || !isText {
		return nil
	}
	than, err := properties.ParseVersion(string(text))
	if err != nil {
		return nil
	}
	return func(s *vetoSubject) bool {
		v, ok := s.version()
		if !ok {
			return true
		}
		order, is := types.Int(v.Compare(than)), false
		switch function {
		case operators.Less:
			is = order < number
		case operators.LessEquals:
			is = order <= number
		case operators.Greater:
			is = order > number
		case operators.GreaterEquals:
			is = order >= number
		}
		return is == want
	}
}

// version returns the version of the bundle, if it is valid and short enough for semver_compare.
func (s *vetoSubject) version() (semver.Version, bool) {
	if !s.parsed {
		s.parsed = true
		s.semver, s.invalid = properties.ParseVersion(s.candidate.Version)
	}
	return s.semver, s.invalid == nil
}
