package cel

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/stretchr/testify/require"
)

// notCalled are the functions that rules do not call: the library evaluates
// them itself, and what is below them pays.
var notCalled = []string{operators.LogicalAnd, operators.LogicalOr, operators.Conditional, operators.Index}

// free are the overloads that look at none of what their arguments hold.
var free = []string{
	"to_dyn", "type", "string_to_string", "bytes_to_bytes", // the argument itself, or what it is
	"size_list", "size_map", "list_size", "map_size", // known beforehand
	"in_map", // one look at a hash or a few at an order, with a key that is bounded
	"@key_any", "list_to_list", "map_to_map",
}

// sized makes a value of a type that holds n bytes or elements, or nil for a
// type whose values are all of one size.
func sized(typ *types.Type, n int) ref.Val {
	text := strings.Repeat("a", n)
	switch typ.Kind() {
	case types.StringKind, types.TypeParamKind, types.DynKind:
		return types.String(text)
	case types.BytesKind:
		return types.Bytes(text)
	case types.ListKind:
		elements := make([]ref.Val, n/bytesPerUnit)
		for i := range elements {
			elements[i] = types.Int(i)
		}
		return types.NewRefValList(types.DefaultTypeAdapter, elements)
	case types.MapKind:
		members := make([]pair, n/bytesPerUnit)
		for i := range members {
			members[i] = pair{types.String(fmt.Sprintf("%09d", i)), types.True}
		}
		return &object{members}
	case types.BoolKind:
		return types.False
	case types.IntKind:
		return types.IntOne
	case types.UintKind:
		return types.Uint(1)
	case types.DoubleKind:
		return types.Double(1)
	case types.TimestampKind:
		return types.Timestamp{}
	case types.DurationKind:
		return types.Duration{}
	}
	return types.NullValue
}

// Every overload of every function that a rule can call has a price, and the
// price grows with what the call touches. (To see this fail, add a function in
// declare, or leave one out of priceOf.)
func TestEveryFunctionPaysForItsSize(t *testing.T) {
	l, err := declare()
	require.NoError(t, err)
	checked, grew := 0, 0
	for name, f := range l.env.Functions() {
		if slices.Contains(notCalled, name) {
			require.Nil(t, priceOf(name), name)
			continue
		}
		price := priceOf(name)
		require.NotNil(t, price, "the function %s has no price", name)
		for _, o := range f.OverloadDecls() {
			checked++
			small, errSmall := spend(t, price, o, 1_000)
			large, errLarge := spend(t, price, o, 64_000)
			require.Positive(t, small, o.ID())
			hasSize := slices.ContainsFunc(o.ArgTypes(), func(typ *types.Type) bool {
				return slices.Contains([]types.Kind{types.StringKind, types.BytesKind, types.ListKind, types.MapKind, types.TypeParamKind, types.DynKind}, typ.Kind())
			})
			if !hasSize || slices.Contains(free, o.ID()) {
				require.LessOrEqual(t, small, uint64(101), o.ID())
				continue
			}
			if errSmall != nil || errLarge != nil { // refused outright
				continue
			}
			if name == "matches" { // pays when it knows the pattern, see below
				continue
			}
			grew++
			require.Greater(t, large, 50*small, "%s costs %d for 1,000 bytes and %d for 64,000", o.ID(), small, large)
		}
	}
	require.Greater(t, checked, 100)
	require.Greater(t, grew, 20)
}

// spend returns what a call with arguments of that size costs.
func spend(t *testing.T, price price, o *decls.OverloadDecl, n int) (uint64, error) {
	t.Helper()
	args := o.ArgTypes()
	require.LessOrEqual(t, len(args), 2, o.ID())
	var right ref.Val
	if len(args) == 2 {
		right = sized(args[1], n)
	}
	m := &meter{ctx: t.Context(), limit: 1 << 60}
	err := price(m, sized(args[0], n), right)
	return m.spent, err
}

