package disk

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
)

// CopyError says that a file cannot be used as the copy of a catalog: it is not one, or a
// damaged or truncated one; or it is whole, but was written in another format, by another
// build of the library, which may have found other problems in the same catalog, or of
// another catalog than the one that is wanted, see [Options].Origin. Nothing of it is used.
// The catalog has to be loaded from its source, and the copy written again.
type CopyError struct {
	// Path is the file.
	Path string
	// Reason says what is wrong, in words that may change.
	Reason string
	// Err is the error behind it, or nil.
	Err error
}

// Error says which file cannot be used, why, and what to do.
func (e *CopyError) Error() string {
	return fmt.Sprintf("the copy %s cannot be used, because %s: load the catalog from its source, and write the copy again", text.Quote(e.Path), text.Inert(e.Reason))
}

// Unwrap returns the error behind it.
func (e *CopyError) Unwrap() error { return e.Err }
