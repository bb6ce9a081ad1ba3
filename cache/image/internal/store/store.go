// Package store is where the files of images are: what a catalog's image leaves, as a
// file system with compressed contents in memory or in one file; such files in a folder
// of the disk, each under the digest of the image that it was made of; and the
// directories and archives that images are read from.
//
// A file carries in its name the SHA-256 of its content, so that there is one
// rename between what is not kept and what is. It is written under a temporary
// name, locked as long as its writer lives, and synced before it gets its
// name. So any number of processes may use a folder at the same time, and each
// may be killed at any time: what it leaves behind is removed by the next one
// that writes.
package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/cache/internal/atomicfile"
)

// suffix ends the names of kept files.
const suffix = ".catalog"

// Store is a folder of kept files. It is safe for concurrent use.
type Store struct {
	dir string
	max int64
}

// Open returns the store in a folder, which is made if it is missing. All kept
// files together have at most so many bytes; a negative number is no limit.
func Open(dir string, most int64) (*Store, error) {
	if err := os.MkdirAll(filepath.Join(dir, tagFolder), 0o700); err != nil {
		return nil, err
	}
	s := &Store{dir: dir, max: most}
	_ = s.evict("") // a writer may have been killed before it did; where that fails, Keep says so
	return s, nil
}

// Kept is a file of a store.
type Kept struct {
	// Digest is the digest of the image: algorithm:hex.
	Digest string
	// Path is where the file is, and Bytes its length.
	Path  string
	Bytes int64
	// Used is when it was kept or last read.
	Used time.Time
	sum  string // the SHA-256 of its content, hexadecimal
}

// nameOf returns the name under which a content is kept.
func nameOf(digest, sum string) string {
	algorithm, hexadecimal, _ := strings.Cut(digest, ":")
	return algorithm + "-" + hexadecimal + "." + sum + suffix
}

// parseName is the inverse of nameOf.
func parseName(name string) (digest, sum string, ok bool) {
	name, ok = strings.CutSuffix(name, suffix)
	image, sum, cut := strings.Cut(name, ".")
	algorithm, hexadecimal, dash := strings.Cut(image, "-")
	if !ok || !cut || !dash || algorithm == "" || !isHex(hexadecimal) || !isHex(sum) || len(sum) != 2*sha256.Size {
		return "", "", false
	}
	return algorithm + ":" + hexadecimal, sum, true
}

func isHex(s string) bool { return s != "" && strings.Trim(s, "0123456789abcdef") == "" }

// List returns what is kept, what was used last first.
func (s *Store) List() ([]Kept, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var all []Kept
	for _, e := range entries {
		digest, sum, ok := parseName(e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) { // another process removed it
				continue
			}
			return nil, err
		}
		all = append(all, Kept{Digest: digest, Path: filepath.Join(s.dir, e.Name()), Bytes: info.Size(), Used: info.ModTime(), sum: sum})
	}
	slices.SortFunc(all, func(a, b Kept) int { return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.Path, b.Path)) })
	return all, nil
}

// ErrDamaged says that a kept file was not what it had been when it was kept.
// It was removed.
var ErrDamaged = errors.New("the kept copy was damaged, and was removed")

// Get opens what is kept of an image. The error is fs.ErrNotExist if there is
// nothing, and [ErrDamaged] if what there was is damaged.
func (s *Store) Get(ctx context.Context, digest string) (*os.File, int64, error) {
	all, err := s.List()
	if err != nil {
		return nil, 0, err
	}
	damaged := false
	for _, k := range all {
		if k.Digest != digest {
			continue
		}
		f, n, err := k.open(ctx)
		switch {
		case err == nil:
			now := time.Now()
			_ = os.Chtimes(k.Path, now, now) // where it cannot be noted, it goes earlier
			return f, n, nil
		case ctx.Err() != nil:
			return nil, 0, ctx.Err()
		case errors.Is(err, ErrDamaged):
			damaged = true
			_ = os.Remove(k.Path)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, 0, err
		}
	}
	if damaged {
		return nil, 0, ErrDamaged
	}
	return nil, 0, fs.ErrNotExist
}

// open opens a file, and holds its content against its name.
func (k Kept) open(ctx context.Context) (*os.File, int64, error) {
	f, err := os.Open(k.Path)
	if err != nil {
		return nil, 0, err
	}
	sum := sha256.New()
	n, err := io.Copy(sum, ContextReader{Context: ctx, In: f})
	if err == nil && hex.EncodeToString(sum.Sum(nil)) != k.sum {
		err = ErrDamaged
	}
	if err != nil {
		f.Close()
		if ctx.Err() == nil && !errors.Is(err, ErrDamaged) {
			err = fmt.Errorf("%w: %w", ErrDamaged, err) // a disk that cannot read it
		}
		return nil, 0, err
	}
	return f, n, nil
}

// Keep keeps what a temporary file holds, whose SHA-256 is given, for an image,
// and removes what was used longest ago until all fits. A content that is
// larger than the whole store may be is not kept, which is not an error. The
// file can be read on either way.
func (s *Store) Keep(t *Temporary, digest string, sum []byte) error {
	info, err := t.Stat()
	if err != nil {
		return err
	}
	if s.max >= 0 && info.Size() > s.max {
		t.Discard()
		return nil
	}
	name := filepath.Join(s.dir, nameOf(digest, hex.EncodeToString(sum)))
	if err := t.Move(name); err != nil {
		return err
	}
	return s.evict(name)
}

// evict removes what was used longest ago, but not what is at a path, until
// everything fits.
func (s *Store) evict(but string) error {
	if s.max < 0 {
		return nil
	}
	_, err := s.remove(func(k Kept, left int64) bool { return left > s.max && k.Path != but })
	return err
}

// Remove removes what is kept of an image, and reports whether there was
// anything.
func (s *Store) Remove(digest string) (bool, error) {
	return s.remove(func(k Kept, _ int64) bool { return k.Digest == digest })
}

// Clear removes all that is kept, and what writers left behind. Files that it
// does not know stay.
func (s *Store) Clear() error {
	atomicfile.Sweep(s.dir, temporaryPrefix)
	_, err := s.remove(func(Kept, int64) bool { return true })
	return err
}

// remove removes those that a function says, what was used longest ago first, and
// reports whether there were any. The function gets the bytes that are left of all.
func (s *Store) remove(which func(k Kept, left int64) bool) (found bool, err error) {
	all, err := s.List()
	if err != nil {
		return false, err
	}
	left := int64(0)
	for _, k := range all {
		left += k.Bytes
	}
	for _, k := range slices.Backward(all) {
		if !which(k, left) {
			continue
		}
		found = true
		if err := ignoreMissing(os.Remove(k.Path)); err != nil {
			return found, err
		}
		left -= k.Bytes
	}
	return found, s.removeStrayTags()
}

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
