package constraints

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
)

// The codes of an [Error].
const (
	codeSyntax       = "syntax"
	codeSize         = "size"
	codeDepth        = "depth"
	codeType         = "type"
	codeUnknownKey   = "unknownKey"
	codeDuplicateKey = "duplicateKey"
	codeNoKind       = "noKind"
	codeSeveralKinds = "severalKinds"
	codeMissing      = "missing"
	codeValue        = "value"
	codeRule         = "rule"
)

// Error describes why a constraint cannot be used.
type Error struct {
	// Path leads to the place inside the constraint, such as
	// "all.constraints[1].package.versionRange"; empty for the whole.
	Path string
	// Code is the kind of error; codes are stable, prose is not. It is
	//   - syntax: not JSON, or not UTF-8
	//   - size: larger than [MaxBytes]
	//   - depth: compounds nested deeper than [MaxDepth]
	//   - type: a value of the wrong JSON type
	//   - unknownKey: a key that the language does not have
	//   - duplicateKey: the same key twice, or a key and its alias
	//   - noKind, severalKinds: none, or more than one, of gvk, package, cel, all, any and
	//     not in one object
	//   - missing: a field that is missing or empty
	//   - value: a text that breaks the rules of its field
	//   - rule: a rule that does not compile; Err is a [*cel.CompileError]
	Code string
	// Reason describes the error and the expected value, on one line.
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
