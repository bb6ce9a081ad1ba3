package cel

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/cel-go/common/types/ref"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/properties"
)

func TestCut(t *testing.T) {
	tests := []struct {
		rule, shape string // no shape: nothing is cut out
		literals    []any
	}{
		{`p.type == 'a' && "b c" != ''`, `p.type == '0' && '1' != '2'`, []any{"a", "b c", ""}},
		{`size(x2) >= 17 && -3 < 1`, `size(x2) >= 1000000 && -1000001 < 1000002`, []any{int64(17), int64(3), int64(1)}},
		{`'it "is"' in["a"]`, `'0' in['1']`, []any{`it "is"`, "a"}},
		{`'a''b'`, `'0''1'`, []any{"a", "b"}},
		{`true`, ``, nil},
		{``, ``, nil},
		{`'a' == r'b'`, ``, nil},
		{`'a' == b"b"`, ``, nil},
		{`'a' == '''b'''`, ``, nil},
		{`'a' == """b"""`, ``, nil},
		{`'a' == ''''`, ``, nil},
		{`'a' == 'b\n'`, ``, nil},
		{`'a' == 'ä'`, ``, nil},
		{"'a' == 'b\tc'", ``, nil},
		{`'a' == 'b`, ``, nil},
		{`'a' == 'b' // it's`, ``, nil},
		{"'a' == p.`b`", ``, nil},
		{`1 < 1.5`, ``, nil},
		{`1 < .5`, ``, nil},
		{`1 < 1e5`, ``, nil},
		{`1 < 2u`, ``, nil},
		{`1 < 0x10`, ``, nil},
		{`1 < 9223372036854775808`, ``, nil},
		{`'a'.matches('b')`, ``, nil},
		{`'` + strings.Repeat("a", maxShape) + `' == 'a'`, ``, nil},
	}
	for _, test := range tests {
		var literals []ref.Val
		shape, ok := cut(test.rule, func(v ref.Val) { literals = append(literals, v) })
		require.Equal(t, test.shape != "", ok, test.rule)
		if !ok {
			continue
		}
		require.Equal(t, test.shape, shape, test.rule)
		require.Equal(t, test.literals, values(literals), test.rule)
	}
}

func values(literals []ref.Val) []any {
	out := make([]any, len(literals))
	for i, l := range literals {
		out[i] = l.Value()
	}
	return out
}

// requireSame requires that a rule is the same made of its shape as compiled by
// itself, and reports whether it compiles and whether it has a shape.
func requireSame(t require.TestingT, c *Compiler, rule string, sets []properties.Set) (compiles, shaped bool) {
	alone, want := c.compile(rule)
	p, err := c.Compile(rule)
	shape, shaped := cut(rule, nil)
	if want != nil || err != nil {
		require.Equal(t, want, err, rule)
		return false, shaped
	}
	if shaped {
		_, err := c.template(shape)
		require.NoError(t, err, "%q compiles, and its shape %q does not", rule, shape)
	}
	reference := &Program{rule: rule, limit: c.options.CostLimit, planned: alone}
	require.Equal(t, reference.Needs(), p.Needs(), rule)
	for _, s := range sets {
		match, cost, err := p.Eval(context.Background(), Convert(s), Value{})
		wantMatch, wantCost, want := reference.Eval(context.Background(), Convert(s), Value{})
		require.Equal(t, want, err, rule)
		require.Equal(t, []any{wantMatch, wantCost}, []any{match, cost}, rule)
	}
	return true, shaped
}

