package cel

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// blue is a bundle that most tests look at.
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

// compile compiles a rule that must compile.
func compile(t testing.TB, rule string) *Program {
	t.Helper()
	p, err := NewCompiler(Options{}).Compile(rule)
	require.NoError(t, err, rule)
	return p
}
