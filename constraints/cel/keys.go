package cel

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types/ref"
)

// markKeys puts a call of [functionKey] around each key that is not a literal:
// in a[key], and in {key: value}. To look something up is not a call to the
// library, so without it such a key would not be on the meter.
func markKeys(e ast.Expr) {
	var last int64
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) { last = max(last, e.ID()) }))
	make := ast.NewExprFactory()
	mark := func(key ast.Expr) ast.Expr {
		last++
		return make.NewCall(last, functionKey, key)
	}
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.CallKind:
			if args := e.AsCall().Args(); e.AsCall().FunctionName() == operators.Index && len(args) == 2 && notLiteral(args[1]) {
				e.SetKindCase(make.NewCall(e.ID(), operators.Index, args[0], mark(args[1])))
			}
		case ast.MapKind:
			entries := e.AsMap().Entries()
			marked := []ast.EntryExpr{}
			for _, entry := range entries {
				m := entry.AsMapEntry()
				key := m.Key()
				if notLiteral(key) {
					key = mark(key)
				}
				marked = append(marked, make.NewMapEntry(entry.ID(), key, m.Value(), m.IsOptional()))
			}
			e.SetKindCase(make.NewMap(e.ID(), marked))
		}
	}))
}

// key is the function that markKeys puts there. Its price is what it is for.
func key(v ref.Val) ref.Val { return v }
