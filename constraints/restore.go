package constraints

import (
	"github.com/seed109e2655/resolute/constraints/cel"
	"github.com/seed109e2655/resolute/internal/saved"
)

// RestoreCEL returns the atom for a rule that was compiled before, of which
// the needs are known. The rule is compiled when it is first evaluated, once
// for all that share the Parser. It serves package cache/snapshot.
func (p *Parser) RestoreCEL(rule string, needs cel.Needs, mark saved.Mark) *CEL {
	return NewCEL(cel.Deferred(rule, needs, func() (*cel.Program, error) { return p.compile(rule) }, mark))
}
