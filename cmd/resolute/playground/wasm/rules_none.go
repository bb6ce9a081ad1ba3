//go:build js && wasm && nocel

package main

import (
	"errors"

	"github.com/seed109e2655/resolute/constraints"
)

// watchRules notes that a rule was met. The worker then starts the program that has CEL.
func (p *program) watchRules() {
	constraints.RegisterCompiler(func() constraints.Compiler {
		return func(string) (constraints.Program, error) {
			p.rules = true
			return nil, errors.New("this program has no CEL")
		}
	})
}
