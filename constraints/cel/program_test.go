package cel

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// TestRules compiles and evaluates small rules.
func TestRules(t *testing.T) {
	cluster := set(t, `[{"type": "olm.kubeversion", "value": {"version": "1.33.0"}}]`)
	bundle := set(t, blue)
	for _, c := range testkit.Cases(t, "testdata/rules.txt", "needs", "holds", "fails", "error") {
		for _, part := range c.Parts {
			for _, rule := range part.Lines {
				t.Run(rule, func(t *testing.T) {
					p := compile(t, rule)
					if part.Verb == "needs" {
						require.Equal(t, part.Rest, needsInWords(p.Needs()))
						return
					}
					for range 2 { // evaluation has no side effects
						got, _, err := p.Eval(t.Context(), bundle, cluster)
						require.Equal(t, part.Verb == "holds", got, "%v", err)
						if part.Verb == "error" {
							require.False(t, testkit.As[*EvalError](t, err).OverLimit)
							require.ErrorContains(t, err, part.Rest)
						} else {
							require.NoError(t, err)
						}
					}
					require.True(t, part.Verb != "holds" || p.Needs().Maybe(set(t, blue)))
				})
			}
		}
	}
}

// needsInWords returns the needs of a rule in the format of testdata/rules.txt.
func needsInWords(n constraints.Needs) string {
	var words []string
	say := func(is bool, text string) {
		if is {
			words = append(words, text)
		}
	}
	say(n.Anything, "anything")
	say(n.Never, "never")
	say(len(n.Types) > 0, "types "+strings.Join(n.Types, " "))
	say(len(n.Packages) > 0, "packages "+strings.Join(n.Packages, " "))
	say(n.ClusterOnly, "cluster only")
	return strings.Join(words, ", ")
}

// nest returns a rule of nested loops.
func nest(depth int) string {
	return strings.Repeat(`[1,2,3,4,5,6,7,8,9].exists(x,`, depth) + `false` + strings.Repeat(")", depth)
}

// Each attack on the host fails with an error quickly.
func TestEvalIsBounded(t *testing.T) {
	long := `"` + strings.Repeat("a", 60_000) + `"`
	tests := []struct{ name, rule string }{
		{"loops", nest(20)},
		{"doubling strings", `["ab"]` + strings.Repeat(`.map(x, x + x)`, 25) + ` == []`},
		{"doubling bytes", `[b"ab"]` + strings.Repeat(`.map(x, x + x)`, 25) + ` == []`},
		{"doubling lists", `[[1]]` + strings.Repeat(`.map(x, x + x)`, 25) + ` == [[2]]`},
		{"comparing trees", `[[1]].map(x, dyn(x))` + strings.Repeat(`.map(x, dyn([x, x]))`, 20) + ` == [1].map(x, dyn(1))` + strings.Repeat(`.map(x, dyn([x, x]))`, 2)},
		{"unequal trees", `[[1]].map(x, dyn(x))` + strings.Repeat(`.map(x, dyn([x, x]))`, 20) + ` != [1].map(x, dyn(1))`},
		{"trees of maps", `[[1]].map(x, dyn(x))` + strings.Repeat(`.map(x, dyn({"a": x, "b": x}))`, 20) + ` == [{}].map(x, dyn(x))`},
		{"searching for trees", `[1] in [[1]].map(x, dyn(x))` + strings.Repeat(`.map(x, dyn([x, x]))`, 20)},
		{"pattern with long text", long + `.matches("(a?){40}(a+){40}b")`},
		{"pattern from a property", `"a".matches("((abc){30}" + "){30}")`},
	}
	for _, test := range tests {
		// The size limits do not depend on the cost limit.
		for _, limit := range []uint64{DefaultCostLimit, 1 << 40} {
			if test.name == "loops" && limit != DefaultCostLimit {
				continue
			}
			t.Run(test.name, func(t *testing.T) {
				p := testkit.Must(NewCompiler(Options{CostLimit: limit}).Compile(test.rule))(t)
				start := time.Now()
				got, cost, err := p.Eval(t.Context(), set(t, blue), properties.Set{})
				require.Less(t, time.Since(start), time.Minute)
				require.False(t, got)
				ee := testkit.As[*EvalError](t, err)
				require.True(t, ee.OverLimit, ee.Reason)
				require.LessOrEqual(t, cost, uint64(2*DefaultCostLimit))
			})
		}
	}
}

