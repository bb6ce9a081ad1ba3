// Package layout_test checks the layout of the module: the location of files
// and the allowed imports.
package layout_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

const module = "github.com/seed109e2655/resolute"

// layers lists the folders of the library, bottom up. A package may import
// only lower layers and packages of its own folder.
var layers = []string{"properties", "constraints", "graph", "cache", "resolver"}

// stages lists the packages of a resolution in order. A stage may import only
// earlier ones, and none imports package resolver.
var stages = []string{"problem", "search", "formula", "core", "explain", "plan", "settings"}

// engine lists the packages that may import the stages.
var engine = []string{"resolver", "resolver/argument", "resolver/lazy", "resolver/trace", "resolver/whatif"}

// vocabulary lists the packages that describe conflicts and events; the latter
// use the former. They import neither package resolver nor its stages, which
// use them.
var vocabulary = []string{"resolver/argument", "resolver/trace"}

// onlyIn maps libraries to the one folder that may import them, so that each
// can be replaced and stays out of the public API.
var onlyIn = []struct {
	libraries []string
	folder    string
	inTests   bool // the rule covers test files too
}{
	{[]string{"github.com/go-air/gini"}, "internal/sat", true},
	{[]string{"github.com/google/cel-go", "cel.dev/cel-go"}, "constraints/cel", true},
	{[]string{
		"go.yaml.in/yaml", "gopkg.in/yaml", "sigs.k8s.io/yaml",
		"github.com/goccy/go-yaml", "github.com/ghodss/yaml",
	}, "cache/fbc/document", false},
	{[]string{"oras.land/oras-go", "github.com/opencontainers"}, "cache/image", true},
}

// heavy libraries would burden every importer of this module. They belong in
// nested modules, below examples and cache.
var heavy = []string{
	"sigs.k8s.io/controller-runtime", "k8s.io", "github.com/operator-framework",
	"google.golang.org/grpc", "go.opentelemetry.io",
	"github.com/chromedp", "github.com/go-rod", "github.com/playwright-community",
}

// topLevel lists the names allowed at the root, besides dot files.
var topLevel = []string{
	"properties", "constraints", "graph", "cache", "resolver",
	"internal", "cmd", "examples", "benchmarks",
	"doc.go", "README.md", "go.mod", "go.sum",
	"LICENSE", "CHANGELOG.md", "CONTRIBUTING.md",
}

// forTests lists the packages that only tests and internal packages may
// import.
var forTests = []string{"internal/testkit"}

// vague names do not describe a package's purpose.
var vague = []string{"util", "utils", "common", "helper", "helpers", "misc", "shared", "base", "lib"}

func TestLayout(t *testing.T) {
	for _, violation := range testkit.Must(checkLayout(os.DirFS("../..")))(t) {
		t.Error(violation)
	}
}

// The check must report each kind of violation and nothing else.
func TestLayoutCheckWorks(t *testing.T) {
	// add adds a file, given as its name, package and imports.
	add := func(tree fstest.MapFS, line string) fstest.MapFS {
		words := strings.Fields(strings.ReplaceAll(line, "~", module))
		source := ""
		for i, word := range words[1:] {
			if i == 0 {
				source = "package " + word + "\n"
			} else {
				source += "import _ " + strconv.Quote(word) + "\n"
			}
		}
		tree[words[0]] = &fstest.MapFile{Data: []byte(source)}
		return tree
	}
	cases := testkit.Cases(t, "testdata/layout.txt", "has", "adds")
	fine := fstest.MapFS{}
	for _, line := range cases[0].Part("has").Lines {
		add(fine, line)
	}
	require.Empty(t, testkit.Must(checkLayout(fine))(t))
	for _, adds := range cases[1].All("adds") {
		t.Run(adds.Lines[0], func(t *testing.T) {
			require.Equal(t, adds.Lines, testkit.Must(checkLayout(add(maps.Clone(fine), adds.Rest)))(t))
		})
	}

	_, err := checkLayout(fstest.MapFS{"graph/g.go": {Data: []byte("no Go")}})
	require.ErrorContains(t, err, "graph/g.go")
}

// TestCopiedExamplesBuildElsewhere: programs that documents offer for copying
// import no internal package, so that they build in another module.
func TestCopiedExamplesBuildElsewhere(t *testing.T) {
	copied := map[string]int{"examples/embed": 0, "examples/quickstart": 0, "examples/upgradetest": 0}
	for _, s := range testkit.Must(readSources(os.DirFS("../..")))(t) {
		if _, is := copied[s.folder]; !is {
			continue
		}
		copied[s.folder]++
		for _, name := range s.imports {
			require.NotContains(t, name+"/", "/internal/", s.file)
		}
	}
	for folder, files := range copied {
		require.Positive(t, files, folder)
	}
}

