package cel

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// Every function of the language has a guard, or its time is linear in the length of its string
// arguments, for which each call is charged. (To see this fail, add a function in declared.)
func TestEveryFunctionIsPaid(t *testing.T) {
	functions := testkit.Must(declared())(t)
	byText := []string{ // linear in its strings, or independent of large values
		operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Conditional, operators.Index,
		operators.NotStrictlyFalse, "__not_strictly_false__", operators.Negate, operators.Subtract, operators.Multiply,
		operators.Divide, operators.Modulo, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals,
		overloads.Size, overloads.Contains, overloads.StartsWith, overloads.EndsWith,
		overloads.TypeConvertString, overloads.TypeConvertBytes, overloads.TypeConvertDyn, overloads.TypeConvertType,
	}
	for _, f := range functions {
		name := f.Name()
		require.True(t, guardOf(name) != nil || name == overloads.Matches || slices.Contains(byText, name), "%s is not charged for", name)
	}
	cost := func(text string) uint64 {
		m := &meter{ctx: t.Context(), limit: 1 << 60}
		payTexts(m, overloads.Size, types.String(text), nil)
		return m.spent
	}
	small, large := cost("a"), cost(strings.Repeat("a", 64_000))
	require.Positive(t, small)
	require.Greater(t, large, 5_000*small)
}

// Work is charged before it is done: with a limit below the cost of a rule, hardly anything is
// allocated.
func TestNothingIsTouchedUnpaid(t *testing.T) {
	text := strings.Repeat("1", 8<<20)
	zeros := "[" + strings.Repeat("0,", 4<<20) + "0]"
	bundle := set(t, `[{"type": "text", "value": "`+text+`"}, {"type": "list", "value": `+zeros+`}, {"type": "short", "value": "x"}]`)
	const look = `properties.exists(p, p.type == "text" && `
	for _, rule := range []string{
		look + `p.value == "1")`,
		look + `p.value.size() > 0)`,
		look + `timestamp(p.value) == timestamp(0))`,
		look + `duration(p.value) == duration("1s"))`,
		look + `int(p.value) == 1)`,
		look + `p.value in [p.value])`,
		look + `p.value.matches("1+"))`,
		look + `(p.value + p.value).size() > 0)`,
		look + `{"a": 1}[p.value] == 1)`,
		`properties.exists(p, p.type == "list" && p.value.size() > 0)`,
		`properties.exists(p, p.type == "list" && 1 in p.value)`,
		`properties == cluster || properties.exists(p, p.value == 1)`,
	} {
		p, err := NewCompiler(Options{CostLimit: 100_000}).Compile(rule)
		require.NoError(t, err, rule)
		before := testkit.Allocated()
		match, cost, err := p.Eval(t.Context(), bundle, bundle)
		allocated := testkit.Allocated() - before
		require.False(t, match)
		require.LessOrEqual(t, cost, uint64(100_000))
		var ee *EvalError
		require.ErrorAs(t, err, &ee, rule)
		require.True(t, ee.OverLimit, ee.Reason)
		require.Less(t, allocated, uint64(128<<10), rule)
	}
}

// A call whose cost did not depend on its strings would let a loop run for hours. Each of these
// costs at least its work in units of the language.
func TestLoopsOverLargeTextsArePaid(t *testing.T) {
	text := `"` + strings.Repeat("1", 500_000) + `"`
	bundle := set(t, `[{"type": "text", "value": `+text+`}, {"type": "same", "value": `+text+`}]`)
	loop := func(body string) string {
		return `[properties[0].value].exists(v, [properties[1].value].exists(w, [0,1,2,3,4,5,6,7,8,9].exists(i, [0,1,2,3,4,5,6,7,8,9].exists(j, ` + body + `))))`
	}
	for _, body := range []string{
		`size(v) == 0`, `v == w && i > j + 10`, `v < w`, `v in [w, w] && i > j + 10`, `v.contains("2")`, `v.contains(w) && i > j + 10`,
		`bytes(v) == b""`, `(v + w).size() == 0`, `[v] != [w]`, `{"a": v} != {"a": w}`, `v.endsWith(w) && i > j + 10`,
	} {
		p, err := NewCompiler(Options{CostLimit: 1 << 40}).Compile(loop(body))
		require.NoError(t, err, body)
		match, cost, err := p.Eval(t.Context(), bundle, properties.Set{})
		require.NoError(t, err, body)
		require.False(t, match, body)
		require.GreaterOrEqual(t, cost, uint64(100*500_000/bytesPerUnit), body)
	}
}

// Strings that are converted or looked up are bounded, and so are errors that quote them.
func TestTextsThatAreReadAreBounded(t *testing.T) {
	bundle := set(t, `[{"type": "text", "value": "`+strings.Repeat("1", maxScalarText+1)+`"}, {"type": "fits", "value": "0.`+strings.Repeat("1", maxScalarText-2)+`"}]`)
	for _, rule := range []string{
		`int(properties[0].value) == 1`, `uint(properties[0].value) == 1u`, `double(properties[0].value) > 1.0`, `bool(properties[0].value)`,
		`timestamp(properties[0].value) == timestamp(0)`, `duration(properties[0].value) == duration("0s")`,
		`{"a": 1}[properties[0].value] == 1`, `{properties[0].value: 1}.size() == 1`, `properties[0].value in {"a": 1}`,
	} {
		_, _, err := compile(t, rule).Eval(t.Context(), bundle, properties.Set{})
		var ee *EvalError
		require.ErrorAs(t, err, &ee, rule)
		require.True(t, ee.OverLimit, "%s: %s", rule, ee.Reason)
		require.Less(t, len(ee.Reason), 400)
	}
	for _, rule := range []string{`double(properties[1].value) > 0.0`, `{properties[1].value: 1}[properties[1].value] == 1`, `!(properties[1].value in {"a": 1})`} {
		match, _, err := compile(t, rule).Eval(t.Context(), bundle, properties.Set{})
		require.NoError(t, err, rule)
		require.True(t, match, rule)
	}
}

// Protocol buffer messages would be built by reflection without any charge.
func TestMessagesAreRefused(t *testing.T) {
	_, err := NewCompiler(Options{}).Compile(`google.protobuf.Struct{fields: {"a": 1}} == {"a": 1}`)
	require.ErrorContains(t, err, "message")
}