// What is touched is paid before it is touched: with a limit below the price
// of what a rule would do, hardly anything is allocated.
func TestNothingIsTouchedUnpaid(t *testing.T) {
	text := strings.Repeat("1", 8<<20)
	zeros := "[" + strings.Repeat("0,", 4<<20) + "0]"
	bundle := Convert(set(t, `[{"type": "text", "value": "`+text+`"}, {"type": "list", "value": `+zeros+`}, {"type": "short", "value": "x"}]`))
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
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		match, cost, err := p.Eval(t.Context(), bundle, bundle)
		runtime.ReadMemStats(&after)
		require.False(t, match)
		require.LessOrEqual(t, cost, uint64(100_000))
		var ee *EvalError
		require.ErrorAs(t, err, &ee, rule)
		require.True(t, ee.OverLimit, ee.Reason)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(128<<10), rule)
	}
}

// A call that is free of cost however large its text would let a loop run for
// hours. Each of these costs at least what it does in the units of the language.
func TestLoopsOverLargeTextsArePaid(t *testing.T) {
	text := `"` + strings.Repeat("1", 500_000) + `"`
	bundle := Convert(set(t, `[{"type": "text", "value": `+text+`}, {"type": "same", "value": `+text+`}]`))
	loop := func(body string) string {
		return `[properties[0].value].exists(v, [properties[1].value].exists(w, [0,1,2,3,4,5,6,7,8,9].exists(i, [0,1,2,3,4,5,6,7,8,9].exists(j, ` + body + `))))`
	}
	for _, body := range []string{
		`size(v) == 0`, `v == w && i > j + 10`, `v < w`, `v in [w, w] && i > j + 10`, `v.contains("2")`, `v.contains(w) && i > j + 10`,
		`bytes(v) == b""`, `(v + w).size() == 0`, `[v] != [w]`, `{"a": v} != {"a": w}`, `v.endsWith(w) && i > j + 10`,
	} {
		p, err := NewCompiler(Options{CostLimit: 1 << 40}).Compile(loop(body))
		require.NoError(t, err, body)
		match, cost, err := p.Eval(t.Context(), bundle, Value{})
		require.NoError(t, err, body)
		require.False(t, match, body)
		require.GreaterOrEqual(t, cost, uint64(100*500_000/bytesPerUnit), body)
	}
}

// A text that is converted, or looked up, is bounded, and so are errors that
// quote it.
func TestTextsThatAreReadAreBounded(t *testing.T) {
	bundle := Convert(set(t, `[{"type": "text", "value": "`+strings.Repeat("1", maxScalarText+1)+`"}, {"type": "fits", "value": "0.`+strings.Repeat("1", maxScalarText-2)+`"}]`))
	for _, rule := range []string{
		`int(properties[0].value) == 1`, `uint(properties[0].value) == 1u`, `double(properties[0].value) > 1.0`, `bool(properties[0].value)`,
		`timestamp(properties[0].value) == timestamp(0)`, `duration(properties[0].value) == duration("0s")`,
		`{"a": 1}[properties[0].value] == 1`, `{properties[0].value: 1}.size() == 1`, `properties[0].value in {"a": 1}`,
	} {
		_, _, err := compile(t, rule).Eval(t.Context(), bundle, Value{})
		var ee *EvalError
		require.ErrorAs(t, err, &ee, rule)
		require.True(t, ee.OverLimit, "%s: %s", rule, ee.Reason)
		require.Less(t, len(ee.Reason), 400)
	}
	for _, rule := range []string{`double(properties[1].value) > 0.0`, `{properties[1].value: 1}[properties[1].value] == 1`, `!(properties[1].value in {"a": 1})`} {
		match, _, err := compile(t, rule).Eval(t.Context(), bundle, Value{})
		require.NoError(t, err, rule)
		require.True(t, match, rule)
	}
}

// Messages of protocol buffers would be made by reflection, which no one pays.
func TestMessagesAreRefused(t *testing.T) {
	_, err := NewCompiler(Options{}).Compile(`google.protobuf.Struct{fields: {"a": 1}} == {"a": 1}`)
	require.ErrorContains(t, err, "message")
}
