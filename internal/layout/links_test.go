package layout_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// notLinked are packages of the standard library that the engine does not link: it serves
// nothing, reads no network and draws nothing.
var notLinked = []string{"net/http", "crypto/tls", "html/template", "encoding/xml"}

// maxLinked is how many packages of other modules the engine links at most.
const maxLinked = 15

// TestEngineLinksLittle: a program that imports the resolver links few packages of others, and
// nothing that serves or draws.
func TestEngineLinksLittle(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if .Standard}}std {{end}}{{.ImportPath}}", "./resolver")
	list.Dir = "../.."
	out := testkit.Must(list.Output())(t)
	var others []string
	for _, line := range strings.Fields(strings.ReplaceAll(string(out), "std ", "std:")) {
		name, std := strings.CutPrefix(line, "std:")
		switch {
		case std && slices.Contains(notLinked, name):
			t.Errorf("resolver links %s", name)
		case !std && !within(name, module):
			others = append(others, name)
		}
	}
	require.NotEmpty(t, others)
	require.LessOrEqual(t, len(others), maxLinked, "%v", others)
}
