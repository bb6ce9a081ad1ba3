package layout_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// notLinked lists standard packages that the engine must not link: it does not
// serve, use the network or draw.
var notLinked = []string{"net/http", "crypto/tls", "html/template", "encoding/xml"}

// maxLinked limits the packages of other modules that the engine links.
const maxLinked = 15

// TestEngineLinksLittle: a program that imports the resolver links few
// packages of other modules, and none that serves or draws.
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
