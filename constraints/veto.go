package constraints

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed109e2655/resolute/properties"
)

// MaxVetoRules is the maximum number of rules of one policy.
const MaxVetoRules = 10_000

// Candidate is what the rules of a policy see of a bundle, as the variable bundle. It is read
// only while the rules are evaluated.
type Candidate struct {
	Package, Name, Version, Release string
	// Catalog is the key of its catalog, "namespace/name".
	Catalog string
	// Channels are the channels that list it, the default channel first, then by name.
	Channels []string
	Image    string
	// Deprecated reports whether the catalog deprecates the bundle or its package.
	Deprecated bool
	// Properties are its properties; rules see them as constraints do.
	Properties properties.Set
	// Metadata has its annotations and labels. If it is nil, the catalog was read without them,
	// and a rule that refers to them fails.
	Metadata *properties.Metadata
}

// Environment is what the rules of a policy see apart from the bundle: the variables cluster and
// now.
type Environment struct {
	KubernetesVersion, OpenShiftVersion string
	Properties                          properties.Set
	// Now is the time of the request; zero if it has none.
	Now time.Time
}

// VetoRule is a compiled rule of a policy. It is immutable and safe for concurrent use.
type VetoRule interface {
	// Rule returns the text of the rule.
	Rule() string
	// UsesNow reports whether the rule refers to the variable now, and UsesMetadata whether it
	// refers to the annotations or labels of the bundle, or to its time of creation.
	UsesNow() bool
	UsesMetadata() bool
	// Scope returns the bundles to which the rule is limited: it is false for all others.
	Scope() VetoScope
}

// VetoScope lists packages or names of bundles, sorted. At most one of the lists is not nil; if
// both are, the rule is not limited. Lists are shared: do not modify them.
type VetoScope struct{ Packages, Names []string }

// A VetoCompiler compiles and evaluates the rules of policies. It is safe for concurrent use.
type VetoCompiler interface {
	Compile(rule string) (VetoRule, error)
	// Bind prepares a bundle for its rules. The result is not safe for concurrent use.
	Bind(c *Candidate, e *Environment) VetoSubject
}

// VetoSubject is a bundle that rules are evaluated on.
type VetoSubject interface {
	// Eval reports whether a rule is true, and the cost of the evaluation. An error that is not
	// the cause of the end of ctx says that the rule failed on the bundle.
	Eval(ctx context.Context, rule VetoRule) (forbids bool, cost uint64, err error)
}

// RegisterVetoCompiler registers the compiler of the rules of policies, one for each [Parser].
// Package cel calls it when it is imported.
func RegisterVetoCompiler(newCompiler func() VetoCompiler) {
	registered.Lock()
	defer registered.Unlock()
	registered.newVetoCompiler = newCompiler
}

// noVetoCompiler is the compiler of a program that has none.
type noVetoCompiler struct{}

func (noVetoCompiler) Compile(string) (VetoRule, error)          { return nil, errNoCompiler }
func (noVetoCompiler) Bind(*Candidate, *Environment) VetoSubject { return nil }

func newVetoCompiler() VetoCompiler {
	registered.Lock()
	defer registered.Unlock()
	if registered.newVetoCompiler == nil {
		return noVetoCompiler{}
	}
	return registered.newVetoCompiler()
}

// Veto is a list of compiled rules of a policy, each of which can forbid a bundle. It is immutable
// and safe for concurrent use.
type Veto struct {
	compiler VetoCompiler
	rules    []VetoRule
	general  []int32 // rules that are not limited
	// Others, by the package and by the name of a bundle.
	byPackage, byName map[string][]int32
}

// RuleError reports a rule of a policy that does not compile.
type RuleError struct {
	Index int // in the list of rules
	Err   error
}

// Error describes the error of the compiler.
func (e *RuleError) Error() string { return "does not compile: " + e.Err.Error() }

