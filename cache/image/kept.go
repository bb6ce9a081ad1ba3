package image

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	godigest "github.com/opencontainers/go-digest"

	"github.com/seed109e2655/resolute/cache/image/internal/files"
	"github.com/seed109e2655/resolute/cache/internal/file"
)

// suffix ends the names of kept files.
const suffix = ".catalog"

// nameOf returns the name under which a content is kept.
func nameOf(digest, sum string) string {
	return strings.Replace(digest, ":", "-", 1) + "." + sum + suffix
}

// parseName is the inverse of nameOf.
func parseName(name string) (digest, sum string, ok bool) {
	name, ok = strings.CutSuffix(name, suffix)
	digest, sum, _ = strings.Cut(strings.Replace(name, "-", ":", 1), ".")
	_, err := godigest.Parse(digest)
	_, bad := godigest.Parse("sha256:" + sum)
	return digest, sum, ok && err == nil && bad == nil
}

// list returns what is kept without what refers to it, what was used last first.
func (s *Store) list() ([]Kept, error) {
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
		all = append(all, Kept{Digest: digest, path: filepath.Join(s.dir, e.Name()), Bytes: info.Size(), Used: info.ModTime(), sum: sum})
	}
	slices.SortFunc(all, func(a, b Kept) int { return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.path, b.path)) })
	return all, nil
}

// errDamaged says that a kept file was not what it had been when it was kept.
// It was removed.
var errDamaged = errors.New("the kept copy was damaged, and was removed")

// open opens what is kept of an image. The error is fs.ErrNotExist if there is
// nothing, and errDamaged if what there was is damaged.
func (s *Store) open(ctx context.Context, digest string) (*Files, error) {
	all, err := s.list()
	if err != nil {
		return nil, err
	}
	err = fs.ErrNotExist
	for _, k := range all {
		if k.Digest != digest {
			continue
		}
		f, failed := k.open(ctx)
		switch {
		case failed == nil:
			now := time.Now()
			_ = os.Chtimes(k.path, now, now) // where it cannot be noted, it goes earlier
			return f, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(failed, errDamaged):
			err = failed
			_ = os.Remove(k.path)
		case !errors.Is(failed, fs.ErrNotExist):
			return nil, failed
		}
	}
	return nil, err
}

// open opens a file, and holds its content against its name.
func (k Kept) open(ctx context.Context) (*Files, error) {
	f, err := os.Open(k.path)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	n, err := io.Copy(sum, file.Reader{Context: ctx, In: f})
	if err == nil && hex.EncodeToString(sum.Sum(nil)) != k.sum {
		err = errors.New("its checksum is wrong")
	}
	var fsys *files.FS
	if err == nil {
		fsys, err = files.New(ctx, f, n)
	}
	var says about
	if err == nil {
		err = json.Unmarshal([]byte(fsys.Comment()), &says) // fails with one of another version of this library
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return &Files{fs: fsys, digest: k.Digest, about: says, closer: f}, nil
}

// keep keeps what a temporary file holds, whose SHA-256 is given, for an image,
// and removes what was used longest ago until all fits. A content that is
// larger than the whole store may be is not kept, which is not an error. The
// file can be read on either way.
func (s *Store) keep(t *file.File, digest string, sum []byte) error {
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
	_, err := s.remove(func(k Kept, left int64) bool { return left > s.max && k.path != but })
	return err
}

// remove removes those that a function says, what was used longest ago first, and
// reports whether there were any. The function gets the bytes that are left of all.
func (s *Store) remove(which func(k Kept, left int64) bool) (found bool, err error) {
	all, err := s.list()
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
		if err := ignoreMissing(os.Remove(k.path)); err != nil {
			return found, err
		}
		left -= k.Bytes
	}
	return found, s.removeStrayTags()
}

// temporaryPrefix begins the name of a temporary file.
const temporaryPrefix = ".writing-"

// temporary returns a new temporary file. Close removes it, unless it was kept.
func (s *Store) temporary() (*file.File, error) {
	return file.Create(s.dir, temporaryPrefix)
}

// ignoreMissing returns the error, unless it says that there is no such file.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
