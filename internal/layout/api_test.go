package layout_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestPublicAPIHasNoInternalTypes: no exported function, method, field, constant or variable of a
// public package has a type of an internal package, for users cannot name it.
func TestPublicAPIHasNoInternalTypes(t *testing.T) {
	packages := publicPackages(t)
	require.Greater(t, len(packages), 15)
	for _, pkg := range packages {
		for _, found := range internalTypes(pkg) {
			t.Errorf("%s", found)
		}
	}
}

// publicPackages returns the packages of the library that users can import, from their export data.
func publicPackages(t *testing.T) []*types.Package {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, layer := range layers {
		args = append(args, "./"+layer+"/...")
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = "../.."
	exports := make(map[string]string)
	var names []string
	for line := range strings.Lines(string(testkit.Must(cmd.Output())(t))) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[name] = file
		if isPublic(name) {
			names = append(names, name)
		}
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	slices.Sort(names)
	var out []*types.Package
	for _, name := range names {
		out = append(out, testkit.Must(imports.Import(name))(t))
	}
	return out
}

// isPublic reports whether a package is one of the library that users import.
func isPublic(name string) bool {
	top, _, _ := strings.Cut(strings.TrimPrefix(name, module+"/"), "/")
	return slices.Contains(layers, top) && strings.HasPrefix(name, module+"/") && !isInternal(name)
}

func isInternal(name string) bool {
	return strings.HasPrefix(name, module+"/") && slices.Contains(strings.Split(name, "/"), "internal")
}

// internalTypes lists the exported objects of a package that have an internal type.
func internalTypes(pkg *types.Package) []string {
	c := new(apiCheck)
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		c.at = path.Base(pkg.Path()) + "." + name
		of, named := obj.Type().(*types.Named)
		if _, isType := obj.(*types.TypeName); !isType || !named {
			c.check(obj.Type(), "")
			continue
		}
		c.check(of.Underlying(), "")
		for i := range of.NumMethods() {
			if m := of.Method(i); m.Exported() {
				c.check(m.Type(), "."+m.Name())
			}
		}
	}
	return c.found
}

// apiCheck collects the internal types that are reachable from an exported object.
type apiCheck struct {
	at    string
	found []string
}

func (c *apiCheck) check(t types.Type, where string) {
	switch t := t.(type) {
	case *types.Named:
		if pkg := t.Obj().Pkg(); pkg != nil && isInternal(pkg.Path()) {
			c.found = append(c.found, fmt.Sprintf("%s%s has the internal type %s", c.at, where, t))
		}
		for i := range t.TypeArgs().Len() {
			c.check(t.TypeArgs().At(i), where)
		}
	case *types.Alias:
		c.check(types.Unalias(t), where)
	case *types.Pointer:
		c.check(t.Elem(), where)
	case *types.Slice:
		c.check(t.Elem(), where)
	case *types.Array:
		c.check(t.Elem(), where)
	case *types.Chan:
		c.check(t.Elem(), where)
	case *types.Map:
		c.check(t.Key(), where)
		c.check(t.Elem(), where)
	case *types.Signature:
		c.tuple(t.Params(), where)
		c.tuple(t.Results(), where)
	case *types.Struct:
		for i := range t.NumFields() {
			if f := t.Field(i); f.Exported() {
				c.check(f.Type(), where+"."+f.Name())
			}
		}
	case *types.Interface:
		for i := range t.NumExplicitMethods() {
			if m := t.ExplicitMethod(i); m.Exported() {
				c.check(m.Type(), where+"."+m.Name())
			}
		}
		for i := range t.NumEmbeddeds() {
			c.check(t.EmbeddedType(i), where)
		}
	}
}

func (c *apiCheck) tuple(t *types.Tuple, where string) {
	for v := range t.Variables() {
		c.check(v.Type(), where)
	}
}

// imported are packages by path, as an importer.
type imported map[string]*types.Package

func (i imported) Import(path string) (*types.Package, error) { return i[path], nil }

// TestInternalTypesAreFound: the check finds internal types wherever a user meets them, and nowhere
// else.
func TestInternalTypesAreFound(t *testing.T) {
	compile := func(path, source string, known imported) *types.Package {
		set := token.NewFileSet()
		file := testkit.Must(parser.ParseFile(set, "x.go", source, 0))(t)
		config := types.Config{Importer: known}
		return testkit.Must(config.Check(path, set, []*ast.File{file}, nil))(t)
	}
	hidden := compile(module+"/cache/internal/x", "package x\ntype T struct{}", nil)
	for source, want := range map[string]string{
		"func F(x.T) {}": ".F",
		"func F() map[string][]*x.T { return nil }": ".F",
		"type A = x.T":                                           ".A",
		"type S struct{ x.T }":                                   ".S.T",
		"type S struct{ Field func(x.T) }":                       ".S.Field",
		"type S struct{}\nfunc (*S) Method() x.T":                ".S.Method",
		"type I interface{ Method(x.T) }":                        ".I.Method",
		"var V x.T":                                              ".V",
		"type G[P any] struct{ V P }\ntype U struct{ G G[x.T] }": ".U.G",
		"func f(x.T) {}":                                         "",
		"type S struct{ field x.T }":                             "",
		"type I interface{ method(x.T) }":                        "",
		"type s struct{}\nfunc (s) Method() x.T":                 "",
	} {
		pkg := compile(module+"/cache", "package cache\nimport \""+hidden.Path()+"\"\nvar _ x.T\n"+source, imported{hidden.Path(): hidden})
		found := internalTypes(pkg)
		if want == "" {
			require.Empty(t, found, source)
			continue
		}
		require.Len(t, found, 1, source)
		require.True(t, strings.HasPrefix(found[0], "cache"+want+" has the internal type "), found[0])
	}
}
