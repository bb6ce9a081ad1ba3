package layout_test

import (
	"bytes"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// contract is the document whose sections comments in the code cite.
const contract = "resolver/SEMANTICS.md"

var (
	// A document's "## 3. Constraints …" and a comment's "section 3" or "sections 2 to 5 and 7".
	heading  = regexp.MustCompile(`(?m)^## ([0-9]+)\.`)
	citation = regexp.MustCompile(`(?i)\bsections? ([0-9]+(?:(?:, | and | to | or )[0-9]+)*)`)
	number   = regexp.MustCompile(`[0-9]+`)
	// [text](target), and [name]: target at the end of a document.
	link      = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	reference = regexp.MustCompile(`(?m)^\[([^\]]+)\]: (\S+)$`)
	mention   = regexp.MustCompile(`\[([a-z0-9-]+)\](?:[^(:\w]|$)`)
)

// TestCitedSections: every section that the code cites is in the contract.
func TestCitedSections(t *testing.T) {
	root := os.DirFS("../..")
	text := testkit.Must(fs.ReadFile(root, contract))(t)
	known := map[string]bool{}
	for _, m := range heading.FindAllSubmatch(text, -1) {
		known[string(m[1])] = true
	}
	cited := 0
	for _, name := range files(t, root, ".go") {
		if strings.HasPrefix(name, "internal/layout/") {
			continue
		}
		source := testkit.Must(fs.ReadFile(root, name))(t)
		// A citation may span two lines of a comment.
		source = regexp.MustCompile(`\n\s*// ?`).ReplaceAll(source, []byte(" "))
		for _, m := range citation.FindAllSubmatch(source, -1) {
			for _, n := range number.FindAllString(string(m[1]), -1) {
				cited++
				if !known[n] {
					t.Errorf("%s cites section %s, which is missing from %s", name, n, contract)
				}
			}
		}
	}
	require.Greater(t, cited, 50, "comments cite the contract")
}

// TestContractShowsEachScenario: the contract names every scenario of the test
// data beside a rule, and no missing one.
func TestContractShowsEachScenario(t *testing.T) {
	root := os.DirFS("../..")
	text := testkit.Must(fs.ReadFile(root, contract))(t)
	targets := map[string]string{}
	for _, m := range reference.FindAllSubmatch(text, -1) {
		targets[string(m[1])] = path.Join(path.Dir(contract), string(m[2]))
	}
	mentioned := map[string]bool{}
	for _, m := range mention.FindAllSubmatch(text, -1) {
		mentioned[string(m[1])] = true
	}
	var shown []string
	for name, target := range targets {
		require.True(t, mentioned[name], "%s is linked but not named beside a rule", name)
		shown = append(shown, target)
	}
	for name := range mentioned {
		require.Contains(t, targets, name)
	}
	for _, dir := range []string{"conformance", "rules"} {
		scenarios := testkit.Must(fs.Glob(root, "resolver/scenario/testdata/"+dir+"/*.yaml"))(t)
		require.NotEmpty(t, scenarios)
		for _, name := range scenarios {
			if !slices.Contains(shown, name) {
				t.Errorf("%s does not name %s beside its rule", contract, name)
			}
		}
	}
}

// TestAlgorithmNamesStages: the description of the algorithm names every
// stage, and no missing file of a stage.
func TestAlgorithmNamesStages(t *testing.T) {
	root := os.DirFS("../..")
	text := testkit.Must(fs.ReadFile(root, "resolver/ALGORITHM.md"))(t)
	for _, stage := range stages {
		require.Contains(t, string(text), "`"+stage+"`")
	}
	named := regexp.MustCompile("`([a-z]+/[a-z_]+\\.go)`").FindAllSubmatch(text, -1)
	require.NotEmpty(t, named)
	for _, m := range named {
		_, err := fs.Stat(root, "resolver/internal/"+string(m[1]))
		require.NoError(t, err)
	}
}

// TestLinks: links inside the repository resolve.
func TestLinks(t *testing.T) {
	root := os.DirFS("../..")
	for _, name := range files(t, root, ".md") {
		text := testkit.Must(fs.ReadFile(root, name))(t)
		text = withoutCode(text)
		var targets []string
		for _, m := range link.FindAllSubmatch(text, -1) {
			targets = append(targets, string(m[1]))
		}
		for _, m := range reference.FindAllSubmatch(text, -1) {
			targets = append(targets, string(m[2]))
		}
		for _, target := range targets {
			if strings.Contains(target, "://") {
				continue
			}
			file, anchor, _ := strings.Cut(target, "#")
			if file != "" {
				file = path.Join(path.Dir(name), file)
			} else {
				file = name
			}
			if _, err := fs.Stat(root, file); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, target)
				continue
			}
			if anchor != "" && !slices.Contains(anchors(t, root, file), anchor) {
				t.Errorf("%s links to %s, and %s has no such heading", name, target, file)
			}
		}
	}
}

// withoutCode removes the code blocks from a document.
func withoutCode(text []byte) []byte {
	return regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAll(text, nil)
}

// anchors lists the anchors of a document's headings.
func anchors(t *testing.T, root fs.FS, name string) []string {
	text := testkit.Must(fs.ReadFile(root, name))(t)
	var list []string
	for line := range bytes.Lines(withoutCode(text)) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(string(line), "#"), " "); ok && line[0] == '#' {
			title = strings.ToLower(strings.TrimSpace(title))
			title = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(title, "")
			list = append(list, strings.ReplaceAll(title, " ", "-"))
		}
	}
	return list
}

// files lists the files of the repository with an extension.
func files(t *testing.T, root fs.FS, extension string) []string {
	var list []string
	require.NoError(t, fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (name == ".git" || path.Base(name) == "testdata"):
			return fs.SkipDir
		case strings.HasSuffix(name, extension):
			list = append(list, name)
		}
		return nil
	}))
	return list
}

// TestPackagesOpenWithAnExample: the documentation of each layer begins with a
// sentence and code, and the code is the end of the package's runnable
// example.
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

// TestCompatibilityNamesVersions: CONTRIBUTING.md names the versions that the
// tests run with.
func TestCompatibilityNamesVersions(t *testing.T) {
	text := testkit.Must(os.ReadFile("../../CONTRIBUTING.md"))(t)
	for name, pinned := range map[string]struct{ file, version string }{
		"opm":          {"cache/opmgrpc/opm.sh", `(?m)^version=v(\S+)$`},
		"oc-mirror v2": {"cmd/resolute/internal/mirror/testdata/catalog-filter/go.mod", `github.com/sherine-k/catalog-filter v(\S+)`},
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

// TestLicences: CONTRIBUTING.md has a line with the licence of each module in
// go.mod, and no others.
func TestLicences(t *testing.T) {
	required, listed := modules(t, "../../go.mod", `(?m)^(?:require )?\t?(\S+\.\S+/\S+|\S+\.\S+) v\S+`), modules(t, "../../CONTRIBUTING.md", "(?m)^\\| `(\\S+\\.\\S+/\\S+)` \\| \\S[^|]* \\| \\S[^|]* \\|$")
	require.Greater(t, len(required), 5, "go.mod does not parse")
	require.Equal(t, required, listed)
}

// modules finds the module names in a file, sorted.
func modules(t *testing.T, file, pattern string) []string {
	t.Helper()
	text := testkit.Must(os.ReadFile(file))(t)
	var names []string
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	slices.Sort(names)
	require.Equal(t, slices.Compact(slices.Clone(names)), names, "a module is listed twice")
	return names
}
