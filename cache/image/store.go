package image

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/cache/internal/file"
)

// DefaultStoreBytes is the default of StoreOptions.MaxBytes: 2 GiB.
const DefaultStoreBytes = 2 << 30

// Store caches the catalogs of images in a directory, by digest, so that the same image is not
// fetched again. Each image is one file: a zip archive of the files of its catalog folder,
// compressed with zstd.
//
// It is safe for concurrent use, also by several processes. A process killed at any moment
// leaves nothing that another would accept as a catalog; the next writer removes its temporary
// files. A corrupt copy is detected by its checksum when it is opened, removed, and fetched
// again. The checksum guards only against accidents: anyone who can write to the directory can
// replace a catalog. On Windows, where an open file cannot be renamed, images are read but not
// stored.
//
// The name of a file contains the SHA-256 of its content, so a single rename commits it. It is
// written under a temporary name, locked while its writer lives, and synced before the rename.
type Store struct {
	dir string
	max int64
}

// StoreOptions configure a store.
type StoreOptions struct {
	// MaxBytes bounds the size of the store; the least recently used images are evicted first.
	// 0 means [DefaultStoreBytes], a negative number no limit. While an image is read, its
	// temporary file takes extra space.
	MaxBytes int64
}

// OpenStore returns the store in a directory, which is created if it is missing. The error is a
// [*StoreError].
func OpenStore(dir string, opts StoreOptions) (*Store, error) {
	s := &Store{dir: dir, max: cmp.Or(opts.MaxBytes, DefaultStoreBytes)}
	if err := os.MkdirAll(filepath.Join(dir, tagFolder), 0o700); err != nil {
		return nil, s.failed(err)
	}
	_ = s.evict("") // a killed writer may not have evicted; commit reports a persistent error
	return s, nil
}

// Kept is a stored image.
type Kept struct {
	// Digest is the digest of the image: of its index, if it has one.
	Digest string
	// References are the references that last resolved to it, sorted. There may be none, if all
	// of them now resolve to other digests.
	References []string
	// Bytes is its size on disk.
	Bytes int64
	// Used is the time of its last use.
	Used time.Time

	path string
	sum  string // hexadecimal SHA-256 of its content
}

// List returns the stored images, most recently used first. The error is a [*StoreError].
func (s *Store) List() ([]Kept, error) {
	all, err := s.list()
	if err != nil {
		return nil, s.failed(err)
	}
	tags, err := s.tags()
	if err != nil {
		return nil, s.failed(err)
	}
	for i := range all {
		for _, t := range tags {
			if t.Digest == all[i].Digest {
				all[i].References = append(all[i].References, t.Name)
			}
		}
		slices.Sort(all[i].References)
	}
	return all, nil
}

// Remove removes an image and reports whether it was stored. Open files stay readable. The
// error is a [*StoreError].
func (s *Store) Remove(digest string) (bool, error) {
	found, err := s.remove(func(k Kept, _ int64) bool { return k.Digest == digest })
	return found, s.failed(err)
}

// Clear removes all images and temporary files. Other files are not touched. The error is a
// [*StoreError].
func (s *Store) Clear() error {
	file.Sweep(s.dir, temporaryPrefix)
	_, err := s.remove(func(Kept, int64) bool { return true })
	return s.failed(err)
}

func (s *Store) failed(err error) error {
	if err == nil {
		return nil
	}
	return &StoreError{Dir: s.dir, Err: err}
}
