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

// Files are the files of the catalog in an image: what lies in the folder that
// its label names, as a read-only [fs.FS] without times and owners. They are
// safe for concurrent use until they are closed.
type Files struct {
	fs     *files.FS
	digest string
	about  about
	closer io.Closer // nil if there is nothing to close
}

// about is what is noted of an image in the comment of its archive.
type about struct {
	Folder  string    `json:"folder"` // of the catalog
	Created time.Time `json:"created,omitzero"`
}

// Digest returns the digest that the reference stood for: of the index, if it
// is one; of the configuration in an archive of docker.
func (f *Files) Digest() string { return f.digest }

// Folder returns the folder in the image: an absolute path.
func (f *Files) Folder() string { return f.about.Folder }

// Created returns when the image says that it was built, zero if it does not.
func (f *Files) Created() time.Time { return f.about.Created }

// Open implements [fs.FS].
func (f *Files) Open(name string) (fs.File, error) { return f.fs.Open(name) }

// Close lets go of the files, and of what they take on the disk if they are not
// kept.
func (f *Files) Close() error {
	c := f.closer
	if c == nil {
		return nil
	}
	f.closer = nil
	return c.Close()
}

// Open returns the files of the catalog in an image. The caller closes them.
// Errors are those that the package describes, or that of the context.
func Open(ctx context.Context, ref Reference, opts Options) (*Files, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	return newLoading(ctx, ref, &opts, "").open()
}

// loading is the reading of an image, once. Its errors are those that the package describes.
type loading struct {
	ctx   context.Context
	image Reference
	ref   string // the same as text
	opts  *Options
	known string // the digest that need not be read again, if it is known
	place place  // where the image is looked for now
}

func newLoading(ctx context.Context, ref Reference, opts *Options, known string) *loading {
	return &loading{ctx: ctx, image: ref, ref: ref.String(), opts: opts, known: known}
}

// errUnchanged says that a reference stands for the digest that is known.
var errUnchanged = errors.New("the image did not change")

// open opens the image. If it has the digest that is known already, the error is
// errUnchanged.
func (l *loading) open() (f *Files, err error) {
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

// stopped says that reading was ended from outside.
func (l *loading) stopped() error {
	return fmt.Errorf("reading %s was stopped: %w", source(l.ref), l.ctx.Err())
}

// warn logs what went wrong without failing.
func (l *loading) warn(message string, err error, attrs ...any) {
	l.opts.Logger.WarnContext(l.ctx, message, append([]any{"image", l.ref, "error", err}, attrs...)...)
}

// find looks for the image where it may be: in the store, at the mirrors, in the registry,
// in files.
func (l *loading) find() (*Files, error) {
	ref, limits := l.image, l.opts.Limits
	digest := ref.Digest
	if digest == "" && l.opts.Offline && ref.Transport == Registry && l.opts.Store != nil {
		digest = l.opts.Store.tag(l.ref)
	}
	if digest != "" {
		f, err := l.have(digest)
		if f != nil || err != nil {
			return f, err
		}
	}
	at := &local{l, (&files.Archive{File: ref.Path, Entries: limits.MaxEntries, Bytes: limits.MaxUnpackedBytes}).Open}
	switch ref.Transport {
	case Layout:
		at.files = files.Directory(ref.Path).Open
		return l.from(layoutPlace{at})
	case LayoutArchive:
		return l.from(layoutPlace{at})
	case DockerArchive:
		return l.from(dockerPlace{at})
	case Registry:
		if l.opts.Offline {
			return nil, fmt.Errorf("%s %w", source(l.ref), ErrNotKept)
		}
		return l.fromRegistries()
	}
	return nil, &ReferenceError{Text: l.ref, Reason: "it names no transport that is known"}
}

// have returns an image whose digest is known without asking anybody: nil if it is not
// kept.
func (l *loading) have(digest string) (*Files, error) {
	switch {
	case digest == l.known:
		return nil, errUnchanged
	case l.opts.Store == nil:
		return nil, nil
	}
	f, err := l.kept(digest)
	if f != nil {
		l.name(digest)
	}
	return f, err
}

// name notes what the reference stands for.
func (l *loading) name(digest string) {
	if err := l.opts.Store.setTag(tag{Name: l.ref, Digest: digest}); err != nil {
		l.warn("the store cannot be written", l.opts.Store.failed(err))
	}
}

// kept returns what is kept of the image, nil if there is nothing that can be
// used. The error is that of the context, or a limit that what is kept passes.
func (l *loading) kept(digest string) (*Files, error) {
	f, err := l.opts.Store.open(l.ctx, digest)
	switch {
	case l.ctx.Err() != nil:
		return nil, l.ctx.Err()
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		l.warn("a kept image cannot be used", err, "digest", digest)
	}
	if err != nil {
		return nil, nil
	}
	n, bytes := f.fs.Size()
	if err = l.within("MaxFiles", n, l.opts.Limits.MaxFiles, ""); err == nil {
		err = l.within("MaxFileBytes", bytes, l.opts.Limits.MaxFileBytes, "")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (l *loading) fromRegistries() (*Files, error) {
	all := &mirrorError{ref: l.ref}
	locations := l.opts.locations(l.image.Repository)
	for i, repository := range locations {
		f, err := l.from(newRegistry(l, repository))
		if err == nil || errors.Is(err, errUnchanged) || l.ctx.Err() != nil || len(locations) == 1 {
			return f, err
		}
		all.repositories, all.errs = append(all.repositories, repository), append(all.errs, err)
		if i < len(locations)-1 {
			l.warn("cannot get an image from a mirror, trying the next place", err, "mirror", repository)
		}
	}
	return nil, all
}

// from opens the image that a place has.
func (l *loading) from(p place) (*Files, error) {
	defer p.close()
	l.place = p
	top, manifest, err := p.resolve()
	if err != nil {
		return nil, err
	}
	digest := top.Digest.String()
	if digest != l.image.Digest { // which was looked for
		f, err := l.have(digest)
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
		l.warn("an image is read without being kept", err)
	}
	_, err = l.unpack(f, img, &files.Memory{})
	return f, err
}

// unpack puts what an image has into a storage. If that is broken, the spool says so too.
func (l *loading) unpack(f *Files, img *remoteImage, to files.Storage) (*files.Spool, error) {
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

// inStore reads an image into a temporary file of the store, and keeps it. If it cannot be
// kept it is read from that file. A [*StoreError] is for a store that cannot be written.
func (l *loading) inStore(f *Files, img *remoteImage) (err error) {
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
			l.warn("a temporary file cannot be removed", s.failed(closed))
		}
	}()
	spool, err := l.unpack(f, img, file)
	if broken := spool.Broken(); broken != nil {
		return s.failed(broken)
	}
	if err != nil {
		return err
	}
	if kept := s.keep(file, f.digest, spool.Sum()); kept == nil {
		l.name(f.digest)
	} else {
		l.warn("an image is read without being kept", s.failed(kept))
	}
	return l.ctx.Err()
}
