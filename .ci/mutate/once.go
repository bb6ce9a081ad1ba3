package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// judged measures the checks of a package that can tell right from wrong answers by themselves,
// without a compilation for each change: all changes are compiled into one test program, behind a
// number that selects one of them.
//
// The external test package declares
//
//	func judges(t *testing.T) []func() error
//
// Each returns an error if the package gives a wrong answer. A change is noticed if a judge returns
// one, panics, or does not end. See mutants for the changes that can be made in this way.
func (t tester) judged(ctx context.Context, pkg string, count, least int, seed uint64, limit time.Duration) error {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	all, overlay, err := switchable(filepath.Join(t.root, pkg), dir)
	if err != nil {
		return err
	}
	program := filepath.Join(dir, "test")
	if err := t.command(ctx, os.Stderr, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, pkg); err != nil {
		return fmt.Errorf("the changed package does not compile: %w", err)
	}
	compiled := time.Since(began)
	numbers := rand.New(rand.NewPCG(seed, uint64(len(all)))).Perm(len(all))
	if count > 0 && count < len(numbers) {
		numbers = numbers[:count]
	}
	late, survivors, excepted := 0, 0, 0
	for left := numbers; len(left) > 0; { // the program ends early at a change that does not end
		tried := 0
		err := t.judge(ctx, program, filepath.Join(t.root, pkg), left, limit, func(k int, noticed bool) {
			name, _ := filepath.Rel(t.root, all[k].file)
			switch tried++; {
			case noticed:
			case slices.Contains(t.except, name+": "+all[k].what):
				excepted++
			default:
				survivors++
				fmt.Printf("%s:%d: %s\n", name, all[k].line, all[k].what)
			}
		})
		if err != nil {
			return err
		}
		if left = left[tried:]; len(left) > 0 {
			left = left[1:]
			late++
		}
	}
	counted := len(numbers) - excepted
	fmt.Printf("== %s: %d of %d changes noticed (%d by taking too long), %d make no difference, drawn of %d, %s, %s of them to compile\n", pkg, counted-survivors, counted, late, excepted,
		len(all), time.Since(began).Round(time.Second), compiled.Round(time.Second))
	if noticed := counted - survivors; noticed*100 < least*counted {
		return fmt.Errorf("%d of %d changes are noticed, less than %d %%: a judge is missing", noticed, counted, least)
	}
	return nil
}

// judge runs the program for some changes, and reports which of them it notices, up to one at which
// it does not end.
func (t tester) judge(ctx context.Context, program, dir string, numbers []int, limit time.Duration, report func(k int, noticed bool)) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$0" -test.run '^TestJudged$' -test.short -test.timeout 0`, mostMemory), program)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "MUTATE="+strings.Trim(fmt.Sprint(numbers), "[]"), "MUTATE_LIMIT="+limit.String())
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	broken := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var k int
		var verdict string
		if n, _ := fmt.Sscanf(lines.Text(), "mutant %d %s", &k, &verdict); n == 2 {
			report(k, verdict == "noticed")
		} else if strings.Contains(lines.Text(), "judges without any change") {
			broken = lines.Text()
		}
	}
	if err := cmd.Wait(); ctx.Err() != nil || broken != "" {
		return fmt.Errorf("%w %s", cmp.Or(ctx.Err(), err), broken)
	}
	return nil
}

