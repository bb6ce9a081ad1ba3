package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed109e2655/resolute/cache"
)

// Open returns the content that a file holds. It is read whole, and nothing of
// it is used before its checksum was found right.
//
// A file that cannot be used gives a [*CorruptError], [*VersionError] or
// [*OriginError]: the catalog has to be loaded from its source, and the file
// written anew. A file that is not there gives an error for which
// errors.Is(err, [fs.ErrNotExist]) holds; other errors of the file system are
// passed on as well.
func Open(path string, opts Options) (*cache.Content, error) {
	data, err := read(path, opts.MaxBytes)
	if err != nil {
		return nil, err
	}
	return decode(data, path, opts)
}

// read reads a file whole.
func read(path string, most int64) ([]byte, error) {
	if most == 0 {
		most = DefaultMaxBytes
	}
	info, err := os.Stat(path) // opening a pipe could wait for ever
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &CorruptError{Path: path, Reason: "it is not a regular file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The file may have been replaced meanwhile.
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	size := info.Size()
	if most > 0 && size > most || size > maxCount {
		return nil, &CorruptError{Path: path, Reason: fmt.Sprintf("it has %d bytes, more than the %d that a snapshot may have", size, min(most, maxCount))}
	}
	data := make([]byte, size)
	n, err := io.ReadFull(f, data)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	return data[:n], nil
}

// Write saves a content to a file, with the default options.
func Write(path string, c *cache.Content) error { return WriteOptions{}.Write(path, c) }

// Write saves a content to a file. Whenever the program or the machine stops,
// the path holds either what it held before or all of the new content, and
// after Write returned without error it is the new one: it is written to a
// temporary file beside it, which then takes its place, and both are synced.
// Of several writers, in this or other processes, the last one wins.
//
// The error is an [*UnfitError], or that of the file system; whatever was at
// the path is then still there. What a writer that was killed left behind is
// removed by the next one that writes to the path.
func (o WriteOptions) Write(path string, c *cache.Content) error {
	data, err := o.encode(c)
	if err != nil {
		return err
	}
	return replace(path, data, o.mode())
}

// mode returns the permissions of a new file.
func (o WriteOptions) mode() fs.FileMode {
	if o.Mode == 0 {
		return 0o600
	}
	return o.Mode.Perm()
}

// attempts is how often a file is written when its temporary file vanished
// before it could take its place.
const attempts = 3

// replace gives the file of that path a new content.
func replace(path string, data []byte, mode fs.FileMode) (err error) {
	sweep(path)
	for range attempts {
		// Where files cannot be locked, another writer may have taken the
		// temporary file for one that was left behind.
		if err = replaceOnce(path, data, mode); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("the snapshot cannot be saved: %w", err)
	}
	return nil
}

// replaceOnce is one attempt.
func replaceOnce(path string, data []byte, mode fs.FileMode) (err error) {
	f, err := createTemporary(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err := io.Copy(f, bytes.NewReader(data)); err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	// The lock on the file goes with it. Nothing can be lost any more by
	// closing what was synced.
	f.Close()
	return syncDirectory(filepath.Dir(path))
}
