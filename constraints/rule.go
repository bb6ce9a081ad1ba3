package constraints

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/seed109e2655/resolute/properties"
)

// Program is a compiled rule. It is immutable and safe for concurrent use.
type Program interface {
	// Rule returns the text of the rule.
	Rule() string
	// Needs returns a condition that every bundle fulfils that matches the rule.
	Needs() Needs
	// Eval reports whether a bundle with these properties matches in a cluster with those, and
	// the cost of the evaluation. An error that is not the cause of the end of ctx says that
	// the rule failed on this bundle, which then does not match.
	Eval(ctx context.Context, bundle, cluster properties.Set) (match bool, cost uint64, err error)
}

// A Compiler compiles rules. It must be safe for concurrent use.
type Compiler func(rule string) (Program, error)

// errNoCompiler is the error of a rule in a program that has no compiler.
var errNoCompiler = errors.New(`this program was built without CEL; it needs import _ "github.com/seed109e2655/resolute/constraints/cel"`)

var registered struct {
	sync.Mutex
	newCompiler     func() Compiler
	newVetoCompiler func() VetoCompiler
}

// RegisterCompiler registers the compiler of the rules that a [Parser] reads, one for each
// parser. Package cel calls it when it is imported.
func RegisterCompiler(newCompiler func() Compiler) {
	registered.Lock()
	defer registered.Unlock()
	registered.newCompiler = newCompiler
}

// newCompiler returns a new registered compiler.
func newCompiler() Compiler {
	registered.Lock()
	defer registered.Unlock()
	if registered.newCompiler == nil {
		return func(string) (Program, error) { return nil, errNoCompiler }
	}
	return registered.newCompiler()
}

// Needs is a necessary condition for a bundle to match a rule, derived from its
// text: a bundle that does not satisfy it need not be tested. It is not
// sufficient.
//
// A caller with indexes checks Never first, then ClusterOnly, then searches by
// Packages or else by Types, and scans all bundles only for Anything. If both
// Packages and Types are set, a match satisfies both. Lists are shared: do not
// modify them.
type Needs struct {
	// Anything is true if none of Never, Types and Packages narrows the
	// search: every bundle must be tested.
	Anything bool
	// Never is true if no bundle can match.
	Never bool
	// ClusterOnly is true if the result does not depend on the bundle: it is
	// the same for all, and one test settles it.
	ClusterOnly bool
	// Types lists property types, sorted; a match has at least one of them.
	// Nil means that types do not narrow the search.
	Types []string
	// Packages lists package names, sorted, of one of which a match is, by
	// the packageName of an "olm.package" property. Nil means that packages
	// do not narrow the search.
	Packages []string
}

// Maybe reports whether a bundle with these properties can match. False is a
// proof that it does not.
func (n Needs) Maybe(s properties.Set) bool {
	if n.Never || n.Types != nil && !slices.ContainsFunc(n.Types, s.HasType) {
		return false
	}
	if n.Packages == nil {
		return true
	}
	for p := range s.All() { // a bundle with several olm.package is broken, but may be asked about
		if v, ok := p.Value().(properties.Package); ok && slices.Contains(n.Packages, v.Name) {
			return true
		}
	}
	return false
}