// A rule is the same made of its shape as compiled by itself, whether it compiles
// or not, whatever rule of its shape was there before.
func TestTemplatesChangeNothing(t *testing.T) {
	c := NewCompiler(Options{})
	marks := []string{`'`, `"`, `''`, `//`, "`", `r`, `b`, `.`, `-`, `7`, `0x`, `u`, `\`, ` `, "\n", `+ 1`, `== 'a'`, `.5`, `e3`, `matches`, `)`, `{'a': 1}`, `[-5]`, `["a"]`}
	count := map[[2]bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		rule := gen{t}.boolean(rapid.IntRange(0, 3).Draw(t, "depth"), nil)
		for range rapid.IntRange(0, 2).Draw(t, "marks") {
			at := rapid.IntRange(0, len(rule)).Draw(t, "at")
			rule = rule[:at] + rapid.SampledFrom(marks).Draw(t, "mark") + rule[at:]
		}
		compiles, shaped := requireSame(t, c, rule, []properties.Set{randomSet(t, "bundle"), randomSet(t, "bundle")})
		count[[2]bool{compiles, shaped}]++
	})
	if made := count[[2]bool{true, true}]; !t.Failed() && made+count[[2]bool{false, true}] >= 30 {
		require.Positive(t, made, "the generator must draw rules that are made of their shape: %v", count)
	}
}

// Each rule comes after one of its shape with other literals.
func TestTemplateOfAnother(t *testing.T) {
	sets := []properties.Set{set(t, blue), set(t, `[]`)}
	for _, pair := range [][2]string{
		{`properties.exists(p, p.type == 'x' && p.value == 'y')`, `properties.exists(p, p.type == "certified" && p.value == "yes")`},
		{`properties.exists(p, p.type == 'x' && p.value.n > 17)`, `properties.exists(p, p.type == 'limits' && p.value.n > 4)`},
		{`properties.exists(p, p.type == 'x' && p.value.n - -9 == 17)`, `properties.exists(p, p.type == 'limits' && p.value.n - -3 == 8)`},
		{`properties.exists_one(p, p.type == '')`, `properties.exists_one(p, p.type == '1')`},
		{`{'a': 1, 'b': 2}['a'] == 1`, `{'a': 1, 'a': 2}['a'] == 1`},
		{`properties[1].type == 'a'`, `properties[99].type == 'a'`},
		{`[1][0] == 1`, `[1][-1] == 1`},
		{`6 / 3 == 2`, `6 / 0 == 2`},
		{`timestamp('2026-01-01T00:00:00Z') < timestamp('2027-01-01T00:00:00Z')`, `timestamp('x') < timestamp('')`},
		{`'a'.matches('b')`, `'a'.matches('(')`},
		{`999999999999999999 > 0`, `9223372036854775808 > 0`},
		{`-1000000 + 1000001 == 1 && '0' != '1'`, `-2 + 1 == -1 && '1' == '1'`},
		{`semver_compare('1.0.0', '1.0.0') == 0`, `semver_compare('x', '') == 0`},
		{`'a' < 1`, `'b' < 2`},
	} {
		c := NewCompiler(Options{})
		for _, rule := range pair {
			requireSame(t, c, rule, sets)
		}
	}
}

// What a rule costs beyond its shape is a small part of what a shape costs.
func TestShapesAreCompiledOnce(t *testing.T) {
	c := NewCompiler(Options{})
	n := 0
	compile := func(shaped bool) float64 {
		return testing.AllocsPerRun(20, func() {
			n++
			rule := fmt.Sprintf(`properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'p%d')`, n)
			if !shaped {
				rule += " //"
			}
			_, err := c.Compile(rule)
			require.NoError(t, err)
		})
	}
	require.Less(t, 10*compile(true), compile(false))
}

func TestTemplatesAreSafeForConcurrentUse(t *testing.T) {
	c := NewCompiler(Options{})
	s := Convert(set(t, blue))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				name := [...]string{"red", "blue"}[(i+j)%2]
				p, err := c.Compile(fmt.Sprintf(`properties.exists(p, p.type == 'olm.package' && p.value.packageName == '%s' && %d < %d)`, name, i, 8+j))
				if err != nil {
					t.Error(err)
					return
				}
				if match, _, err := p.Eval(t.Context(), s, Value{}); err != nil || match != (name == "blue") {
					t.Error(name, match, err)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkCompile(b *testing.B) {
	c := NewCompiler(Options{})
	rule := func(i int) string {
		return fmt.Sprintf(`properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'p%d' && semver_compare(p.value.version, '1.2.3') >= 0)`, i)
	}
	b.Run("shape", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = c.template(rule(1))
		}
	})
	for name, look := range map[string]bool{"rule": false, "planned": true} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				p, err := c.Compile(rule(i))
				if err != nil {
					b.Fatal(err)
				}
				if look {
					_ = p.Needs()
				}
			}
		})
	}
}

// BenchmarkCompileWorst compiles the rules within the limits that take longest: the type
// checker looks through all types that it has inferred at each operation that is generic.
func BenchmarkCompileWorst(b *testing.B) {
	alternatives := func(one string, n int) string { return strings.TrimSuffix(strings.Repeat(one+" || ", n), " || ") }
	for name, rule := range map[string]string{
		"maps":     "[" + strings.Repeat("{},", MaxOperations-4) + "{}] == []",
		"lists":    "[" + strings.Repeat("[],", MaxOperations-4) + "[]] == []",
		"choices":  alternatives("(true ? 1 : 2) == 1", MaxOperations/3),
		"equality": alternatives("1 == 2", MaxOperations/2),
		"exists":   alternatives("properties.exists(p, p.type == 'a')", MaxOperations/7),
		"a list":   "1 in [" + strings.Repeat("1,", MaxRuleTokens/2-10) + "1]",
	} {
		b.Run(name, func(b *testing.B) {
			c := NewCompiler(Options{})
			for b.Loop() {
				if _, err := c.compile(rule); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
