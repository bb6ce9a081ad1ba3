// Package document reads YAML and JSON as a tree of nodes with lines: for files that contain a
// catalog, or blobs of one among other things, such as a scenario. It knows nothing of their
// content.
//
// Input is untrusted: [Limits] bound its cost, including expanded aliases. All functions are safe
// for concurrent use, and stop soon after their context ends; a [Transcoder], which converts YAML
// to JSON without a tree if possible, is not.
package document

import (
	"cmp"
	"math"

	"github.com/seed109e2655/resolute/graph"
)

// Defaults of [Limits].
const (
	// DefaultMaxBytes is the default of Limits.MaxBytes: 32 MiB.
	DefaultMaxBytes = 32 << 20
	// DefaultMaxNodes is the default of Limits.MaxNodes: half a million.
	DefaultMaxNodes = 1 << 19
	// DefaultMaxDepth is the default of Limits.MaxDepth.
	DefaultMaxDepth = 250
)

// Limits bound a document. A limit of 0 means its default; a negative one means none.
type Limits struct {
	// MaxBytes limits the text, and also its values with aliases expanded.
	MaxBytes int64
	// MaxNodes limits the number of values after expanding aliases and applying merge keys.
	// Together with MaxBytes it stops YAML bombs.
	MaxNodes int
	// MaxDepth limits the nesting of arrays and objects.
	MaxDepth int
}

// withDefaults sets the defaults of missing limits.
func (l Limits) withDefaults() Limits {
	return Limits{limit(l.MaxBytes, DefaultMaxBytes), limit(l.MaxNodes, DefaultMaxNodes), limit(l.MaxDepth, DefaultMaxDepth)}
}

// limit returns the effective limit.
func limit[T int | int64](n, standard T) T {
	if n < 0 {
		return math.MaxInt / 4 // leaves room for additions
	}
	return cmp.Or(n, standard)
}

// SyntaxError is the error of an unreadable document.
type SyntaxError struct {
	// File and Line are the position; lines count from 1, and 0 means unknown.
	File string
	Line int
	// Reason is the cause.
	Reason string
	// TooLarge is true if a limit was exceeded.
	TooLarge bool
}

// Error renders the error on one line: "file:line: reason".
func (e *SyntaxError) Error() string {
	p := graph.Problem{File: e.File, Line: e.Line, Message: e.Reason}
	return p.Error()
}

// checkEvery is the number of values between two checks of the context.
const checkEvery = 1 << 12