// switchable writes the sources of a package with all changes behind a number, and the test that
// selects them one by one. It returns the changes and the overlay that makes the compiler use them.
func switchable(pkg, dir string) ([]change, string, error) {
	names, err := filepath.Glob(filepath.Join(pkg, "*.go"))
	if err != nil {
		return nil, "", err
	}
	replace, m, name := make(map[string]string), new(mutants), ""
	for _, file := range names {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, "", err
		}
		f, set, err := parse(file, src)
		if err != nil {
			return nil, "", err
		}
		name = f.Name.Name
		m.finder, m.first = finder{name: file, src: src, file: set.File(f.FileStart)}, len(m.sites)
		m.find(f)
		// The finder lists the conditions of a switch before the statements of its cases.
		slices.SortStableFunc(m.sites[m.first:], func(a, b site) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
		text := m.render(0, len(src), m.first)
		replace[file] = filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(replace[file], []byte(text), 0o600); err != nil {
			return nil, "", err
		}
	}
	if len(m.all) == 0 {
		return nil, "", fmt.Errorf("nothing to change in %s", pkg)
	}
	for file, text := range map[string]string{
		"mutant_switch.go": "package " + name + "\n\nvar Mutant int\n\nfunc mutantIs(k int) bool { return k == Mutant }\n\n" +
			"func mutantOf[T any](k int, changed, same T) T {\n\tif k == Mutant {\n\t\treturn changed\n\t}\n\treturn same\n}\n",
		"mutant_switch_test.go": strings.NewReplacer("PACKAGE", name, "PATH", importPath(pkg)).Replace(judgedTest),
	} {
		replace[filepath.Join(pkg, file)] = filepath.Join(dir, file)
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			return nil, "", err
		}
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return nil, "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return m.all, overlay, os.WriteFile(overlay, list, 0o600)
}

// importPath is that of the package in a folder of the module.
func importPath(dir string) string {
	out, err := exec.Command("go", "-C", dir, "list", "-f", "{{.ImportPath}}").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// judgedTest runs the judges for one change after the other, and prints what they say.
const judgedTest = `package PACKAGE_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	subject "PATH"
)

func TestJudged(t *testing.T) {
	all := judges(t)
	wrong := func() (found bool) {
		defer func() { found = recover() != nil || found }()
		for _, judge := range all {
			if judge() != nil {
				return true
			}
		}
		return false
	}
	if wrong() {
		t.Fatal("judges without any change say that something is wrong")
	}
	limit, _ := time.ParseDuration(os.Getenv("MUTATE_LIMIT"))
	for _, word := range strings.Fields(os.Getenv("MUTATE")) {
		k, _ := strconv.Atoi(word)
		subject.Mutant = k + 1
		done := make(chan bool, 1)
		go func() { done <- wrong() }()
		select {
		case found := <-done:
			fmt.Printf("mutant %d %s\n", k, map[bool]string{true: "noticed", false: "unnoticed"}[found])
		case <-time.After(limit):
			os.Exit(3)
		}
	}
}
`

// site is a place in a file where a change can be selected: an expression or a statement.
type site struct {
	from, to int
	// text is what takes its place. inner renders a part of it with the sites that are in it.
	text func(inner func(ast.Node) string) string
}

// mutants finds the changes that leave a package compilable together: conditions turned round or
// never met, operators of comparisons and of whole numbers, removed calls, and constants.
type mutants struct {
	finder
	first int // of the sites of the file
	sites []site
	all   []change
}

// number adds a change and returns its number, from 1.
func (m *mutants) number(n ast.Node, what string) int {
	m.changes = nil
	m.add(n.Pos(), n.End(), "", what)
	m.all = append(m.all, m.changes[0])
	return len(m.all)
}

func (m *mutants) at(n ast.Node, text func(inner func(ast.Node) string) string) {
	m.sites = append(m.sites, site{m.file.Offset(n.Pos()), m.file.Offset(n.End()), text})
}

func (m *mutants) raw(n ast.Node) string { return m.text(n.Pos(), n.End()) }

// render returns a part of the file in which each site is replaced, from a site on.
func (m *mutants) render(from, to, first int) string {
	var out strings.Builder
	at := from
	for i := first; i < len(m.sites); i++ {
		s := m.sites[i]
		if s.from < at || s.to > to {
			continue
		}
		out.Write(m.src[at:s.from])
		out.WriteString(s.text(func(n ast.Node) string { return m.render(m.file.Offset(n.Pos()), m.file.Offset(n.End()), i+1) }))
		at = s.to
	}
	out.Write(m.src[at:to])
	return out.String()
}

// find goes through the functions of a file. Sites are found before those in them.
func (m *mutants) find(f *ast.File) {
	simple := make(map[ast.Node]bool) // statements that have to stay simple
	loops := 0
	var stack []ast.Node
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if n == nil {
				switch stack[len(stack)-1].(type) {
				case *ast.ForStmt, *ast.RangeStmt:
					loops--
				}
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			switch n := n.(type) {
			case *ast.ForStmt:
				loops++
				simple[n.Init], simple[n.Post] = true, true
			case *ast.RangeStmt:
				loops++
			case *ast.IfStmt:
				simple[n.Init] = true
			case *ast.SwitchStmt:
				simple[n.Init] = true
				for _, c := range n.Body.List {
					for _, e := range c.(*ast.CaseClause).List {
						if n.Tag == nil {
							m.condition(e, "case")
						}
					}
				}
			}
			if !simple[n] {
				m.node(n, loops > 0)
			}
			return true
		})
	}
}

