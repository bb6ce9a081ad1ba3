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

// suffix is the suffix of stored files.
const suffix = ".catalog"

// nameOf returns the file name of stored content.
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

// list returns the stored images without their references, most recently used first.
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

// errDamaged reports that a stored file was corrupt and has been removed.
var errDamaged = errors.New("the stored copy was corrupt and has been removed")

// open opens a stored image. The error is fs.ErrNotExist if there is none, and errDamaged if it
// is corrupt.
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
			_ = os.Chtimes(k.path, now, now) // on failure it is evicted earlier
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

// open opens a stored file and verifies its checksum.
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
		err = json.Unmarshal([]byte(fsys.Comment()), &says) // fails for files of an incompatible version
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return &Files{fs: fsys, digest: k.Digest, about: says, closer: f}, nil
}

// commit moves a temporary file with a given SHA-256 into the store and evicts the least
// recently used images until the rest fits. Content larger than the whole store is not stored,
// which is not an error. The file stays readable either way.
func (s *Store) commit(t *file.File, digest string, sum []byte) error {
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

// evict removes the least recently used images, except the one at a path, until the rest fits.
func (s *Store) evict(except string) error {
	if s.max < 0 {
		return nil
	}
	_, err := s.remove(func(k Kept, remaining int64) bool { return remaining > s.max && k.path != except })
	return err
}

// remove removes the images selected by a function, least recently used first, and reports
// whether there were any. The function receives the total size of the remaining images.
func (s *Store) remove(which func(k Kept, remaining int64) bool) (found bool, err error) {
	all, err := s.list()
	if err != nil {
		return false, err
	}
	remaining := int64(0)
	for _, k := range all {
		remaining += k.Bytes
	}
	for _, k := range slices.Backward(all) {
		if !which(k, remaining) {
			continue
		}
		found = true
		if err := ignoreMissing(os.Remove(k.path)); err != nil {
			return found, err
		}
		remaining -= k.Bytes
	}
	return found, s.removeStrayTags()
}

// temporaryPrefix is the prefix of temporary files.
const temporaryPrefix = ".writing-"

// temporary returns a new temporary file. Close removes it unless it was committed.
func (s *Store) temporary() (*file.File, error) {
	return file.Create(s.dir, temporaryPrefix)
}

// ignoreMissing returns nil for fs.ErrNotExist, and any other error unchanged.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