func TestCostLimit(t *testing.T) {
	const rule = `properties.exists(p, p.type == "none")`
	bundle := set(t, blue)
	_, cost, err := compile(t, rule).Eval(t.Context(), bundle, properties.Set{})
	require.NoError(t, err)
	require.Positive(t, cost)

	for limit, ok := range map[uint64]bool{cost - 1: false, cost: true} {
		p := testkit.Must(NewCompiler(Options{CostLimit: limit}).Compile(rule))(t)
		_, spent, err := p.Eval(t.Context(), bundle, properties.Set{})
		require.Equal(t, ok, err == nil, "limit %d", limit)
		require.LessOrEqual(t, spent, cost)
	}
}

// No macro takes much more time over a long list than another.
func TestLoopsAreLinear(t *testing.T) {
	list := set(t, `[{"type": "list", "value": [`+strings.Repeat("0,", 40_000)+`0]}]`)
	best := func(loop string) time.Duration {
		p := testkit.Must(NewCompiler(Options{CostLimit: 1 << 40}).Compile(`properties[0].value.` + loop))(t)
		least := time.Hour
		for range 3 {
			start := time.Now()
			_, _, err := p.Eval(t.Context(), list, properties.Set{})
			require.NoError(t, err)
			least = min(least, time.Since(start))
		}
		return least
	}
	limit := 40 * best(`all(x, x == 0)`)
	for _, loop := range []string{`exists_one(x, x == 1)`, `exists(x, x == 1)`, `filter(x, x == 1) == []`, `map(x, x == 1, x) == []`, `map(x, x).size() > 0`, `exists(x, x == 0.0 ? false : true)`} {
		require.Less(t, best(loop), limit, loop)
	}
}

// A computed pattern is charged for before it is compiled.
func TestPatternsOfPropertiesArePaid(t *testing.T) {
	for pattern, least := range map[string]uint64{`(?i)[B-\\x{10ffff}]`: 70_000, `\\pL\\pL`: 6_000, `a`: 200} {
		bundle := set(t, `[{"type": "pattern", "value": "`+pattern+`"}]`)
		_, cost, _ := compile(t, `"a".matches(properties[0].value)`).Eval(t.Context(), bundle, properties.Set{})
		require.GreaterOrEqual(t, cost, least, pattern)
	}
}

// Comparing long versions costs more than comparing short ones.
func TestCostOfVersions(t *testing.T) {
	cost := func(version string) uint64 {
		_, cost, err := compile(t, `semver_compare("`+version+`", "1.0.0") == 0`).Eval(t.Context(), properties.Set{}, properties.Set{})
		require.NoError(t, err)
		return cost
	}
	require.Equal(t, cost("1.0.0")+200+20, cost("1.0.0-"+strings.Repeat("a", 199)), "one for each byte, in addition to scanning the string")
}

