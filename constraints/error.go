package constraints

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
)

// Code is the kind of an error. Codes are stable, prose is not.
type Code string

// The codes of an [Error].
const (
	// CodeSyntax: not JSON, or not UTF-8.
	CodeSyntax Code = "syntax"
	// CodeSize: larger than [MaxBytes].
	CodeSize Code = "size"
	// CodeDepth: compounds nested deeper than [MaxDepth].
	CodeDepth Code = "depth"
	// CodeType: a value of the wrong JSON type.
	CodeType Code = "type"
	// CodeUnknownKey: a key that the language does not have.
	CodeUnknownKey Code = "unknownKey"
	// CodeDuplicateKey: the same key twice, or a key and its alias.
	CodeDuplicateKey Code = "duplicateKey"
	// CodeNoKind: none of gvk, package, cel, all, any, not.
	CodeNoKind Code = "noKind"
	// CodeSeveralKinds: more than one of them in one object.
	CodeSeveralKinds Code = "severalKinds"
	// CodeMissing: a field that is missing or empty.
	CodeMissing Code = "missing"
	// CodeValue: a text that breaks the rules of its field.
	CodeValue Code = "value"
	// CodeRule: a rule that does not compile; Err is a [*cel.CompileError].
	CodeRule Code = "rule"
)

// Error describes why a constraint cannot be used.
type Error struct {
	// Path leads to the place inside the constraint, such as
	// "all.constraints[1].package.versionRange"; empty for the whole.
	Path string
	// Code is the kind of error.
	Code Code
	// Reason says in words what is wrong and what was wanted, on one line.
	Reason string
	// Err is the error underneath, or nil.
	Err error
}

// Error returns the place and the reason.
func (e *Error) Error() string {
	if e.Path == "" {
		return "constraint: " + e.Reason
	}
	return fmt.Sprintf("constraint: %s: %s", text.Inert(e.Path), e.Reason)
}

// Unwrap returns the error underneath, or nil.
func (e *Error) Unwrap() error { return e.Err }
