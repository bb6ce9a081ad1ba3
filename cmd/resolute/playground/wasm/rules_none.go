//go:build js && wasm && nocel

package main

import (
	"errors"

	"github.com/seed109e2655/resolute/constraints"
)

var errNoCEL = errors.New("this program has no CEL")

// watchRules notes that a rule was met, of a catalog or of a policy. The worker then starts the program
// that has CEL.
func (p *program) watchRules() {
	constraints.RegisterCompiler(func() constraints.Compiler {
		return func(string) (constraints.Program, error) {
			p.rules = true
			return nil, errNoCEL
		}
	})
	constraints.RegisterVetoCompiler(func() constraints.VetoCompiler { return vetoWatch{p} })
}

// vetoWatch compiles no rule of a policy.
type vetoWatch struct{ p *program }

// Compile implements [constraints.VetoCompiler].
func (w vetoWatch) Compile(string) (constraints.VetoRule, error) {
	w.p.rules = true
	return nil, errNoCEL
}

// Bind implements [constraints.VetoCompiler]. Without a compiled rule it is not called.
func (vetoWatch) Bind(*constraints.Candidate, *constraints.Environment) constraints.VetoSubject {
	return nil
}
