// Package file reads regular files and replaces files atomically: it writes a temporary file in
// the same directory, syncs it and renames it. A reader finds either the old content or the new
// one, even after a crash or a power failure.
//
// A temporary file is locked while its writer lives. A killed process loses the lock, so the
// next writer can distinguish an abandoned file from one being written.
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

// suffix is the suffix of all temporary files.
const suffix = ".tmp"

// abandonedAge is the age at which a temporary file counts as abandoned if files cannot be
// locked.
const abandonedAge = 6 * time.Hour

// lockState is the result of locking a file.
type lockState uint8

const (
	lockFree    lockState = iota // locked by this call
	lockTaken                    // locked by another process
	lockUnknown                  // locking is not supported
)

// File is a temporary file. It is not safe for concurrent use.
type File struct {
	*os.File
	moved bool // the temporary name no longer exists
}

// Create removes abandoned temporary files with a prefix from a directory, and creates a new
// one there. Close removes it unless it was moved.
func Create(dir, prefix string) (*File, error) {
	Sweep(dir, prefix)
	for range 100 { // another writer may remove the file before it is locked
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
		case lockTaken: // another writer is about to remove it
		}
		f.Close()
	}
	return nil, fmt.Errorf("%s: other writers keep removing the temporary files", dir)
}

// Move syncs the file and renames it to a path on the same disk, replacing an existing file.
// The file stays open for reading and writing.
func (f *File) Move(path string) error {
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	f.moved = true
	return syncDirectory(filepath.Dir(path))
}

// Discard removes the file, which stays readable until it is closed. If an open file cannot be
// removed, Close removes it.
func (f *File) Discard() { f.moved = os.Remove(f.Name()) == nil }

// Close closes the file, and removes it unless it was moved.
func (f *File) Close() error {
	err := f.File.Close()
	if f.moved {
		return err
	}
	if removed := os.Remove(f.Name()); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// Sweep removes abandoned temporary files with a prefix. It ignores errors, which must not
// prevent writing.
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
		if hasName(f) { // it may have been renamed before it was locked
			os.Remove(name)
		}
	case lockUnknown:
		if info, err := f.Stat(); err == nil && time.Since(info.ModTime()) > abandonedAge {
			os.Remove(name)
		}
	}
}

// hasName reports whether a file still has its name.
func hasName(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	current, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(info, current)
}

// syncDirectory syncs the entries of a directory to disk. It ignores file systems that do not
// support it.
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
