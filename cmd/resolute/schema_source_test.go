package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

const module = "github.com/seed109e2655/resolute/"

// declared is what the source of a package declares: the comments of its types and of their
// fields ("Type" and "Type.Field"), and its constants.
type declared struct {
	comments  map[string]string
	bullets   map[string][]any // the codes that the comment of a type lists
	constants []constant
}

// constant is a constant that is a string: of a named type ("graph.Code"), or of none.
type constant struct{ name, kind, value string }

// source reads packages of this module.
type source map[string]*declared

// of reads a package by its path.
func (s source) of(t *testing.T, path string) *declared {
	t.Helper()
	if d := s[path]; d != nil {
		return d
	}
	d := &declared{comments: make(map[string]string), bullets: make(map[string][]any)}
	s[path] = d
	files, err := filepath.Glob(filepath.Join("../..", strings.TrimPrefix(path, module), "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, decl := range parsed.Decls {
			if g, ok := decl.(*ast.GenDecl); ok {
				d.add(parsed.Name.Name, g)
			}
		}
	}
	return d
}

// add adds a declaration of a package.
func (d *declared) add(pkg string, g *ast.GenDecl) {
	for _, spec := range g.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			doc := spec.Doc
			if doc == nil {
				doc = g.Doc
			}
			d.comments[spec.Name.Name] = plain(doc.Text())
			for _, m := range regexp.MustCompile(`(?m)^ *- (\w+): `).FindAllStringSubmatch(doc.Text(), -1) {
				d.bullets[spec.Name.Name] = append(d.bullets[spec.Name.Name], m[1])
			}
			if of, ok := spec.Type.(*ast.StructType); ok {
				d.fields(spec.Name.Name, of)
			}
		case *ast.ValueSpec:
			for i, v := range spec.Values {
				lit, ok := v.(*ast.BasicLit)
				if g.Tok != token.CONST || !ok || lit.Kind != token.STRING {
					continue
				}
				value, _ := strconv.Unquote(lit.Value)
				d.constants = append(d.constants, constant{spec.Names[i].Name, kindOf(pkg, spec.Type), value})
			}
		}
	}
}

// kindOf names the type of a constant.
func kindOf(pkg string, expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.Ident:
		return pkg + "." + e.Name
	case *ast.SelectorExpr:
		return e.X.(*ast.Ident).Name + "." + e.Sel.Name
	}
	return ""
}

// fields adds the comments of fields. One comment may be about the fields below it, too, if it
// has their names.
func (d *declared) fields(of string, s *ast.StructType) {
	last := ""
	for _, f := range s.Fields.List {
		text := plain(f.Doc.Text() + f.Comment.Text())
		for _, name := range f.Names {
			if inner, ok := f.Type.(*ast.StructType); ok {
				d.fields(of+"."+name.Name, inner)
			}
			switch mentions := regexp.MustCompile(`\b` + name.Name + `\b`); {
			case text != "":
				last = text
			case !mentions.MatchString(last):
				continue
			}
			d.comments[of+"."+name.Name] = last
		}
	}
}

// plain is a comment in one line, without the brackets of links.
func plain(comment string) string {
	comment, _, _ = strings.Cut(comment, "\n\n")
	comment = regexp.MustCompile(`\[\*?([A-Za-z][\w.]*)\]`).ReplaceAllString(comment, "$1")
	return strings.Join(strings.Fields(comment), " ")
}

// values are those of the constants of a type, in the order of the source; the type may have
// some in other packages.
func (s source) values(t *testing.T, of reflect.Type) []any {
	t.Helper()
	kind := filepath.Base(of.PkgPath()) + "." + of.Name()
	var out []any
	for _, path := range append([]string{of.PkgPath()}, moreConstants[kind]...) {
		for _, c := range s.of(t, path).constants {
			if c.kind == kind && !slices.Contains(out, any(c.value)) {
				out = append(out, c.value)
			}
		}
	}
	return out
}

// prefixed are the values of the untyped constants of a package whose names begin like that.
func (s source) prefixed(t *testing.T, path, prefix string) []any {
	t.Helper()
	var out []any
	for _, c := range s.of(t, module+path).constants {
		if after, ok := strings.CutPrefix(c.name, prefix); ok && c.kind == "" && after != "" && unicode.IsUpper(rune(after[0])) {
			out = append(out, c.value)
		}
	}
	require.NotEmpty(t, out, "%s %s", path, prefix)
	return out
}

// valuesOf are the values of the constants of a named type of this module, or else those that its
// comment lists.
func (s source) valuesOf(t *testing.T, of reflect.Type) []any {
	t.Helper()
	if !strings.HasPrefix(of.PkgPath(), module) {
		return nil
	}
	if values := s.values(t, of); len(values) > 0 {
		return values
	}
	return s.of(t, of.PkgPath()).bullets[of.Name()]
}

// matched are the first groups of a pattern in the source of packages, each once, in ascending
// order: codes that are written where they arise.
func matched(t *testing.T, pattern string, paths ...string) []any {
	t.Helper()
	var out []string
	for _, path := range paths {
		files, err := filepath.Glob(filepath.Join("../..", path, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(data), -1) {
				out = append(out, m[1])
			}
		}
	}
	require.NotEmpty(t, out, pattern)
	slices.Sort(out)
	return anyOf(slices.Compact(out)...)
}

func anyOf(values ...string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}