// TestQuickstartImports: the shortest program imports two packages of this module.
func TestQuickstartImports(t *testing.T) {
	var own []string
	for _, s := range testkit.Must(readSources(os.DirFS("../..")))(t) {
		if s.folder == "examples/quickstart" && !s.test {
			own = append(own, slices.DeleteFunc(s.imports, func(path string) bool { return !strings.Contains(path, "/resolute/") })...)
		}
	}
	require.Len(t, own, 2)
}

// TestCertificatesAreIndependent: the checker of certificates imports nothing of the engine.
func TestCertificatesAreIndependent(t *testing.T) {
	allowed, files := []string{"cache", "graph", "properties", "constraints", "resolver"}, 0
	for _, s := range testkit.Must(readSources(os.DirFS("../..")))(t) {
		if s.folder != "resolver/certificate" || s.test {
			continue
		}
		files++
		for _, name := range s.imports {
			if inside, ours := strings.CutPrefix(name, module+"/"); ours {
				require.Contains(t, allowed, inside, s.folder)
			}
		}
	}
	require.Positive(t, files)
}

// TestPropertyTestsDrawTheSame: folders whose tests use rapid fix the seed.
func TestPropertyTestsDrawTheSame(t *testing.T) {
	const fixed = module + "/internal/testkit/seed"
	var drawing, seeded []string
	for _, s := range testkit.Must(readSources(os.DirFS("../..")))(t) {
		if slices.Contains(s.imports, "pgregory.net/rapid") {
			drawing = append(drawing, s.folder)
		}
		if slices.Contains(s.imports, fixed) {
			seeded = append(seeded, s.folder)
		}
	}
	require.NotEmpty(t, drawing)
	for _, folder := range slices.Compact(drawing) {
		if folder != "internal/testkit/seed" && !slices.Contains(seeded, folder) {
			t.Errorf("%s: a property test needs import _ %q", folder, fixed)
		}
	}
}

// source describes one Go file of the root module.
type source struct {
	file, folder, pkg string
	test              bool
	imports           []string
}

// checkLayout returns the violations of the module in tree, in file order.
func checkLayout(tree fs.FS) ([]string, error) {
	var found []string
	top, err := fs.ReadDir(tree, ".")
	if err != nil {
		return nil, err
	}
	for _, entry := range top {
		name := entry.Name()
		if !strings.HasPrefix(name, ".") && !slices.Contains(topLevel, name) {
			found = append(found, name+": does not belong at the top level")
		}
	}
	sources, err := readSources(tree)
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		found = append(found, checkSource(s, sources)...)
	}
	return found, nil
}

// readSources parses the Go files of the root module, without nested modules
// and files that ./... excludes.
func readSources(tree fs.FS) ([]source, error) {
	var sources []source
	return sources, fs.WalkDir(tree, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := path.Base(file)
		if entry.IsDir() {
			if file == "." {
				return nil
			}
			_, err := fs.Stat(tree, path.Join(file, "go.mod"))
			if err == nil || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		src, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		s := source{file: file, folder: path.Dir(file), pkg: parsed.Name.Name, test: strings.HasSuffix(name, "_test.go")}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, imported)
		}
		sources = append(sources, s)
		return nil
	})
}

func checkSource(s source, all []source) (found []string) {
	say := func(format string, args ...any) {
		found = append(found, s.file+": "+fmt.Sprintf(format, args...))
	}
	for _, name := range slices.Compact([]string{path.Base(s.folder), strings.TrimSuffix(s.pkg, "_test")}) {
		if slices.Contains(vague, name) {
			say("%q does not describe the package's purpose", name)
		}
	}
	if s.folder != "." && !slices.Contains(topLevel, root(s.folder)) {
		say("%s is not a folder of the layout", root(s.folder))
	}
	for _, imported := range s.imports {
		for _, rule := range onlyIn {
			if !s.test || rule.inTests {
				if slices.ContainsFunc(rule.libraries, func(l string) bool { return within(imported, l) }) && s.folder != rule.folder {
					say("only %s may import %s", rule.folder, imported)
				}
			}
		}
		if slices.ContainsFunc(heavy, func(l string) bool { return within(imported, l) }) {
			say("%s is too heavy for the root module", imported)
		}
		if to, ours := strings.CutPrefix(imported, module+"/"); ours && !s.test {
			if complaint := checkArrow(s.folder, to, all); complaint != "" {
				say("%s", complaint)
			}
		}
	}
	return found
}

