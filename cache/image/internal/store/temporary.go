package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// temporaryPrefix and temporarySuffix are around the name of a temporary
	// file.
	temporaryPrefix = ".writing-"
	temporarySuffix = ".tmp"
	// abandoned is the age at which a temporary file counts as left behind
	// where locks do not tell.
	abandoned = 6 * time.Hour
)

// lockState is what came of locking a file.
type lockState uint8

const (
	lockFree    lockState = iota // it was not locked and is now
	lockTaken                    // another has locked it
	lockUnknown                  // it cannot be locked here
)

// Temporary is a file that is written. It is not safe for concurrent use.
type Temporary struct {
	*os.File
	store *Store
	moved bool // it has a name that stays
}

// Temporary returns a new temporary file. Close removes it, unless it was kept.
func (s *Store) Temporary() (*Temporary, error) {
	s.sweep()
	for range 100 { // to be swept away twice before it is locked takes luck
		f, err := os.CreateTemp(s.dir, temporaryPrefix+"*"+temporarySuffix)
		if err != nil {
			return nil, err
		}
		switch lock(f) {
		case lockUnknown:
			return &Temporary{File: f, store: s}, nil
		case lockFree:
			if still(f) {
				return &Temporary{File: f, store: s}, nil
			}
		case lockTaken: // by one who takes it for abandoned
		}
		f.Close()
	}
	return nil, fmt.Errorf("%s: other writers remove each temporary file at once", s.dir)
}

// Close closes the file, and removes it if it was not kept.
func (t *Temporary) Close() error {
	err := t.File.Close()
	if !t.moved {
		err = errors.Join(err, ignoreMissing(os.Remove(t.Name())))
	}
	return err
}

// still reports whether a file still has its name.
func still(f *os.File) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(mine, there)
}

// sweep removes temporary files that were left behind. That it cannot remove
// one is no reason not to write.
func (s *Store) sweep() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if isTemporary(entry) {
			removeAbandoned(filepath.Join(s.dir, entry.Name()))
		}
	}
}

// isTemporary reports whether an entry of the folder is a temporary file.
func isTemporary(e fs.DirEntry) bool {
	return strings.HasPrefix(e.Name(), temporaryPrefix) && strings.HasSuffix(e.Name(), temporarySuffix) && e.Type().IsRegular()
}

// removeAbandoned removes a temporary file, unless its writer is at it.
func removeAbandoned(name string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	switch lock(f) {
	case lockTaken:
	case lockFree:
		// It may have got its name before it was locked.
		if still(f) {
			os.Remove(name)
		}
	case lockUnknown:
		if info, err := f.Stat(); err == nil && time.Since(info.ModTime()) > abandoned {
			os.Remove(name)
		}
	}
}

// ignoreMissing returns the error, unless it says that there is no such file.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// syncFolder makes sure that the names in a folder are on the disk. File
// systems that cannot do it are taken as they are.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
