package cel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Maps are gone through in the order of their keys, so that a rule gives the
// same answer whenever it is asked.
func TestMapsAreGoneThroughInOrder(t *testing.T) {
	bundle := Convert(set(t, `[{"type": "x", "value": {"d": 1, "b": 2, "ab": 3, "a": 0, "c": 4, "a": 5}}]`))
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
			match, _, err := p.Eval(t.Context(), bundle, Value{})
			require.NoError(t, err, rule)
			require.True(t, match, rule)
		}
	}
}
