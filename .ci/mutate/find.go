package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// change is one change of a source file: the bytes from one offset to another
// become something else.
type change struct {
	file     string
	line     int
	from, to int
	text     string
	what     string
}

// swaps are the operators that are exchanged for another.
var swaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC,
	token.BREAK: token.CONTINUE, token.CONTINUE: token.BREAK,
}

// find lists every change of the package in a folder.
func find(dir string) ([]change, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var all []change
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, set, err := parse(name, src)
		if err != nil {
			return nil, err
		}
		v := &finder{name: name, src: src, file: set.File(f.FileStart)}
		ast.Inspect(f, v.visit)
		all = append(all, v.changes...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("nothing to change in %s", dir)
	}
	return all, nil
}

func parse(name string, src []byte) (*ast.File, *token.FileSet, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
	return f, set, err
}

// finder collects the changes of one file.
type finder struct {
	name    string
	src     []byte
	file    *token.File
	changes []change
}

func (v *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if _, text := n.X.(*ast.BasicLit); n.Op == token.ADD && (text || isText(n.Y)) {
			break // two texts put together
		}
		v.swap(n.OpPos, n.Op)
	case *ast.AssignStmt:
		v.swap(n.TokPos, n.Tok)
	case *ast.IncDecStmt:
		v.swap(n.TokPos, n.Tok)
	case *ast.BranchStmt:
		if n.Label == nil {
			v.swap(n.TokPos, n.Tok)
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			v.add(n.OpPos, n.OpPos+1, "", "! is removed")
		}
	case *ast.IfStmt:
		cond := v.text(n.Cond.Pos(), n.Cond.End())
		v.add(n.Cond.Pos(), n.Cond.End(), "!("+cond+")", "if is turned round")
		v.add(n.Cond.Pos(), n.Cond.End(), "("+cond+") && false", "if never holds")
	case *ast.ExprStmt:
		v.add(n.Pos(), n.End(), "", "the call is removed")
	case *ast.Ident:
		switch n.Name {
		case "true":
			v.add(n.Pos(), n.End(), "false", "true becomes false")
		case "false":
			v.add(n.Pos(), n.End(), "true", "false becomes true")
		}
	}
	return true
}

// isText reports whether an expression is a literal of text.
func isText(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING
}

// swap adds the exchange of an operator, if there is one for it.
func (v *finder) swap(at token.Pos, op token.Token) {
	if other, ok := swaps[op]; ok {
		v.add(at, at+token.Pos(len(op.String())), other.String(), op.String()+" becomes "+other.String())
	}
}

func (v *finder) add(from, to token.Pos, text, what string) {
	line := v.file.Line(from)
	start := v.file.Offset(v.file.LineStart(line))
	whole, _, _ := strings.Cut(string(v.src[start:]), "\n")
	v.changes = append(v.changes, change{
		file: v.name, line: line, from: v.file.Offset(from), to: v.file.Offset(to), text: text,
		what: what + ":   " + strings.TrimSpace(whole),
	})
}

func (v *finder) text(from, to token.Pos) string {
	return string(v.src[v.file.Offset(from):v.file.Offset(to)])
}
