package disk

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
)

// whatToDo ends the message of every error about a copy.
const whatToDo = "load the catalog from its source, and write the copy again"

// DamagedError says that a file is not a copy of a catalog, or a damaged or
// truncated one. Nothing of it is used.
type DamagedError struct {
	// Path is the file.
	Path string
	// Reason says what is wrong, in words that may change.
	Reason string
	// Err is the error behind it, or nil.
	Err error
}

// Error says which file is damaged, how, and what to do.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("the copy %s cannot be used, because %s: %s", text.Quote(e.Path), text.Inert(e.Reason), whatToDo)
}

// Unwrap returns the error behind it.
func (e *DamagedError) Unwrap() error { return e.Err }

// VersionError says that a copy is whole, but was written in another format, or
// by another build of the library, which may have found other problems in the
// same catalog.
type VersionError struct {
	// Path is the file.
	Path string
	// Format is the version of the format of the file, Want the one that this
	// build reads.
	Format, Want int
	// Build identifies the build that wrote the file, WantBuild this one.
	Build, WantBuild string
}

// Error says which versions do not fit together, and what to do.
func (e *VersionError) Error() string {
	reason := "another build of the library wrote it"
	if e.Format != e.Want {
		reason = fmt.Sprintf("it has version %d of the format and this program reads version %d", e.Format, e.Want)
	}
	return fmt.Sprintf("the copy %s cannot be used, because %s: %s", text.Quote(e.Path), reason, whatToDo)
}

// OriginError says that a copy is whole, but was made of another catalog than
// the one that is wanted. See [Options].Origin.
type OriginError struct {
	// Path is the file.
	Path string
	// Origin is what the catalog in the file was loaded from, Want what was
	// asked for.
	Origin, Want string
}

// Error says what is mixed up, and what to do.
func (e *OriginError) Error() string {
	return fmt.Sprintf("the copy %s is of %s and not of %s: give each catalog a file of its own; if its address was changed, %s",
		text.Quote(e.Path), text.Quote(e.Origin), text.Quote(e.Want), whatToDo)
}
