package cel

import (
	"strings"
	"testing"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// worstCalls are calls of each function with arguments that take much time for their cost. A name
// in capitals refers to workProperties.
var worstCalls = map[string][]string{
	operators.Add:                  {`1 + 1 == 3`, `TEXT + VERSION == ""`, `timestamp(TIME) + duration("1s") == timestamp(0)`, `[i] + [j] == [99]`},
	operators.Subtract:             {`1 - 2 == 3`, `timestamp(TIME) - timestamp(TIME) == duration("1s")`},
	operators.Multiply:             {`1 * 2 == 3`},
	operators.Divide:               {`1 / 2 == 3`},
	operators.Modulo:               {`1 % 2 == 3`},
	operators.Negate:               {`-i == 3`},
	operators.Equals:               {`VALUES == VALUES && false`, `{"a": i, "b": j} == {"a": 1}`},
	operators.NotEquals:            {`VALUES != VALUES`},
	operators.Less:                 {`TEXT < VERSION`, `1.0 < 0.5`},
	operators.LessEquals:           {`2 <= 1`},
	operators.Greater:              {`1 > 2`},
	operators.GreaterEquals:        {`1 >= 2`},
	operators.In:                   {`TEXT in [VERSION]`, `3 in {1: 2}`},
	operators.Index:                {`{1: 2}[1] == 3`, `[1][0] == 3`},
	operators.LogicalAnd:           {`true && false`},
	operators.LogicalOr:            {`false || false`},
	operators.LogicalNot:           {`!true`},
	operators.Conditional:          {`true ? false : false`},
	overloads.Size:                 {`size(UMLAUTS) == 0`, `VALUES.size() == 0`},
	overloads.Contains:             {`TEXT.contains("2")`, `TEXT.contains(VERSION)`},
	overloads.StartsWith:           {`TEXT.startsWith(VERSION)`},
	overloads.EndsWith:             {`TEXT.endsWith(VERSION)`},
	overloads.Matches:              {`TEXT.matches("1*2")`, `VERSION.matches("(a|b)*z")`, `"a".matches("b" + "c")`},
	overloads.TypeConvertBool:      {`bool("false")`},
	overloads.TypeConvertInt:       {`int("9223372036854775807") == 1`, `int(timestamp(TIME)) == 1`},
	overloads.TypeConvertUint:      {`uint("18446744073709551615") == 1u`},
	overloads.TypeConvertDouble:    {`double("1.7976931348623157e308") == 1.0`, `double(DIGITS) == 5.0`},
	overloads.TypeConvertString:    {`string(1.5) == "x"`, `string(timestamp(TIME)) == "x"`, `string(duration("1.5s")) == "x"`, `string(bytes(UMLAUTS)) == "x"`},
	overloads.TypeConvertBytes:     {`bytes(TEXT) == bytes("")`},
	overloads.TypeConvertDyn:       {`dyn(TEXT) == 1`},
	overloads.TypeConvertType:      {`type(TEXT) == int`},
	overloads.TypeConvertDuration:  {`duration("1h1m1s1ms") == duration("1s")`, `duration(HOURS) == duration("1s")`},
	overloads.TypeConvertTimestamp: {`timestamp(TIME) == timestamp(0)`, `timestamp("2020-01-01T00:00:00.123456789+01:00") == timestamp(0)`},
	overloads.TimeGetFullYear:      {`timestamp(TIME).getFullYear("UTC") == 1`},
	overloads.TimeGetMonth:         {`timestamp(TIME).getMonth("+01:00") == 99`},
	overloads.TimeGetDayOfYear:     {`timestamp(TIME).getDayOfYear("+01:00") == 999`},
	overloads.TimeGetDayOfMonth:    {`timestamp(TIME).getDayOfMonth("+01:00") == 99`},
	overloads.TimeGetDate:          {`timestamp(TIME).getDate("+01:00") == 99`},
	overloads.TimeGetDayOfWeek:     {`timestamp(TIME).getDayOfWeek("+01:00") == 99`},
	overloads.TimeGetHours:         {`timestamp(TIME).getHours("+01:00") == 99`, `duration("1s").getHours() == 4`},
	overloads.TimeGetMinutes:       {`timestamp(TIME).getMinutes("+01:00") == 99`},
	overloads.TimeGetSeconds:       {`timestamp(TIME).getSeconds("+01:00") == 99`},
	overloads.TimeGetMilliseconds:  {`timestamp(TIME).getMilliseconds("+01:00") == 99`},
	functionSemver:                 {`semver_compare(VERSION, VERSION) == 1`, `semver_compare(VERSION, "1.0.0") == 2`, `semver_compare("1.0.0", "1.0.0") == 1`, `semver_compare(TEXT, VERSION) == 1`},
}

// uncallable are functions that no rule can call, or that are aliases of a listed one.
var uncallable = []string{operators.NotStrictlyFalse, oldNotStrictlyFalse, operators.OldIn, overloads.DeprecatedIn}

// workProperties are the values of the names in capitals in worstCalls.
var workProperties = [][2]string{
	{"VERSION", `"1.0.0-` + strings.Repeat("a.", 120) + `a"`},
	{"TEXT", `"` + strings.Repeat("1", 4000) + `"`},
	{"UMLAUTS", `"` + strings.Repeat("é", 2000) + `"`},
	{"DIGITS", `"0.` + strings.Repeat("1", 4000) + `"`},
	{"TIME", `"2020-01-01T00:00:00Z"`},
	{"VALUES", `{"a": 1, "b": [1, 2, 3]}`},
	{"HOURS", `"` + strings.Repeat("1h", 2000) + `"`},
}

// TestEveryFunctionIsPricedByItsWork: a rule that calls one function until its limit is
// exhausted allocates no more per unit of cost than with any other function. Bytes measure the
// work, because they are the same on each machine.
func TestEveryFunctionIsPricedByItsWork(t *testing.T) {
	const limit = 100_000
	const maxBytes = 64 // allocated per unit of cost
	var names, values []string
	for i, p := range workProperties {
		names = append(names, p[0], "properties["+string(rune('0'+i))+"].value")
		values = append(values, `{"type": "t", "value": `+p[1]+`}`)
	}
	bundle := set(t, "["+strings.Join(values, ",")+"]")
	for _, f := range testkit.Must(declared())(t) {
		if len(worstCalls[f.Name()]) == 0 {
			require.Contains(t, uncallable, f.Name(), "add a call of this function with much work for its cost")
		}
		for _, call := range worstCalls[f.Name()] {
			rule := strings.NewReplacer(names...).Replace(call)
			for _, v := range []string{"i", "j", "k", "l", "m", "n"} {
				rule = "[0,1,2,3,4,5,6,7,8,9].exists(" + v + ", " + rule + ")"
			}
			p, err := NewCompiler(Options{CostLimit: limit}).Compile(rule)
			require.NoError(t, err, call)
			before := testkit.Allocated()
			_, _, err = p.Eval(t.Context(), bundle, properties.Set{})
			allocated := testkit.Allocated() - before
			require.ErrorContains(t, err, "exceeds the cost limit", "%s must be called until the limit is exhausted", call)
			t.Logf("%5.0f %s", float64(allocated)/limit, call)
			require.Less(t, allocated, uint64(maxBytes*limit), call)
		}
	}
}
