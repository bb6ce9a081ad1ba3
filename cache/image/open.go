package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/seed109e2655/resolute/cache/image/internal/files"
)

// Files are the files of the catalog in an image: the content of the folder named by its label,
// as a read-only [fs.FS] without times and owners. They are safe for concurrent use until they
// are closed.
type Files struct {
	fs     *files.FS
	digest string
	about  about
	closer io.Closer // nil if nothing has to be closed
}

// about is the metadata of an image, stored in the comment of its archive.
type about struct {
	Folder  string    `json:"folder"` // of the catalog
	Created time.Time `json:"created,omitzero"`
}

// Digest returns the digest of the image: of its index if it has one, or of the configuration
// in a Docker archive.
func (f *Files) Digest() string { return f.digest }

// Folder returns the absolute path of the folder in the image.
func (f *Files) Folder() string { return f.about.Folder }

// Created returns the build time recorded in the image, zero if it has none.
func (f *Files) Created() time.Time { return f.about.Created }

// Open implements [fs.FS].
func (f *Files) Open(name string) (fs.File, error) { return f.fs.Open(name) }

// Close releases the files, and their disk space if they are not in a store.
func (f *Files) Close() error {
	c := f.closer
	if c == nil {
		return nil
	}
	f.closer = nil
	return c.Close()
}

// Open returns the files of the catalog in an image. The caller must close them. Errors are
// those documented by this package, or the context's error.
func Open(ctx context.Context, ref Reference, opts Options) (*Files, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	return newLoader(ctx, ref, &opts, "").open()
}

// loader reads an image once. It returns documented errors.
type loader struct {
	ctx     context.Context
	image   Reference
	ref     string // image as text
	opts    *Options
	known   string  // digest of the last content, which is not read again
	backend backend // current backend
}

func newLoader(ctx context.Context, ref Reference, opts *Options, known string) *loader {
	return &loader{ctx: ctx, image: ref, ref: ref.String(), opts: opts, known: known}
}

// errUnchanged reports that a reference still has the known digest.
var errUnchanged = errors.New("the image did not change")

// open opens the image. If its digest is the known one, the error is errUnchanged.
func (l *loader) open() (f *Files, err error) {
	if err = l.ctx.Err(); err == nil {
		f, err = l.find()
	}
	switch {
	case err == nil:
		return f, nil
	case l.ctx.Err() != nil:
		return nil, l.stopped()
	}
	return nil, err
}

// stopped returns the error of a canceled load.
func (l *loader) stopped() error {
	return fmt.Errorf("reading %s was canceled: %w", source(l.ref), l.ctx.Err())
}

// warn logs a problem that does not fail the load.
func (l *loader) warn(message string, err error, attrs ...any) {
	l.opts.Logger.WarnContext(l.ctx, message, append([]any{"image", l.ref, "error", err}, attrs...)...)
}

// find opens the image from the store, the mirrors, the registry or files.
func (l *loader) find() (*Files, error) {
	ref, limits := l.image, l.opts.Limits
	digest := ref.Digest
	if digest == "" && l.opts.Offline && ref.Transport == Registry && l.opts.Store != nil {
		digest = l.opts.Store.tag(l.ref)
	}
	if digest != "" {
		f, err := l.stored(digest)
		if f != nil || err != nil {
			return f, err
		}
	}
	at := &local{l, (&files.Archive{File: ref.Path, Entries: limits.MaxEntries, Bytes: limits.MaxUnpackedBytes}).Open}
	switch ref.Transport {
	case Layout:
		at.files = files.Directory(ref.Path).Open
		return l.from(layoutBackend{at})
	case LayoutArchive:
		return l.from(layoutBackend{at})
	case DockerArchive:
		return l.from(dockerBackend{at})
	case Registry:
		if l.opts.Offline {
			return nil, fmt.Errorf("%s %w: load it once without %s", source(l.ref), ErrNotKept, l.opts.name("Offline"))
		}
		return l.fromRegistries()
	}
	return nil, &ReferenceError{Text: l.ref, Reason: "its transport is unknown"}
}

