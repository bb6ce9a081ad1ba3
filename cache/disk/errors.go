package disk

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
)

// CopyError reports that a file is not usable as the copy of a catalog. Either it is not a
// copy, is damaged or truncated; or it was written in another format, by another build of the
// library, which may have found other problems in the same catalog, or for another catalog, see
// [Options].Origin. The caller must load the catalog from its source and write the copy again.
type CopyError struct {
	// Path is the file.
	Path string
	// Reason says what is wrong. Its text may change.
	Reason string
	// Err is the cause, or nil.
	Err error
}

// Error names the file, the reason, and what to do.
func (e *CopyError) Error() string {
	return fmt.Sprintf("the copy %s is unusable because %s: load the catalog from its source and write the copy again", text.Quote(e.Path), text.Inert(e.Reason))
}

// Unwrap returns the cause.
func (e *CopyError) Unwrap() error { return e.Err }
