// Package file reads regular files, and replaces files as a whole: a file is written under a
// temporary name beside its place, synced and renamed, so that whoever opens
// the path finds the old content or the new one, whenever a program is killed
// or a machine loses power.
//
// A temporary file is locked for as long as its writer lives. A process that
// is killed loses the lock, and so the next writer can tell what was left
// behind from what is still being written.
package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// suffix ends the name of every temporary file.
const suffix = ".tmp"

// abandoned is the age at which a temporary file counts as left behind where
// files cannot be locked.
const abandoned = 6 * time.Hour

// lockState is what came of locking a file.
type lockState uint8

const (
	lockFree    lockState = iota // it was not locked and is now
	lockTaken                    // another has locked it
	lockUnknown                  // it cannot be locked here
)

// File is a temporary file. It is not safe for concurrent use.
type File struct {
	*os.File
	gone bool // it is not under its temporary name any more
}

// Create removes what was left behind under a prefix in a directory, and
// creates a temporary file there. Close removes it unless it was moved.
func Create(dir, prefix string) (*File, error) {
	Sweep(dir, prefix)
	for range 100 { // to be swept away twice before it is locked takes luck
		f, err := os.CreateTemp(dir, prefix+"*"+suffix)
		if err != nil {
			return nil, err
		}
		switch lock(f) {
		case lockUnknown:
			return &File{File: f}, nil
		case lockFree:
			if hasName(f) {
				return &File{File: f}, nil
			}
		case lockTaken: // by one who takes it for abandoned
		}
		f.Close()
	}
	return nil, fmt.Errorf("%s: other writers remove each temporary file at once", dir)
}

// Move syncs the file and gives it a path on the same disk, in the place of
// whatever is there. It can be read and written on.
func (f *File) Move(path string) error {
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	f.gone = true
	return syncDirectory(filepath.Dir(path))
}

// Discard removes the file, which can be read on until it is closed. Where an
// open file cannot be removed, Close does it.
func (f *File) Discard() { f.gone = os.Remove(f.Name()) == nil }

// Close closes the file, and removes it unless it was moved.
func (f *File) Close() error {
	err := f.File.Close()
	if f.gone {
		return err
	}
	if removed := os.Remove(f.Name()); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// Sweep removes the temporary files that were left behind under a prefix. That
// one cannot be removed is no reason not to write.
func Sweep(dir, prefix string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		middle, ours := strings.CutPrefix(entry.Name(), prefix)
		middle, temporary := strings.CutSuffix(middle, suffix)
		if ours && temporary && strings.Trim(middle, "0123456789") == "" && entry.Type().IsRegular() {
			removeAbandoned(filepath.Join(dir, entry.Name()))
		}
	}
}

// removeAbandoned removes a temporary file unless it is being written.
func removeAbandoned(name string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	switch lock(f) {
	case lockTaken:
	case lockFree:
		if hasName(f) { // it may have been moved before it was locked
			os.Remove(name)
		}
	case lockUnknown:
		if info, err := f.Stat(); err == nil && time.Since(info.ModTime()) > abandoned {
			os.Remove(name)
		}
	}
}

// hasName reports whether a file still has its name.
func hasName(f *os.File) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(mine, there)
}

// syncDirectory makes sure that the names in a directory are on the disk. File
// systems that cannot do it are taken as they are.
func syncDirectory(dir string) error {
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