// Unwrap returns the error of the compiler.
func (e *RuleError) Unwrap() error { return e.Err }

// Veto compiles the rules of a policy. It compiles each distinct rule once for the parser, on
// several processors. The error is that of ctx, or joins a [*RuleError] for each rule that does
// not compile, in order.
func (p *Parser) Veto(ctx context.Context, rules []string) (*Veto, error) {
	v := &Veto{compiler: p.vetoCompiler(), rules: make([]VetoRule, len(rules))}
	failed := make([]error, len(rules))
	var next atomic.Int64
	compile := func() {
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(rules) {
				return
			}
			rule, err := p.vetoes.get(rules[i], func() (VetoRule, error) { return v.compiler.Compile(rules[i]) })
			if v.rules[i] = rule; err != nil {
				failed[i] = &RuleError{i, err}
			}
		}
	}
	var group sync.WaitGroup
	for range min(len(rules)/compiledAlone, runtime.GOMAXPROCS(0)) - 1 {
		group.Go(compile)
	}
	compile()
	group.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	v.index()
	return v, nil
}

// compiledAlone is the number of rules below which a second processor does not help.
const compiledAlone = 16

// index sorts the rules by their scopes.
func (v *Veto) index() {
	v.byPackage, v.byName = make(map[string][]int32), make(map[string][]int32)
	for i, rule := range v.rules {
		scope := rule.Scope()
		if scope.Packages == nil && scope.Names == nil {
			v.general = append(v.general, int32(i))
		}
		for _, pkg := range scope.Packages {
			v.byPackage[pkg] = append(v.byPackage[pkg], int32(i))
		}
		for _, name := range scope.Names {
			v.byName[name] = append(v.byName[name], int32(i))
		}
	}
}

// rulesFor yields the rules that may forbid a bundle, in order.
func (v *Veto) rulesFor(c *Candidate) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		lists := [...][]int32{v.general, v.byPackage[c.Package], v.byName[c.Name]}
		for {
			first := -1
			for i, list := range lists {
				if len(list) > 0 && (first < 0 || list[0] < lists[first][0]) {
					first = i
				}
			}
			if first < 0 || !yield(lists[first][0]) {
				return
			}
			lists[first] = lists[first][1:]
		}
	}
}

// UsesNow returns the index of the first rule that refers to the variable now, or -1.
func (v *Veto) UsesNow() int {
	for i, rule := range v.rules {
		if rule.UsesNow() {
			return i
		}
	}
	return -1
}

// UsesMetadata reports whether a rule refers to annotations, labels or the time of creation.
func (v *Veto) UsesMetadata() bool {
	for _, rule := range v.rules {
		if rule.UsesMetadata() {
			return true
		}
	}
	return false
}

// Verdict is the result of the rules of a policy on one bundle.
type Verdict struct {
	// Rule is the index of the first rule that forbids the bundle, or -1.
	Rule int
	// Failed is the error if that rule failed on the bundle, instead of being true.
	Failed error
}

// Judge evaluates the rules of a policy on a bundle, in order, up to the first that forbids it. A
// rule forbids a bundle if it is true, or if it fails: what cannot be judged is not installed. A
// nil v forbids nothing.
//
// The error is the cause of the end of ctx, or a [*BudgetError].
func (e *Evaluator) Judge(ctx context.Context, v *Veto, c *Candidate, env *Environment) (Verdict, error) {
	out := Verdict{Rule: -1}
	if v == nil {
		return out, nil
	}
	var subject VetoSubject
	for i := range v.rulesFor(c) {
		if subject == nil {
			subject = v.compiler.Bind(c, env)
		}
		if err := e.exhausted(v.rules[i].Rule()); err != nil {
			return out, err
		}
		forbids, cost, err := subject.Eval(ctx, v.rules[i])
		e.cost += cost
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		if forbids || err != nil {
			out.Rule, out.Failed = int(i), err
			return out, nil
		}
	}
	return out, nil
}
