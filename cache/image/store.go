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

// Store keeps catalogs that were read from images in a folder of the disk, by
// digest, so that asking for the same image again costs no network. What is
// kept of an image is one file: a zip archive of the files of its catalog, below
// the folder of its label, each compressed with zstd.
//
// It is safe for concurrent use, by several processes too. A process that is
// killed at any moment leaves nothing that another would take for a catalog,
// and what it was writing is removed by the next one that writes. A copy that
// is damaged is found out by its checksum whenever it is opened, removed, and
// fetched again. Whoever can write to the folder can put any catalog there:
// the checksum guards against accidents. On Windows, where a file that is open
// cannot be given a name, images are read but not kept.
//
// A file carries in its name the SHA-256 of its content, so that there is one
// rename between what is not kept and what is. It is written under a temporary
// name, locked as long as its writer lives, and synced before it gets its name.
type Store struct {
	dir string
	max int64
}

// StoreOptions are the options of a store.
type StoreOptions struct {
	// MaxBytes bounds what is kept; what was used longest ago goes first. 0
	// stands for [DefaultStoreBytes], a negative number for no limit. While an
	// image is read, it takes its own size beside that.
	MaxBytes int64
}

// OpenStore returns the store in a folder, which is made if it is missing. The
// error is a [*StoreError].
func OpenStore(dir string, opts StoreOptions) (*Store, error) {
	s := &Store{dir: dir, max: cmp.Or(opts.MaxBytes, DefaultStoreBytes)}
	if err := os.MkdirAll(filepath.Join(dir, tagFolder), 0o700); err != nil {
		return nil, s.failed(err)
	}
	_ = s.evict("") // a writer may have been killed before it did; where that fails, keep says so
	return s, nil
}

// Kept is what a [Store] keeps of an image.
type Kept struct {
	// Digest is the digest of the image: of its index, if it has one.
	Digest string
	// References are the references that stood for it when they were last asked,
	// in order. It may have none: what they stand for has changed.
	References []string
	// Bytes is what it takes on the disk.
	Bytes int64
	// Used is when it was last used.
	Used time.Time

	path string
	sum  string // the SHA-256 of its content, hexadecimal
}

// List returns what is kept, what was used last first. The error is a
// [*StoreError].
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

// Remove removes what is kept of an image, and reports whether there was
// anything. Who reads it goes on reading. The error is a [*StoreError].
func (s *Store) Remove(digest string) (bool, error) {
	found, err := s.remove(func(k Kept, _ int64) bool { return k.Digest == digest })
	return found, s.failed(err)
}

// Clear removes all that is kept, and what writers left behind. Files that it
// does not know stay. The error is a [*StoreError].
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
