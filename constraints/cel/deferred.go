package cel

import (
	"context"
	"sync"

	"github.com/seed109e2655/resolute/internal/saved"
)

// Deferred returns the program of a rule that was compiled before, of which
// the needs are known: compile is called when the program is first evaluated,
// and at most once. Should it fail after all, every evaluation does, so that
// no bundle matches. It serves package cache/snapshot.
func Deferred(rule string, needs Needs, compile func() (*Program, error), _ saved.Mark) *Program {
	return &Program{rule: rule, needs: needs, later: sync.OnceValues(compile)}
}

// evalLater is Eval of a program that may not be compiled yet.
func (p *Program) evalLater(ctx context.Context, properties, cluster Value) (bool, uint64, error) {
	compiled, err := p.later()
	if err != nil {
		return false, 0, &EvalError{Reason: inert("the rule does not compile: " + err.Error())}
	}
	return compiled.Eval(ctx, properties, cluster)
}
