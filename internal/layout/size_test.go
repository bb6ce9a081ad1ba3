package layout_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// What a reader can keep in mind, tests aside.
const (
	mostLines   = 4000 // of a package
	mostFiles   = 30   // of a folder
	mostMethods = 40   // of a type
)

// TestSizes: no package, folder or type is larger than the bounds.
func TestSizes(t *testing.T) {
	found, err := tooLarge(os.DirFS("../.."))
	require.NoError(t, err)
	require.Empty(t, found)
}

// The check must find each thing that is too large, and nothing else.
func TestSizeCheckWorks(t *testing.T) {
	file := func(lines int, more string) *fstest.MapFile {
		src := "package p\n" + more
		return &fstest.MapFile{Data: []byte(src + strings.Repeat("//\n", lines-strings.Count(src, "\n")))}
	}
	methods := func(receiver string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "func (%s) M%d() {}\n", receiver, i)
		}
		return b.String()
	}
	tree := fstest.MapFS{
		"graph/a.go":             file(2500, ""),
		"graph/b.go":             file(1500, "type T[E any] struct{}\n"+methods("*T[E]", 40)),
		"graph/b_test.go":        file(9000, methods("T", 90)),
		"cache/a.go":             file(2500, ""),
		"cache/b.go":             file(1501, ""),
		"cache/deep/a.go":        file(100, methods("t *T", 30)),
		"cache/deep/b.go":        file(100, methods("u T[A, B]", 11)+methods("Other", 20)),
		"cache/grpc/go.mod":      {},
		"cache/grpc/a.go":        file(9000, ""),
		"resolver/testdata/a.go": file(9000, ""),
	}
	for i := range 31 {
		tree[fmt.Sprintf("resolver/a%d.go", i)] = file(10, "")
		tree[fmt.Sprintf("resolver/ready/a%d_test.go", i)] = file(10, "")
	}
	found, err := tooLarge(tree)
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"cache: lines":          "4001 lines, more than 4000",
		"cache/deep.T: methods": "41 methods, more than 40",
		"resolver: files":       "31 files, more than 30",
	}, found)
}

// tooLarge says of each package, folder and type of the root module that is larger than
// the bounds by how much, under its name and what there is too much of.
func tooLarge(tree fs.FS) (map[string]string, error) {
	sources, err := readSources(tree)
	if err != nil {
		return nil, err
	}
	lines, files, methods := make(map[string]int), make(map[string]int), make(map[string]int)
	for _, s := range sources {
		if s.test {
			continue
		}
		src, err := fs.ReadFile(tree, s.file)
		if err != nil {
			return nil, err
		}
		lines[s.folder] += bytes.Count(src, []byte("\n"))
		files[s.folder]++
		parsed, err := parser.ParseFile(token.NewFileSet(), s.file, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && len(f.Recv.List) == 1 {
				methods[s.folder+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
	}
	found := make(map[string]string)
	for _, bound := range []struct {
		of   map[string]int
		most int
		what string
	}{{lines, mostLines, "lines"}, {files, mostFiles, "files"}, {methods, mostMethods, "methods"}} {
		for name, n := range bound.of {
			if n > bound.most {
				found[name+": "+bound.what] = fmt.Sprintf("%d %s, more than %d", n, bound.what, bound.most)
			}
		}
	}
	return found, nil
}

// receiver is the name of the type that a method is of.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	default:
		return fmt.Sprintf("%T", e)
	}
}
