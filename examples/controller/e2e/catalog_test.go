package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/stretchr/testify/require"
)

// operator is a package of a catalog, in the language of package universe.
type operator struct{ name, lines string }

// newOperator returns a package with one channel, each version replacing the
// previous one. The words apply to each version.
func newOperator(name, words string, versions ...string) operator {
	var lines strings.Builder
	for i, v := range versions {
		fmt.Fprintf(&lines, "%[1]s/stable %[1]s.v%[2]s %[3]s", name, v, words)
		if i > 0 {
			fmt.Fprintf(&lines, " replaces=%s.v%s", name, versions[i-1])
		}
		lines.WriteByte('\n')
	}
	return operator{name, lines.String()}
}

// writeOperator writes an operator to a catalog's directory atomically.
func writeOperator(t *testing.T, dir string, o operator) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	name := filepath.Join(dir, o.name+".jsonl")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "."+o.name), []byte(universe.JSON(t, o.lines)), 0o644))
	require.NoError(t, os.Rename(filepath.Join(dir, "."+o.name), name))
}

// app requires db; db and rival both provide the API Database.
func app() operator {
	return operator{"app", "app/stable app.v1.0.0\nrequire app.v1.0.0 db@>=1.0.0 ; app keeps its orders in a database"}
}
func db(versions ...string) operator   { return newOperator("db", "provides=Database", versions...) }
func rival() operator                  { return newOperator("rival", "provides=Database", "2.0.0") }
func tool(versions ...string) operator { return newOperator("tool", "", versions...) }

// verbose requires a missing package, with a very long message.
func verbose() operator {
	var message strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&message, "line %d of the reasons. ", i)
	}
	return operator{"verbose", "verbose/stable verbose.v1.0.0\nrequire verbose.v1.0.0 nothing-has-this-name@>=1.0.0 ; " + message.String()}
}