func TestEvalStopsWithTheContext(t *testing.T) {
	c := NewCompiler(Options{CostLimit: 1 << 60})
	list := `[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]`
	loops := list + `.exists(a, ` + list + `.exists(b, ` + list + `.exists(c, ` + list + `.exists(d, `
	rules := map[string]string{
		"loops":     nest(20),
		"patterns":  `[` + strings.Repeat(`"a",`, 200) + `"a"].exists(x, [` + strings.Repeat(`"a",`, 200) + `"a"].exists(y, "` + strings.Repeat("a", 20_000) + `".matches("(a+)+b")))`,
		"swallowed": `true && !(` + nest(20) + `) ? false : [1, 2].exists(x, ` + nest(10) + `)`,
		"no loop":   strings.Repeat(`properties[4].value.matches("(a?){20}(a+){20}b") || `, 120) + `false`,
		"texts":     loops + `properties[4].value + properties[4].value == ""))))`,
		"lists":     loops + `properties[5].value in [properties[5].value + [1]]))))`,
		"filters":   loops + `[a, b, c, d].filter(e, e > 20).map(e, [e, e]) != []))))`,
	}
	bundle := set(t, strings.TrimSuffix(blue, "]")+`, {"type": "text", "value": "`+strings.Repeat("ab", 1_200)+`"}, {"type": "list", "value": [`+strings.Repeat("0,", 3_000)+`0]}]`)
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			p := testkit.Must(c.Compile(rule))(t)
			cause := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			var ended time.Time
			time.AfterFunc(20*time.Millisecond, func() { ended = time.Now(); cancel(cause) })
			_, _, err := p.Eval(ctx, bundle, properties.Set{})
			require.ErrorIs(t, err, cause)
			// The guarantee is 50 ms; a loaded machine may take longer. Without cancellation it
			// would run for years.
			require.Less(t, time.Since(ended), 10*time.Second)

			_, cost, err := p.Eval(ctx, properties.Set{}, properties.Set{})
			require.ErrorIs(t, err, cause)
			require.Zero(t, cost)
		})
	}
}

// Rules are compiled and evaluated concurrently, including failing ones.
func TestSafeForConcurrentUse(t *testing.T) {
	compiler, bundle := NewCompiler(Options{}), set(t, blue)
	for rule, holds := range map[string]bool{
		`properties.exists(p, p.type == "limits" && p.value.n == 5)`: true, `properties[2].value > 4`: false,
		`timestamp(9223372036854775807) == timestamp(1)`: false, `properties[0].value.packageName + 1 == 2`: false,
		`semver_compare(properties[0].value, "1.0.0") == 0`: false,
	} {
		once := compile(t, rule)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				p, err := compiler.Compile(rule)
				assert.NoError(t, err)
				for range 50 {
					for _, p := range []*Program{once, p} {
						match, _, err := p.Eval(t.Context(), bundle, properties.Set{})
						assert.Equal(t, holds, match)
						assert.Equal(t, holds, err == nil)
					}
				}
			})
		}
		wg.Wait()
	}
}

// Unusual JSON is decoded as by encoding/json: the last of duplicate keys wins.
func TestConvertOddValues(t *testing.T) {
	for rule, value := range map[string]string{
		`properties[0].value.a == 2`:                `{"a": 1, "a": 2}`,
		`properties[0].value == "\ufffd"`:           `"\ud800"`,
		`properties[0].value == "ä\n"`:              `"\u00e4\n"`,
		`properties[0].value == null`:               `null`,
		`properties[0].value == true`:               `true`,
		`properties[0].value == -0.5`:               `-5e-1`,
		`properties[0].value == {"a": [{}], "": 1}`: `{"": 1, "a": [{}]}`,
	} {
		p := testkit.Must(properties.New("odd", []byte(value)))(t)
		match, _, err := compile(t, rule).Eval(t.Context(), properties.NewSet(p), properties.Set{})
		require.NoError(t, err, rule)
		require.True(t, match, rule)
	}
}

// The maximum length of a text depends on the work of its pattern.
func TestRegexWorkIsBounded(t *testing.T) {
	p := testkit.Must(compilePattern("a*"))(t)
	length := maxRegexWork / p.work
	require.Zero(t, maxRegexWork%p.work, "the test needs a pattern whose work divides the limit, not %d", p.work)
	m := &meter{ctx: t.Context(), limit: 1 << 60}
	require.Equal(t, types.True, p.match(m, types.String(strings.Repeat("a", length))))
	require.EqualValues(t, maxRegexWork/regexWorkPerUnit, m.spent)
	require.ErrorIs(t, p.match(m, types.String(strings.Repeat("a", length+1))).(*types.Err), errTooLarge)
}

