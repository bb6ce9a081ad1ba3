package cel

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/containers"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/stdlib"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/interpreter"
	"github.com/google/cel-go/parser"
)

// language parses, checks and plans rules. It uses the parts of the library without its package
// cel, which loads protocol buffer descriptors at the start of every program, even without
// rules.
type language struct {
	parser    *parser.Parser
	checker   *checker.Env
	functions interpreter.Dispatcher
	planner   interpreter.Interpreter
}

// declared returns the functions of the language.
func declared() ([]*decls.FunctionDecl, error) {
	semver, err := decls.NewFunction(functionSemver, decls.Overload("semver_compare_string_string",
		[]*types.Type{types.StringType, types.StringType}, types.IntType, decls.BinaryBinding(semverCompare)))
	return slices.Concat(stdlib.Functions(), []*decls.FunctionDecl{semver}), err
}

// declareConstraint declares the language of constraints.
func declareConstraint() (*language, error) {
	list := types.NewListType(types.NewMapType(types.StringType, types.DynType))
	return declare(func(r *types.Registry) types.Provider { return r }, decls.NewVariable(varProperties, list), decls.NewVariable(varCluster, list))
}

// declareVeto declares the language of policies.
func declareVeto() (*language, error) {
	return declare(func(r *types.Registry) types.Provider { return records{r} }, decls.NewVariable(varBundle, types.NewObjectType(typeBundle)), decls.NewVariable(varCluster, types.NewObjectType(typeCluster)),
		decls.NewVariable(varNow, types.TimestampType))
}

// declare declares a language with some variables, whose types the provider adds to those of a
// registry.
func declare(provider func(*types.Registry) types.Provider, variables ...*decls.VariableDecl) (*language, error) {
	functions, err := declared()
	if err != nil {
		return nil, err
	}
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, err
	}
	l := &language{functions: interpreter.NewDispatcher()}
	l.parser, err = parser.NewParser(
		parser.Macros(parser.HasMacro, parser.AllMacro, parser.ExistsMacro, parser.ExistsOneMacro, parser.MapMacro, parser.MapFilterMacro, parser.FilterMacro),
		parser.MaxRecursionDepth(MaxRuleDepth),
		parser.ExpressionSizeCodePointLimit(MaxRuleBytes),
		parser.MaxExpressionNodeCount(MaxRuleNodes),
		parser.ErrorRecoveryLimit(4),
	)
	if err != nil {
		return nil, err
	}
	l.checker, err = checker.NewEnv(containers.DefaultContainer, provider(registry), checker.CrossTypeNumericComparisons(true))
	if err != nil {
		return nil, err
	}
	if err := l.checker.AddIdents(variables...); err != nil {
		return nil, err
	}
	for _, f := range functions {
		if err := l.add(f); err != nil {
			return nil, err
		}
	}
	attributes := interpreter.NewAttributeFactory(containers.DefaultContainer, registry, registry)
	l.planner = interpreter.NewInterpreter(l.functions, containers.DefaultContainer, registry, registry, attributes)
	return l, nil
}

// add adds a function.
func (l *language) add(f *decls.FunctionDecl) error {
	bindings, err := f.Bindings()
	if err != nil {
		return err
	}
	if err := l.functions.Add(bindings...); err != nil || f.IsDeclarationDisabled() {
		return err
	}
	return l.checker.AddFunctions(f)
}

// check parses and checks a rule.
func (l *language) check(rule string) (*ast.AST, *CompileError) {
	source := common.NewTextSource(rule)
	parsed, issues := l.parser.Parse(source)
	if len(issues.GetErrors()) > 0 {
		return nil, issuesError(issues)
	}
	if err := checkSize(parsed.Expr()); err != nil {
		return nil, err
	}
	if n := ast.NodeCount(parsed); n > MaxRuleNodes {
		return nil, &CompileError{Reason: fmt.Sprintf("expression node count exceeds limit: count %d, limit %d", n, MaxRuleNodes)}
	}
	checked, issues := checker.Check(parsed, source, l.checker)
	if len(issues.GetErrors()) > 0 {
		return nil, issuesError(issues)
	}
	if t := checked.GetType(checked.Expr().ID()); !t.IsExactType(types.BoolType) {
		return nil, &CompileError{Line: 1, Column: 1, Reason: fmt.Sprintf("the rule must be a boolean, but is of type %s", t)}
	}
	return checked, nil
}

// plan prepares a checked rule for evaluation.
func (l *language) plan(checked *ast.AST) (interpreter.InterpretableV2, error) {
	p := &plan{language: l}
	return l.planner.NewInterpretable(checked, interpreter.CustomDecoratorV2(p.decorate))
}
