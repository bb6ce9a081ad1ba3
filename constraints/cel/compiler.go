package cel

import (
	"fmt"
	"sync"
)

// Limits on rules. The type checker takes time that grows with the square or
// even the cube of what a rule holds, and twice the time for each level of
// some; the parser takes some microseconds for each word and sign. Neither can be
// interrupted: within the limits they take some ten milliseconds at worst, and about
// one for a rule that a person would write.
const (
	// MaxRuleBytes bounds the text of a rule. It is what section 3 of the
	// semantics allows a whole constraint.
	MaxRuleBytes = 64 << 10
	// MaxRuleTokens bounds the words, numbers and signs of a rule, those in its texts
	// included. A character that is not ASCII counts as five more: the parser takes as
	// much time for it.
	MaxRuleTokens = 5_000
	// MaxRuleDepth bounds how deep expressions nest in a rule.
	MaxRuleDepth = 32
	// MaxRuleNodes bounds the size of a rule, literals included, after its
	// macros are expanded.
	MaxRuleNodes = 5_000
	// MaxOperations bounds how many operations a rule has after its macros
	// are expanded: operators, functions, loops, and literals of lists and
	// maps. An exists with one comparison has six.
	MaxOperations = 500
	// MaxBuilders bounds how many macros map and filter a rule has, together
	// with the literals of lists and maps that hold anything but literals.
	MaxBuilders = 64
	// MaxComputedKeys bounds how many keys of map literals are not literals.
	MaxComputedKeys = 8
	// DefaultCostLimit is the cost that one evaluation may have where
	// [Options] say nothing else. A test of a bundle with a dozen properties
	// costs some hundreds; the limit amounts to a good tenth of a second.
	DefaultCostLimit = 1_000_000
)

// names of the variables that a rule sees.
const (
	varProperties = "properties"
	varCluster    = "cluster"
)

// Options configure a Compiler. The zero value is the default.
type Options struct {
	// CostLimit bounds the cost of one evaluation of one rule, in the units
	// of the language's cost model (roughly, one a step). 0 means
	// [DefaultCostLimit].
	CostLimit uint64
}

// Compiler compiles rules. It is safe for concurrent use. The environment of
// the language, which is costly to build, is built when it is first needed.
type Compiler struct {
	options  Options
	language func() (*language, error)
}

// NewCompiler returns a Compiler.
func NewCompiler(o Options) *Compiler {
	if o.CostLimit == 0 {
		o.CostLimit = DefaultCostLimit
	}
	return &Compiler{options: o, language: sync.OnceValues(declare)}
}

// Compile parses and checks a rule. Its result must be of type bool: a rule
// whose type is only known when it runs (as that of a bare property value) is
// refused, as Operator Lifecycle Manager refuses it. The error is a
// [*CompileError].
func (c *Compiler) Compile(rule string) (*Program, error) {
	if len(rule) > MaxRuleBytes {
		return nil, &CompileError{Reason: fmt.Sprintf("the rule is longer than %d bytes", MaxRuleBytes)}
	}
	if tokens(rule) > MaxRuleTokens {
		return nil, &CompileError{Reason: fmt.Sprintf("the rule has more than %d words and signs", MaxRuleTokens)}
	}
	return c.compile(rule)
}

func (c *Compiler) compile(rule string) (p *Program, err error) {
	defer refuse(&err)
	l, err := c.language()
	if err != nil {
		return nil, &CompileError{Reason: "the rule language cannot be set up: " + err.Error()}
	}
	checked, refused := l.check(rule)
	if refused != nil {
		return nil, refused
	}
	program, err := l.plan(checked)
	if err != nil {
		return nil, &CompileError{Reason: inert(err.Error())}
	}
	return &Program{rule: rule, limit: c.options.CostLimit, program: program, needs: analyse(checked.Expr())}, nil
}

// refuse turns a panic into an error. A rule is foreign text and the library
// large: should something in it panic, the rule is refused and the catalog goes
// on.
func refuse(err *error) {
	if r := recover(); r != nil {
		*err = &CompileError{Reason: inert(fmt.Sprintf("the rule cannot be understood: %v", r))}
	}
}
