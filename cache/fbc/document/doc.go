// Package document reads YAML and JSON as a tree of nodes that know their lines: for
// files that hold a catalog, or blobs of one among other things, as a scenario does.
// What may be in them is for their reader to say.
//
// Input may come from anybody: [Limits] bound what it can cost, also where aliases
// of YAML are expanded. All functions are safe for concurrent use, and end soon
// after their context; a [Transcoder], which turns YAML into JSON without a tree where
// that can be done, is used by one goroutine at a time.
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

// Limits bound a document. A limit of 0 stands for its default; a negative one is no
// limit.
type Limits struct {
	// MaxBytes bounds the text, and also its values with aliases expanded.
	MaxBytes int64
	// MaxNodes bounds the number of values, aliases expanded and merge keys
	// applied. It is what stops a YAML bomb, together with MaxBytes.
	MaxNodes int
	// MaxDepth bounds how deep arrays and objects are nested.
	MaxDepth int
}

// withDefaults fills in what is not set.
func (l Limits) withDefaults() Limits {
	return Limits{limit(l.MaxBytes, DefaultMaxBytes), limit(l.MaxNodes, DefaultMaxNodes), limit(l.MaxDepth, DefaultMaxDepth)}
}

// limit returns what a limit set to n means.
func limit[T int | int64](n, standard T) T {
	if n < 0 {
		return math.MaxInt / 4 // which leaves room to add to it
	}
	return cmp.Or(n, standard)
}

// SyntaxError is the error of a document that cannot be read.
type SyntaxError struct {
	// File and Line say where; lines count from 1, and 0 is unknown.
	File string
	Line int
	// Reason says what is wrong.
	Reason string
	// TooLarge reports that a limit was passed.
	TooLarge bool
}

// Error renders the error on one line: "file:line: reason".
func (e *SyntaxError) Error() string {
	p := graph.Problem{File: e.File, Line: e.Line, Message: e.Reason}
	return p.Error()
}

// checkEvery is how many values are read between two looks at the context.
const checkEvery = 1 << 12