// condition adds that a condition is turned round, or never met.
func (m *mutants) condition(e ast.Expr, what string) {
	turned, never := m.number(e, what+" is turned round"), m.number(e, what+" never holds")
	m.at(e, func(inner func(ast.Node) string) string {
		return fmt.Sprintf("func() bool { if mutantIs(%d) { return !(%s) }; return !mutantIs(%d) && (%s) }()", turned, m.raw(e), never, inner(e))
	})
}

func (m *mutants) node(n ast.Node, inLoop bool) {
	switch n := n.(type) {
	case *ast.IfStmt:
		m.condition(n.Cond, "if")
	case *ast.BinaryExpr:
		m.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			k := m.number(n, "! is removed")
			m.at(n, func(inner func(ast.Node) string) string {
				return fmt.Sprintf("(mutantIs(%d) == (%s))", k, inner(n.X))
			})
		}
	case *ast.IncDecStmt:
		k := m.number(n, "the other direction")
		m.at(n, func(inner func(ast.Node) string) string {
			return fmt.Sprintf("if mutantIs(%d) { %s%s } else { %s%s }", k, m.raw(n.X), swaps[n.Tok], inner(n.X), n.Tok)
		})
	case *ast.BranchStmt:
		if other, ok := swaps[n.Tok]; ok && n.Label == nil && inLoop {
			k := m.number(n, n.Tok.String()+" becomes "+other.String())
			m.at(n, func(func(ast.Node) string) string {
				return fmt.Sprintf("if mutantIs(%d) { %s } else { %s }", k, other, n.Tok)
			})
		}
	case *ast.ExprStmt:
		k := m.number(n, "the call is removed")
		m.at(n, func(inner func(ast.Node) string) string { return fmt.Sprintf("if !mutantIs(%d) { %s }", k, inner(n.X)) })
	case *ast.Ident:
		if n.Name == "true" || n.Name == "false" {
			k := m.number(n, n.Name+" becomes the opposite")
			m.at(n, func(func(ast.Node) string) string { return fmt.Sprintf("(mutantIs(%d) != %s)", k, n.Name) })
		}
	}
}

// binary adds the exchange of an operator that compares, joins conditions, or adds to a whole number.
func (m *mutants) binary(n *ast.BinaryExpr) {
	other, ok := swaps[n.Op]
	if !ok {
		return
	}
	what := n.Op.String() + " becomes " + other.String()
	if n.Op == token.ADD || n.Op == token.SUB {
		x, _ := n.X.(*ast.BasicLit)
		y, _ := n.Y.(*ast.BasicLit)
		if id, ok := n.X.(*ast.Ident); ok && id.IsExported() { // a constant has no type
			return
		}
		if x != nil && x.Kind == token.INT || y != nil && y.Kind == token.INT {
			k := m.number(n, what)
			m.at(n, func(inner func(ast.Node) string) string {
				return fmt.Sprintf("mutantOf(%d, %s %s %s, %s %s %s)", k, m.raw(n.X), other, m.raw(n.Y), inner(n.X), n.Op, inner(n.Y))
			})
		}
		return
	}
	k := m.number(n, what)
	m.at(n, func(inner func(ast.Node) string) string {
		return fmt.Sprintf("func() bool { if mutantIs(%d) { return %s %s %s }; return %s %s %s }()", k, m.raw(n.X), other, m.raw(n.Y), inner(n.X), n.Op, inner(n.Y))
	})
}
