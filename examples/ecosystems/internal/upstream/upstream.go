// Package upstream reads the test tables of other projects from their modules, so that an adapter is
// tested with the cases of the project itself and none of them is copied.
package upstream

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Dir returns the folder of a module, "path@version", which it downloads without its dependencies.
// The test is skipped if that fails.
func Dir(t *testing.T, module string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.Output()
	var found struct{ Dir, Error string }
	if json.Unmarshal(out, &found); err != nil || found.Dir == "" {
		t.Skipf("%s cannot be downloaded, so its test cases are not run: %s %v", module, found.Error, err)
	}
	return found.Dir
}

// Call is a call in a table: the function or method, what it is called on, and the arguments.
type Call struct {
	Name string
	On   any
	Args []any
}

// Ident is an identifier in a table.
type Ident string

// Tables returns the composite literals that a test function of a file assigns to a variable, as
// maps (by field or key), lists, strings, integers, Call and Ident.
func Tables(t *testing.T, file, function, variable string) []any {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(file), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []any
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == function {
			ast.Inspect(fn, func(n ast.Node) bool {
				if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == 1 {
					if id, ok := a.Lhs[0].(*ast.Ident); ok && id.Name == variable {
						out = append(out, value(a.Rhs[0]))
					}
				}
				return true
			})
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has no variable %s in %s", file, variable, function)
	}
	return out
}

func value(e ast.Expr) any {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, _ := strconv.Unquote(e.Value)
			return s
		}
		n, _ := strconv.Atoi(e.Value)
		return n
	case *ast.UnaryExpr:
		return value(e.X)
	case *ast.Ident:
		return Ident(e.Name)
	case *ast.SelectorExpr:
		return Ident(e.Sel.Name)
	case *ast.CallExpr:
		c := Call{}
		switch f := e.Fun.(type) {
		case *ast.SelectorExpr:
			c.Name, c.On = f.Sel.Name, value(f.X)
		case *ast.Ident:
			c.Name = f.Name
		}
		for _, a := range e.Args {
			c.Args = append(c.Args, value(a))
		}
		return c
	case *ast.CompositeLit:
		fields, list := map[string]any{}, []any{}
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				key := value(kv.Key)
				if id, ok := key.(Ident); ok {
					key = string(id)
				}
				fields[key.(string)] = value(kv.Value)
			} else {
				list = append(list, value(x))
			}
		}
		if len(fields) > 0 {
			return fields
		}
		return list
	}
	return nil
}

// Get follows fields of maps; nil if there is none.
func Get(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// Strings returns the strings of a list.
func Strings(v any) []string {
	var out []string
	list, _ := v.([]any)
	for _, x := range list {
		if s, ok := x.(string); ok {
			out = append(out, s)
		} else if id, ok := x.(Ident); ok {
			out = append(out, string(id))
		}
	}
	return out
}

// Calls returns the chained calls of a value by name, the first one first.
func Calls(v any, name string) []Call {
	var out []Call
	for {
		c, ok := v.(Call)
		if !ok {
			return out
		}
		if c.Name == name {
			out = append([]Call{c}, out...)
		}
		v = c.On
	}
}
