package cel

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

func TestCompileRefuses(t *testing.T) {
	tests := []struct {
		name, rule, reason string
		line, column       int
	}{
		{"empty", ``, "Syntax error", 1, 1},
		{"unfinished", `properties.exists(`, "Syntax error", 1, 19},
		{"second line", "true &&\n  nobody", "undeclared reference to 'nobody'", 2, 3},
		{"number", `1`, "must be a boolean, but is of type int", 1, 1},
		{"list", `properties`, "must be a boolean, but is of type list(map(string, dyn))", 1, 1},
		{"known only at run time", `properties[0].value`, "must be a boolean, but is of type dyn", 1, 1},
		{"wrong operand", `"a" < 1`, "no matching overload", 1, 5},
		{"semver of a number", `semver_compare(1, "1.0.0") == 0`, "no matching overload", 1, 15},
		{"unknown function", `"a".shout() == "A"`, "undeclared reference to 'shout'", 1, 10},
		{"too long", strings.Repeat(" ", MaxRuleBytes) + "1", "longer than 65536 bytes", 0, 0},
		{"too deep", strings.Repeat("(", 100) + "true" + strings.Repeat(")", 100), "recursion limit", 0, 0},
		{"too many tokens", "1 in [1" + strings.Repeat(",1", MaxRuleTokens/2) + "]", "more than 5000 tokens", 0, 0},
		{"too many tokens of one character", strings.Repeat("$", MaxRuleTokens+1), "more than 5000 tokens", 0, 0},
		{"too many nodes", strings.Repeat("[].exists(x,x)||", 450) + "true", "count exceeds limit", 0, 0},
		{"too many operations", "true" + strings.Repeat(" || true", MaxOperations+1), "operations; the limit is 500", 0, 0},
		{"too many lists", "[" + strings.Repeat("[],", MaxOperations) + "[]] == []", "operations; the limit is 500", 0, 0},
		{"too many maps", "[" + strings.Repeat("{},", MaxOperations) + "{}] == []", "operations; the limit is 500", 0, 0},
		{"too many builders", "true" + strings.Repeat(" || [x] == []", MaxBuilders+1), "builds 65 lists and maps", 0, 0},
		{"too many map builders", "true" + strings.Repeat(" || {1: [1 + 1]} == {}", MaxBuilders/2+1), "builds 66 lists and maps", 0, 0},
		{"too many computed keys", "[1]" + strings.Repeat(".map(x, {x: 1})", MaxComputedKeys+1) + " == []", "9 map keys that are not literals", 0, 0},
		{"bad pattern", `"a".matches("(")`, "missing closing )", 0, 0},
		{"huge pattern", `"a".matches("((abc){30}){30}")`, "1000 instructions", 0, 0},
		{"too many non-ASCII characters", `"` + strings.Repeat("ä", 1000) + `" == ""`, "more than 5000 tokens", 0, 0},
		{"invalid UTF-8", `"` + strings.Repeat("\xff", 1000) + `" == ""`, "more than 5000 tokens", 0, 0},
		{"pattern of many classes", `"a".matches(r"` + strings.Repeat(`\pL`, 340) + `")`, "too long to compile", 0, 0},
		{"pattern of folded ranges", `"a".matches(r"(?i)[` + strings.Repeat(`B-\x{10ffff}`, 80) + `]")`, "too long to compile", 0, 0},
		{"pattern of folded ranges to letters", `"a".matches("(?i)[` + strings.Repeat("B-\U0010FFFF", 100) + `]")`, "too long to compile", 0, 0},
		{"many patterns", `"a".matches(r"\pL{2}` + strings.Repeat(`\pL`, 20) + `") || "a".matches(r"` + strings.Repeat(`\pL`, 20) + `")`, "too long to compile", 0, 0},
		{"pattern of repeated classes", `"a".matches(r"\pL{900}")`, "ranges", 0, 0},
		{"long pattern", `"a".matches("` + strings.Repeat("a", maxPattern+1) + `")`, "1024 bytes", 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := NewCompiler(Options{}).Compile(test.rule)
			ce := testkit.As[*CompileError](t, err)
			require.Contains(t, ce.Reason, test.reason)
			require.NotContains(t, ce.Error(), "\n")
			require.Less(t, len(ce.Error()), 600)
			if test.line > 0 {
				require.Equal(t, []int{test.line, test.column}, []int{ce.Line, ce.Column})
				require.Contains(t, ce.Error(), "line")
			}
		})
	}
}

// Realistic patterns are within the limits.
func TestPatternsOfPeopleCompile(t *testing.T) {
	rule := "false"
	for _, pattern := range []string{`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, `(?i)^[à-ÿ]+$`, `(?i)[а-я]{2,}`, `^\p{Greek}+\s\P{L}$`, `v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?`, `(?is)foo.*bar`} {
		rule += ` || "x".matches(r"` + pattern + `")`
	}
	compile(t, rule)
}

// Without the limits, each of these took the library seconds to years.
func TestCompileTimeIsBounded(t *testing.T) {
	chain := func(head, link string, n int, tail string) string { return head + strings.Repeat(link, n) + tail }
	rules := []string{
		chain(`[1]`, `.map(x, {x: x})`, 28, ` == []`),
		chain(`[1]`, `.map(x, {x: x})`, 8, ` == []`),
		chain(`[1]`, `.map(x, [[x], [x]])`, 28, ` == []`),
		chain(`true`, ` || ([] + [] == [])`, 3000, ``),
		chain(`true`, ` || ([] + [] == [])`, 190, ``),
		chain(``, `[[1]].map(x, [x, x]).map(x, [x, x]).map(x, [x, x]) == [] || `, 900, `true`),
		chain(``, `1+`, 30_000, `1 == 1`),
		chain(``, `a.`, 30_000, `a`),
		chain(``, `{`, 60_000, ``),
		chain(`"`, "ä", 32_000, `" == ""`),
		chain(`true`, ` || "a".matches(r"(?i)[`+strings.Repeat(`B-\x{10ffff}`, 80)+`]")`, 14, ``),
	}
	for _, rule := range rules {
		start := time.Now()
		_, _ = NewCompiler(Options{}).Compile(rule)
		require.Less(t, time.Since(start), time.Minute, rule[:40])
	}
}

func TestErrorsAreInert(t *testing.T) {
	_, err := NewCompiler(Options{}).Compile("'\x1b[31m\u202e" + strings.Repeat("ä", 400))
	require.Error(t, err)
	for _, r := range err.Error() {
		require.NotContains(t, "\x1b\u202e\n\r", string(r))
	}
	require.Equal(t, `a\x1b\u202eb c`, inert("a\x1b\u202eb\n\t c"))
}
