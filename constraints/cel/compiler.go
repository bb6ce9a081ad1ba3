package cel

import (
	"fmt"
	"sync"

	"github.com/google/cel-go/common/ast"
)

// Limits on rules. The time of the type checker grows with the square or cube of the size of a
// rule, and in some cases doubles with each nesting level. The parser takes a few microseconds
// per token. Neither can be interrupted. Within the limits they take at most about ten
// milliseconds, and about one for a typical rule.
const (
	// MaxRuleBytes bounds the length of a rule. It equals the limit of section 3 of the
	// semantics on a whole constraint.
	MaxRuleBytes = 64 << 10
	// MaxRuleTokens bounds the tokens of a rule, including the words in its string literals. A
	// non-ASCII character counts as five more, because it takes the parser as much time.
	MaxRuleTokens = 5_000
	// MaxRuleDepth bounds the nesting of expressions in a rule.
	MaxRuleDepth = 32
	// MaxRuleNodes bounds the expressions of a rule, including literals, after macro expansion.
	MaxRuleNodes = 5_000
	// MaxOperations bounds the operations of a rule after macro expansion: operators,
	// functions, loops, and literals of lists and maps. An exists with one comparison has six.
	MaxOperations = 500
	// MaxBuilders bounds the macros map and filter of a rule, together with its list and map
	// literals that contain non-literal expressions.
	MaxBuilders = 64
	// MaxComputedKeys bounds the keys of map literals that are not literals.
	MaxComputedKeys = 8
	// DefaultCostLimit is the default limit on the cost of one evaluation. Evaluating a typical
	// rule for a bundle with a dozen properties costs some hundreds; the limit corresponds to a
	// little more than a tenth of a second.
	DefaultCostLimit = 1_000_000
)

// Names of the variables of a rule.
const (
	varProperties = "properties"
	varCluster    = "cluster"
)

// Options configure a Compiler. The zero value is the default.
type Options struct {
	// CostLimit bounds the cost of one evaluation of one rule, in units of the language's cost
	// model, about one per step. 0 means [DefaultCostLimit].
	CostLimit uint64
}

// Compiler compiles rules. It is safe for concurrent use. The language environment, which is
// expensive to build, is built on first use.
type Compiler struct {
	options  Options
	language func() (*language, error)
}

// NewCompiler returns a Compiler.
func NewCompiler(o Options) *Compiler {
	if o.CostLimit == 0 {
		o.CostLimit = DefaultCostLimit
	}
	return &Compiler{options: o, language: sync.OnceValues(declareConstraint)}
}

// Compile parses and checks a rule. Its result must be of type bool: a rule whose type is known
// only at run time, such as a bare property value, is rejected, as in Operator Lifecycle
// Manager. The error is a [*CompileError].
func (c *Compiler) Compile(rule string) (*Program, error) {
	p, checked, err := compileRule(rule, c.language, c.options.CostLimit)
	if err != nil {
		return nil, err
	}
	p.needs = analyse(checked.Expr())
	return p, nil
}

// compileRule compiles a rule of a language. The error is a [*CompileError].
func compileRule(rule string, of func() (*language, error), costLimit uint64) (p *Program, checked *ast.AST, err error) {
	defer recoverPanic(&err)
	if len(rule) > MaxRuleBytes {
		return nil, nil, &CompileError{Reason: fmt.Sprintf("the rule is longer than %d bytes", MaxRuleBytes)}
	}
	if tokens(rule) > MaxRuleTokens {
		return nil, nil, &CompileError{Reason: fmt.Sprintf("the rule has more than %d tokens", MaxRuleTokens)}
	}
	l, err := of()
	if err != nil {
		return nil, nil, &CompileError{Reason: "cannot set up the rule language: " + err.Error()}
	}
	checked, invalid := l.check(rule)
	if invalid != nil {
		return nil, nil, invalid
	}
	program, err := l.plan(checked)
	if err != nil {
		return nil, nil, &CompileError{Reason: inert(err.Error())}
	}
	return &Program{rule: rule, limit: costLimit, program: program}, checked, nil
}

// recoverPanic turns a panic into an error. A rule is untrusted input and the library is large:
// if it panics, only the rule is rejected.
func recoverPanic(err *error) {
	if r := recover(); r != nil {
		*err = &CompileError{Reason: inert(fmt.Sprintf("internal error in the rule compiler: %v", r))}
	}
}
