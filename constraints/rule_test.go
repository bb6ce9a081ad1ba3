package constraints_test

import (
	"errors"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/constraints/cel"
)

// TestRulesWithCEL: a program that imports package cel compiles rules, and gets the errors of
// that package.
func TestRulesWithCEL(t *testing.T) {
	c, err := constraints.Parse([]byte(`{"cel": {"rule": "true"}}`))
	require.NoError(t, err)
	require.Equal(t, "true", c.(*constraints.CEL).Program.Rule())

	_, err = constraints.Parse([]byte(`{"cel": {"rule": "1"}}`))
	var compileError *cel.CompileError
	require.True(t, errors.As(err, &compileError))
	require.EqualError(t, err, "constraint: cel.rule: the rule does not compile: line 1, column 1: the rule must be a boolean, but is of type int")
}

// TestRulesWithoutCEL: in a program that does not import package cel a rule is an error that
// names the import, and other constraints are read.
func TestRulesWithoutCEL(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "run", "./testdata/without").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, `package etcd in range >=0.9.0
constraint: cel.rule: the rule does not compile: this program was built without CEL; it needs import _ "github.com/seed109e2655/resolute/constraints/cel"
`, string(out))
}
