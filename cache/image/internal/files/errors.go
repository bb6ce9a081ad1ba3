package files

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
)

// Error says why a layer, or what all layers make together, is refused. Where a limit is
// passed, the error is a [*cache.LimitError] that says which and where, and no more.
type Error struct {
	// Layer is the number of the layer, from 1; 0 if it is about no single layer.
	Layer int
	// Entry is the name of the entry, as the layer has it; it may be empty.
	Entry string
	// Reason is what is wrong.
	Reason string
	// Err is the cause, if there is one.
	Err error
}

// Error says what is wrong and where.
func (e *Error) Error() string {
	return InLayer(e.Layer, "", e.Entry) + ": " + e.Reason
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// InLayer says where in a layer something is: its digest and the entry may be empty.
func InLayer(number int, digest, entry string) string {
	at := fmt.Sprintf("layer %d", number)
	if digest != "" {
		at += " (" + digest + ")"
	}
	if entry != "" {
		at += ", entry " + text.Quote(text.Clip(entry, 500))
	}
	return at
}

// Limits bound what layers may hold.
type Limits struct {
	// Entries bounds the entries of all layers.
	Entries int64
	// Files bounds the files, folders and links below the folder.
	Files int64
	// Bytes bounds the content of the files below the folder, in all layers.
	Bytes int64
}

const (
	// maxName bounds the name of an entry that is kept, and the target of a
	// link: what Linux takes.
	maxName = 4096
	// maxDepth bounds how deep folders are nested below the folder.
	maxDepth = 255
	// maxHops bounds the links behind each other: what Linux follows.
	maxHops = 40
	// maxLinkSteps bounds the work of resolving all links.
	maxLinkSteps = 4_000_000
)
