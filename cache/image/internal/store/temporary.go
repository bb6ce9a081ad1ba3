package store

import (
	"errors"
	"io/fs"

	"github.com/seed109e2655/resolute/cache/internal/atomicfile"
)

// temporaryPrefix begins the name of a temporary file.
const temporaryPrefix = ".writing-"

// Temporary is a file that is written. It is not safe for concurrent use.
type Temporary = atomicfile.File

// Temporary returns a new temporary file. Close removes it, unless it was kept.
func (s *Store) Temporary() (*Temporary, error) { return atomicfile.Create(s.dir, temporaryPrefix) }

// ignoreMissing returns the error, unless it says that there is no such file.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