// checkArrow returns the violation of an import between two packages of the
// module, or "". Tests are exempt: they may import upper layers.
func checkArrow(from, to string, all []source) string {
	if from == "." {
		return "the root package must not import " + to
	}
	if !allowed(from, to) {
		return from + " must not import " + to
	}
	// Packages in internal belong to no layer; their imports count for their
	// importers.
	if root(to) == "internal" && root(from) != "internal" {
		for _, reached := range reach(to, all, map[string]bool{}) {
			if !allowed(from, reached) {
				return from + " must not reach " + reached + " through " + to
			}
		}
	}
	return ""
}

// allowed encodes the architecture: which package may import which.
func allowed(from, to string) bool {
	switch {
	case root(from) == "cmd": // the product may use everything but parts of the engine
		return !within(to, "internal/testkit") && to != "internal/sat"
	case root(from) == "examples" || root(from) == "benchmarks":
		return root(to) != "internal" // copies could not import it
	case root(from) == "internal":
		return from != "internal/sat" && from != "internal/text" && // leaf packages
			(within(from, "internal/testkit") || !within(to, "internal/testkit"))
	case to == "internal/sat":
		return root(from) == "resolver"
	case within(to, "resolver/internal") && root(from) == "resolver" && !slices.Contains(engine, from) && !within(from, "resolver/internal"):
		return false // these packages build on the engine's exports
	case to == "internal/declared":
		return from == "resolver/upgradetest" || root(from) == "internal"
	case slices.ContainsFunc(forTests, func(f string) bool { return within(to, f) }):
		return false
	case root(to) == "internal":
		return true
	case to == "resolver/internal/lexicon":
		return within(from, "resolver") // whose vocabulary it uses
	case (from == "resolver/internal/plan" || from == "resolver/internal/explain") && to == vocabulary[0], (from == "resolver/internal/search" || from == "resolver/internal/settings") && slices.Contains(vocabulary, to):
		return true // they create reasons, facts and events
	case (from == "resolver/internal/formula" || from == "resolver/internal/core") && to == vocabulary[1]:
		return true // they report solver calls and their purpose
	case slices.Contains(vocabulary, from):
		return below(from, to) || from == vocabulary[1] && to == vocabulary[0]
	case within(from, "resolver/internal") && within(to, "resolver"):
		left, right := slices.Index(stages, path.Base(to)), slices.Index(stages, path.Base(from))
		return within(to, "resolver/internal") && left >= 0 && left < right
	case from == "cache/fbc/document" && within(to, "cache/fbc"):
		return false // which reads documents of any content
	case within(from, "cache/fbc/internal") && within(to, "cache/fbc"):
		return to == "cache/fbc/document"
	case within(to, "cache/fbc"):
		// A scenario contains blobs, a lock contains a scenario, the test kit builds catalogs from blobs,
		// and dumps of clusters are YAML.
		return from == "resolver/scenario" || from == "resolver/lock" || within(from, "resolver/olm") || within(from, "resolver/upgradetest") ||
			from == "cache/catalogd" || from == "cache/image" || from == "cache/disk" || within(from, "cache/fbc")
	case within(to, "resolver/draw"):
		return within(from, "resolver/draw") // pictures are for programs
	case root(from) == root(to):
		return true
	}
	return below(from, to)
}

// below reports whether a package is in a lower layer than another.
func below(from, to string) bool {
	i := slices.Index(layers, root(to))
	return i >= 0 && i < slices.Index(layers, root(from))
}

// reach returns the packages outside of internal that a package in internal
// imports, directly or through others in internal, ignoring tests.
func reach(folder string, all []source, seen map[string]bool) (out []string) {
	if seen[folder] {
		return nil
	}
	seen[folder] = true
	for _, s := range all {
		if s.folder != folder || s.test {
			continue
		}
		for _, imported := range s.imports {
			to, ours := strings.CutPrefix(imported, module+"/")
			switch {
			case !ours:
			case root(to) == "internal" && to != "internal/sat":
				out = append(out, reach(to, all, seen)...)
			default:
				out = append(out, to)
			}
		}
	}
	return out
}

// root returns the first element of a path.
func root(p string) string {
	first, _, _ := strings.Cut(p, "/")
	return first
}

// within reports whether a path equals another or lies below it. Major
// versions count as below: go.yaml.in/yaml/v3 and gopkg.in/yaml.v3 are within
// yaml.
func within(p, prefix string) bool {
	rest, ok := strings.CutPrefix(p, prefix)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '.')
}
