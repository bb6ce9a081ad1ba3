package layout_test

import (
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestPackagesOpenWithAnExample: the documentation of each layer begins with a sentence
// and code, and the code is the end of the package's example, which is run.
func TestPackagesOpenWithAnExample(t *testing.T) {
	example := regexp.MustCompile(`(?ms)^func Example\(\) \{\n(.*?)^\}`)
	for _, layer := range layers {
		dir := filepath.Join("..", "..", layer)
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "doc.go"), nil, parser.ParseComments)
		require.NoError(t, err)
		opening := new(comment.Parser).Parse(file.Doc.Text()).Content
		require.Greater(t, len(opening), 2)
		require.IsType(t, &comment.Paragraph{}, opening[0])
		require.IsType(t, &comment.Code{}, opening[1], layer)
		code := opening[1].(*comment.Code).Text
		require.Contains(t, code, "// Output:\n")
		tests := testkit.Must(filepath.Glob(filepath.Join(dir, "*example_test.go")))(t)
		found := false
		for _, name := range tests {
			text := testkit.Must(os.ReadFile(name))(t)
			for _, m := range example.FindAllStringSubmatch(string(text), -1) {
				found = true
				body := regexp.MustCompile(`(?m)^\t`).ReplaceAllString(m[1], "")
				require.True(t, strings.HasSuffix(body, code), "%s shows\n%s\nand runs\n%s", layer, code, body)
			}
		}
		require.True(t, found, layer)
	}
}

// TestCompatibilityNamesVersions: the versions that CONTRIBUTING.md says the behaviour was
// held against are those that the tests are run with.
func TestCompatibilityNamesVersions(t *testing.T) {
	text := testkit.Must(os.ReadFile("../../CONTRIBUTING.md"))(t)
	for name, pinned := range map[string]struct{ file, version string }{
		"opm":          {"cache/opmgrpc/opm.sh", `(?m)^version=v(\S+)$`},
		"oc-mirror v2": {"resolver/mirror/testdata/catalog-filter/go.mod", `github.com/sherine-k/catalog-filter v(\S+)`},
		"Kubernetes":   {"examples/controller/apiserver.sh", `(?m)^version=v(\S+)$`},
		"libsolv":      {"benchmarks/results/results.md", `libsolv ([0-9.]+)`},
		"Go":           {"go.mod", `(?m)^go (\d+\.\d+)`},
	} {
		file := testkit.Must(os.ReadFile(filepath.Join("..", "..", pinned.file)))(t)
		m := regexp.MustCompile(pinned.version).FindSubmatch(file)
		require.NotNil(t, m, pinned.file)
		require.Regexp(t, `(?m)^\| `+regexp.QuoteMeta(name)+` \| [^|]*`+regexp.QuoteMeta(string(m[1]))+`\b`, string(text))
	}
}
