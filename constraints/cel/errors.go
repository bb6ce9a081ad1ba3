package cel

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/common"

	"github.com/seed109e2655/resolute/internal/text"
)

// CompileError reports an invalid rule.
type CompileError struct {
	// Line and Column are the position of the first problem in the rule, counted from 1, or 0
	// if the problem concerns the rule as a whole.
	Line, Column int
	// Reason says what is wrong, on one line. Its text may change.
	Reason string
}

// Error returns the position and the reason.
func (e *CompileError) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// EvalError reports that a rule failed for one bundle. Such a bundle does not match (section 3
// of the semantics).
type EvalError struct {
	// Reason says what went wrong, on one line. Its text may change.
	Reason string
	// OverLimit reports that the cost limit or a size limit was exceeded. Otherwise the rule is
	// not applicable to the properties.
	OverLimit bool
}

// Error returns the reason.
func (e *EvalError) Error() string { return "the rule failed: " + e.Reason }

// issuesError returns the error of the first issue found by the compiler.
func issuesError(issues *common.Errors) *CompileError {
	errs := issues.GetErrors() // printing all of them may take seconds
	e := &CompileError{Reason: inert(errs[0].Message)}
	if l := errs[0].Location; l != nil && l.Line() > 0 {
		e.Line, e.Column = l.Line(), max(l.Column(), 0)+1
	}
	if more := len(errs) - 1; more > 0 {
		e.Reason += fmt.Sprintf(" (and %d more)", more)
	}
	return e
}

// maxReason is the maximum length in bytes of a library message in an error. The message may
// quote the rule.
const maxReason = 300

// inert makes untrusted text safe to print on one line, collapses white space, and truncates
// it. A long text is truncated before the other steps.
func inert(s string) string {
	return text.Clip(text.Inert(strings.Join(strings.Fields(s[:min(len(s), 20*maxReason)]), " ")), maxReason)
}