// Maps are iterated in the order of their keys, so that the result of a rule is deterministic.
func TestMapsAreGoneThroughInOrder(t *testing.T) {
	bundle := set(t, `[{"type": "x", "value": {"d": 1, "b": 2, "ab": 3, "a": 0, "c": 4, "a": 5}}]`)
	for _, rule := range []string{
		`properties[0].value.map(k, k) == ["a", "ab", "b", "c", "d"]`,
		`properties[0].value.map(k, k)[0] == "a" && properties[0].value.a == 5`,
		`{"d": 1, "b": 2, "a": 3, "c": 4}.map(k, k) == ["a", "b", "c", "d"]`,
		`{4: 1, 2: 2, 3: 3, 1: 4}.map(k, k) == [1, 2, 3, 4]`,
		`{"a": 1, 2: 1, true: 1, 1: 1, false: 1, 1u: 1}.map(k, type(k)) == [bool, bool, int, int, string, uint]`,
		`properties[0].map(k, k) == ["type", "value"]`,
		`properties.map(p, p.type) == ["x"] && properties == properties && properties != [] && properties + [] == properties`,
		`properties[0] in properties && !({"type": "y"} in properties)`,
		`{"b": 1, "a": 2} == {"a": 2, "b": 1} && {"a": 1} != {"a": 2} && {"a": 1} != {"b": 1}`,
		`properties[0].value == {"a": 5, "ab": 3, "b": 2, "c": 4, "d": 1} && {"a": 5, "ab": 3, "b": 2, "c": 4, "d": 1} == properties[0].value`,
		`properties[0].value["a" + "b"] == 3 && {"a" + "b": 1}.ab == 1 && [1, 2][1 - 1] == 1 && {1: "x"}[1.0 == 1.0 ? 1 : 2] == "x"`,
		`!has(properties[0].value.z) && has(properties[0].value.a) && "a" in properties[0].value && !(1 in properties[0].value)`,
		`type(properties) == list && type(properties[0].value) == map && type(properties[0]) == map && size(properties[0].value) == 5`,
	} {
		p := compile(t, rule)
		for range 20 {
			match, _, err := p.Eval(t.Context(), bundle, properties.Set{})
			require.NoError(t, err, rule)
			require.True(t, match, rule)
		}
	}
}

// blue is the bundle of most tests.
const blue = `[
	{"type": "olm.package", "value": {"packageName": "blue", "version": "1.2.3"}},
	{"type": "olm.gvk", "value": {"group": "example.com", "version": "v1", "kind": "Blue"}},
	{"type": "certified", "value": "yes"},
	{"type": "limits", "value": {"n": 5, "half": 0.5, "big": 1e400, "list": [1, "two", null, true], "map": {"a": {"b": []}}}}
]`

// set parses properties.
func set(t testing.TB, data string) properties.Set {
	t.Helper()
	return testkit.Must(properties.Parse([]byte(data)))(t)
}

// compile compiles a valid rule.
func compile(t testing.TB, rule string) *Program {
	t.Helper()
	p, err := NewCompiler(Options{}).Compile(rule)
	require.NoError(t, err, rule)
	return p
}

const typicalRule = `properties.exists(p, p.type == "olm.package" && p.value.packageName == "blue" && semver_compare(p.value.version, "1.10.0") < 0)`

func BenchmarkCompile(b *testing.B) {
	c := NewCompiler(Options{})
	for b.Loop() {
		if _, err := c.Compile(typicalRule); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEval(b *testing.B) {
	p, bundle := compile(b, typicalRule), set(b, blue)
	b.ReportAllocs()
	for b.Loop() {
		if match, _, err := p.Eval(b.Context(), bundle, properties.Set{}); !match || err != nil {
			b.Fatal(match, err)
		}
	}
}
