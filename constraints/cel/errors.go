package cel

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/common"

	"github.com/seed109e2655/resolute/internal/text"
)

// CompileError is why a text is not a usable rule.
type CompileError struct {
	// Line and Column are the place of the first problem in the rule, both
	// counted from 1, or 0 when the rule as a whole is wrong.
	Line, Column int
	// Reason is what is wrong, on one line. Prose.
	Reason string
}

// Error returns the place and the reason.
func (e *CompileError) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// EvalError is why a rule gave no answer for one bundle. Such a bundle
// does not match (section 3 of the semantics).
type EvalError struct {
	// Reason is what went wrong, on one line. Prose.
	Reason string
	// OverLimit says that the cost limit or a size limit was hit, rather
	// than that the rule and the properties do not fit together.
	OverLimit bool
}

// Error returns the reason.
func (e *EvalError) Error() string { return "the rule failed: " + e.Reason }

// issuesError makes an error of the first issue that the compiler found.
func issuesError(issues *common.Errors) *CompileError {
	errs := issues.GetErrors() // not as one text: it takes seconds to print many
	e := &CompileError{Reason: inert(errs[0].Message)}
	if l := errs[0].Location; l != nil && l.Line() > 0 {
		e.Line, e.Column = l.Line(), max(l.Column(), 0)+1
	}
	if more := len(errs) - 1; more > 0 {
		e.Reason += fmt.Sprintf(" (and %d more)", more)
	}
	return e
}

// maxReason bounds, in bytes, what an error repeats of the library's message,
// which may quote the rule.
const maxReason = 300

// inert makes foreign text fit for one line, without more space than it needs,
// and cuts the end off. Most of what is long is cut off first, unseen.
func inert(s string) string {
	return text.Clip(text.Inert(strings.Join(strings.Fields(s[:min(len(s), 20*maxReason)]), " ")), maxReason)
}