// stored returns an image with a known digest without network access: nil if it is not in the
// store.
func (l *loader) stored(digest string) (*Files, error) {
	switch {
	case digest == l.known:
		return nil, errUnchanged
	case l.opts.Store == nil:
		return nil, nil
	}
	f, err := l.fromStore(digest)
	if f != nil {
		l.recordDigest(digest)
	}
	return f, err
}

// recordDigest records the digest of the reference in the store.
func (l *loader) recordDigest(digest string) {
	if err := l.opts.Store.setTag(tag{Name: l.ref, Digest: digest}); err != nil {
		l.warn("cannot write to the store", l.opts.Store.failed(err))
	}
}

// fromStore returns the stored image, nil if there is none that is usable. The error is the
// context's, or a limit that the stored image exceeds.
func (l *loader) fromStore(digest string) (*Files, error) {
	f, err := l.opts.Store.open(l.ctx, digest)
	switch {
	case l.ctx.Err() != nil:
		return nil, l.ctx.Err()
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		l.warn("stored image is unusable", err, "digest", digest)
	}
	if err != nil {
		return nil, nil
	}
	n, bytes := f.fs.Size()
	if err = l.checkLimit("MaxFiles", n, l.opts.Limits.MaxFiles, ""); err == nil {
		err = l.checkLimit("MaxFileBytes", bytes, l.opts.Limits.MaxFileBytes, "")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (l *loader) fromRegistries() (*Files, error) {
	all := &mirrorError{ref: l.ref}
	locations := l.opts.locations(l.image.Repository)
	for i, repository := range locations {
		f, err := l.from(newRegistry(l, repository))
		if err == nil || errors.Is(err, errUnchanged) || l.ctx.Err() != nil || len(locations) == 1 {
			return f, err
		}
		all.repositories, all.errs = append(all.repositories, repository), append(all.errs, err)
		if i < len(locations)-1 {
			l.warn("cannot read an image from a mirror, trying the next one", err, "mirror", repository)
		}
	}
	return nil, all
}

// from opens the image of a backend.
func (l *loader) from(p backend) (*Files, error) {
	defer p.close()
	l.backend = p
	top, manifest, err := p.resolve()
	if err != nil {
		return nil, err
	}
	digest := top.Digest.String()
	if digest != l.image.Digest { // otherwise find has already searched the store
		f, err := l.stored(digest)
		if f != nil || err != nil {
			return f, err
		}
	}
	img, err := l.describe(top, manifest)
	if err != nil {
		return nil, err
	}
	f := &Files{digest: digest, about: img.about}
	if l.opts.Store != nil {
		err := l.inStore(f, img)
		if err == nil || !errors.As(err, new(*StoreError)) || l.ctx.Err() != nil {
			return f, err
		}
		l.warn("image is not stored", err)
	}
	_, err = l.unpack(f, img, &files.Memory{})
	return f, err
}

// unpack writes the catalog of an image to a storage. If the storage fails, spool.Broken
// returns why.
func (l *loader) unpack(f *Files, img *remoteImage, to files.Storage) (*files.Spool, error) {
	spool := files.NewSpool(to)
	entries, err := l.fetch(img, spool)
	if err != nil {
		return spool, err
	}
	says, err := json.Marshal(img.about)
	if err == nil {
		f.fs, err = spool.Finish(l.ctx, entries, string(says))
	}
	return spool, err
}

// inStore reads an image into a temporary file of the store and commits it. If it cannot be
// committed, it is read from the temporary file. A [*StoreError] reports a store that cannot be
// written.
func (l *loader) inStore(f *Files, img *remoteImage) (err error) {
	s := l.opts.Store
	file, err := s.temporary()
	if err != nil {
		return s.failed(err)
	}
	defer func() {
		if f.closer = file; err == nil {
			return
		}
		if closed := f.Close(); closed != nil {
			l.warn("cannot remove a temporary file", s.failed(closed))
		}
	}()
	spool, err := l.unpack(f, img, file)
	if broken := spool.Broken(); broken != nil {
		return s.failed(broken)
	}
	if err != nil {
		return err
	}
	if kept := s.commit(file, f.digest, spool.Sum()); kept == nil {
		l.recordDigest(f.digest)
	} else {
		l.warn("image is not stored", s.failed(kept))
	}
	return l.ctx.Err()
}
