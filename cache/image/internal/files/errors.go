package files

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
)

// Error says why one layer, or all layers together, are rejected. An exceeded limit is a
// [*cache.LimitError] instead, which contains only the limit and the position.
type Error struct {
	// Layer is the number of the layer, from 1; 0 if the error concerns no single layer.
	Layer int
	// Entry is the name of the entry in the layer; it may be empty.
	Entry string
	// Reason says what is wrong.
	Reason string
	// Err is the cause, if any.
	Err error
}

// Error describes the problem and where it is.
func (e *Error) Error() string {
	return InLayer(e.Layer, "", e.Entry) + ": " + e.Reason
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// InLayer describes a position in a layer. digest and entry may be empty.
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

// Limits bound the content of layers.
type Limits struct {
	// Entries bounds the entries of all layers.
	Entries int64
	// Files bounds the files, folders and links below the folder.
	Files int64
	// Bytes bounds the content of the files below the folder, in all layers.
	Bytes int64
}

const (
	// maxName is the maximum length of an entry's name and a link's target, as on Linux.
	maxName = 4096
	// maxDepth is the maximum nesting of folders below the folder.
	maxDepth = 255
	// maxHops is the maximum length of a chain of links, as on Linux.
	maxHops = 40
	// maxLinkSteps bounds the work of resolving all links.
	maxLinkSteps = 4_000_000
)
