package layout_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// ownContext lists the files of the resolver that check a context themselves,
// with the reason. Other files use that of problem.Budget, so that a loop
// without Step stands out.
var ownContext = map[string]string{
	"resolver/path.go":       "a context that ends between two rounds",
	"resolver/resolution.go": "a context that has ended before the work begins",
	"resolver/session.go":    "a context that has ended before the work begins",
}

// TestContextComesFromTheWork: the stages of a resolution use the context of
// their budget, and so does package resolver except for the listed files.
func TestContextComesFromTheWork(t *testing.T) {
	root := os.DirFS("../..")
	used := make(map[string]bool)
	for _, name := range files(t, root, ".go") {
		dir := path.Dir(name)
		if dir != "resolver" && !within(dir, "resolver/internal") || name == "resolver/internal/problem/budget.go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		source := testkit.Must(fs.ReadFile(root, name))(t)
		found := testkit.Must(contextsOf(name, source))(t)
		if _, listed := ownContext[name]; listed {
			used[name] = used[name] || len(found) > 0
			continue
		}
		for _, f := range found {
			t.Errorf("%s; use that of problem.Budget, and call Step in loops", f)
		}
	}
	for name := range ownContext {
		require.True(t, used[name], "%s is listed but checks no context", name)
	}
}

// TestContextsAreFound: the check finds exactly context fields and checks.
func TestContextsAreFound(t *testing.T) {
	for text, want := range map[string][]string{
		"type a struct{ ctx context.Context }":                         {"x.go:2: a field is a context"},
		"func f(ctx context.Context) { g(ctx) }":                       nil,
		"func f(ctx context.Context) error { return ctx.Err() }":       {"x.go:2: it checks a context"},
		"func f(a a) error { return a.ctx.Err() }":                     {"x.go:2: it checks a context"},
		"func f(w *w) error { return w.Context().Err() }":              {"x.go:2: it checks a context"},
		"func f(ctx context.Context) { <-ctx.Done() }":                 {"x.go:2: it checks a context"},
		"func f(w *w) error { w.Step(); return w.Err() }":              nil,
		"type h struct{ Began func(context.Context) context.Context }": nil,
	} {
		got := testkit.Must(contextsOf("x.go", []byte("package x\n"+text)))(t)
		require.Equal(t, want, got, text)
	}
}

// contextsOf lists the places where a file stores a context in a field or
// checks one.
func contextsOf(name string, source []byte) ([]string, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []string
	say := func(n ast.Node, what string) {
		found = append(found, fmt.Sprintf("%s:%d: %s", name, set.Position(n.Pos()).Line, what))
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			for _, field := range n.Fields.List {
				if isContextType(field.Type) {
					say(field, "a field is a context")
				}
			}
		case *ast.CallExpr:
			if call, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Err", "Done"}, call.Sel.Name) && isContext(call.X) {
				say(n, "it checks a context")
			}
		}
		return true
	})
	return found, nil
}

func isContextType(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := s.X.(*ast.Ident)
	return ok && pkg.Name == "context" && s.Sel.Name == "Context"
}

// isContext reports whether an expression is named like a context.
func isContext(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "ctx"
	case *ast.SelectorExpr:
		return e.Sel.Name == "ctx"
	case *ast.CallExpr:
		s, ok := e.Fun.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Context"
	}
	return false
}
