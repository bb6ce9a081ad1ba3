package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A temporary file lies beside the file that it is to replace, under a hidden
// name of its own, and is locked for as long as its writer lives: a process
// that is killed loses the lock, and so the next writer can tell what was left
// behind from what is still being written.

// temporarySuffix ends the name of every temporary file.
const temporarySuffix = ".tmp"

// abandoned is the age at which a temporary file counts as left behind where
// locks do not tell. Writing takes a fraction of a second.
const abandoned = time.Hour

// temporaryPrefix returns how the names of the temporary files for a path
// begin.
func temporaryPrefix(path string) string { return "." + filepath.Base(path) + "-" }

// createTemporary creates a temporary file for a path, and locks it.
func createTemporary(path string) (f *os.File, err error) {
	for range 100 { // to be swept away twice before it is locked takes luck
		f, err = os.CreateTemp(filepath.Dir(path), temporaryPrefix(path)+"*"+temporarySuffix)
		if err != nil {
			return nil, err
		}
		switch lock(f) {
		case lockUnknown:
			return f, nil
		case lockFree:
			if still(f) {
				return f, nil
			}
		case lockTaken: // by one who takes it for abandoned
		}
		f.Close()
	}
	return nil, fmt.Errorf("%s: other writers remove each temporary file at once", path)
}

// still tells whether a file has its name still.
func still(f *os.File) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(mine, there)
}

// sweep removes the temporary files for a path that were left behind. That it
// cannot remove one is no reason not to write.
func sweep(path string) {
	dir, prefix := filepath.Dir(path), temporaryPrefix(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		name := entry.Name()
		middle, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		middle, ok = strings.CutSuffix(middle, temporarySuffix)
		if !ok || strings.Trim(middle, "0123456789") != "" || !entry.Type().IsRegular() {
			continue // not one of ours
		}
		removeAbandoned(filepath.Join(dir, name))
	}
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
		// It may have taken its place before it was locked.
		if still(f) {
			os.Remove(name)
		}
	case lockUnknown:
		if info, err := f.Stat(); err == nil && time.Since(info.ModTime()) > abandoned {
			os.Remove(name)
		}
	}
}

// lockState is what came of locking a file.
type lockState uint8

const (
	lockFree    lockState = iota // it was not locked and is now
	lockTaken                    // another has locked it
	lockUnknown                  // it cannot be locked here
)

// syncDirectory makes sure that the names in a directory are on the disk. File
// systems that cannot do it are taken as they are.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !cannotSync(err) {
		return err
	}
	return nil
}

// cannotSync tells that a directory cannot be synced by its nature.
func cannotSync(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrPermission)
}
