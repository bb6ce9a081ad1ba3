package image

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/seed109e2655/resolute/cache/image/internal/store"
)

// DefaultStoreBytes is the default of StoreOptions.MaxBytes: 2 GiB.
const DefaultStoreBytes = 2 << 30

// Store keeps catalogs that were read from images in a folder of the disk, by
// digest, so that asking for the same image again costs no network. What is
// kept of an image is one file: those of its catalog, below the folder of its
// label, each compressed with zstd, and behind them an index, as JSON.
//
// It is safe for concurrent use, by several processes too. A process that is
// killed at any moment leaves nothing that another would take for a catalog,
// and what it was writing is removed by the next one that writes. A copy that
// is damaged is found out by its checksum whenever it is opened, removed, and
// fetched again. Whoever can write to the folder can put any catalog there:
// the checksum guards against accidents. On Windows, where a file that is open
// cannot be given a name, images are read but not kept.
type Store struct {
	dir  string
	disk *store.Store
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
	if opts.MaxBytes == 0 {
		opts.MaxBytes = DefaultStoreBytes
	}
	disk, err := store.Open(dir, opts.MaxBytes)
	if err != nil {
		return nil, &StoreError{Dir: dir, Err: err}
	}
	return &Store{dir: dir, disk: disk}, nil
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
}

// List returns what is kept, what was used last first. The error is a
// [*StoreError].
func (s *Store) List() ([]Kept, error) {
	all, err := s.disk.List()
	if err != nil {
		return nil, s.failed(err)
	}
	tags, err := s.disk.Tags()
	if err != nil {
		return nil, s.failed(err)
	}
	kept := make([]Kept, len(all))
	for i, k := range all {
		kept[i] = Kept{Digest: k.Digest, Bytes: k.Bytes, Used: k.Used}
		for _, t := range tags {
			if t.Digest == k.Digest {
				kept[i].References = append(kept[i].References, t.Name)
			}
		}
	}
	return kept, nil
}

// Remove removes what is kept of an image, and reports whether there was
// anything. Who reads it goes on reading. The error is a [*StoreError].
func (s *Store) Remove(digest string) (bool, error) {
	found, err := s.disk.Remove(digest)
	return found, s.failed(err)
}

// Clear removes all that is kept. The error is a [*StoreError].
func (s *Store) Clear() error { return s.failed(s.disk.Clear()) }

func (s *Store) failed(err error) error {
	if err == nil {
		return nil
	}
	return &StoreError{Dir: s.dir, Err: err}
}

// get returns what is kept of an image, nil if there is nothing that can be
// used. The error is that of the context, or a limit that what is kept passes.
func (s *Store) get(ctx context.Context, ref, digest string, opts *Options) (*Files, error) {
	f, size, err := s.disk.Get(ctx, digest)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		opts.Logger.WarnContext(ctx, "a kept image cannot be used", "image", ref, "digest", digest, "error", err)
		return nil, nil
	}
	fsys, about, err := store.Read(ctx, f, size)
	if ctx.Err() != nil {
		f.Close()
		return nil, ctx.Err()
	}
	if err != nil { // of another version of this library
		f.Close()
		opts.Logger.WarnContext(ctx, "a kept image cannot be used", "image", ref, "digest", digest, "error", err)
		_, _ = s.disk.Remove(digest)
		return nil, nil
	}
	var passed error
	switch n, bytes := fsys.Size(); {
	case n > opts.Limits.MaxFiles:
		passed = tooLarge(ref, "MaxFiles", opts.Limits.MaxFiles, "")
	case bytes > opts.Limits.MaxFileBytes:
		passed = tooLarge(ref, "MaxFileBytes", opts.Limits.MaxFileBytes, "")
	}
	if passed != nil {
		f.Close()
		return nil, passed
	}
	return &Files{fs: fsys, digest: digest, folder: about.Folder, created: about.Created, closer: f}, nil
}

// name notes what a reference stands for.
func (s *Store) name(ctx context.Context, ref Reference, digest string, opts *Options) {
	if err := s.disk.SetTag(store.Tag{Name: ref.String(), Digest: digest}); err != nil {
		opts.Logger.WarnContext(ctx, "the store cannot be written", "error", s.failed(err))
	}
}
