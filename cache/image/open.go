package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/seed109e2655/resolute/cache/image/internal/store"
)

// Files are the files of the catalog in an image: what lies in the folder that
// its label names, as a read-only [fs.FS] without times and owners. They are
// safe for concurrent use until they are closed.
type Files struct {
	fs             *store.FS
	digest, folder string
	created        time.Time
	closer         io.Closer // nil if there is nothing to close
}

// Digest returns the digest that the reference stood for: of the index, if it
// is one; of the configuration in an archive of docker.
func (f *Files) Digest() string { return f.digest }

// Folder returns the folder in the image: an absolute path.
func (f *Files) Folder() string { return f.folder }

// Created returns when the image says that it was built, zero if it does not.
func (f *Files) Created() time.Time { return f.created }

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
	return openImage(ctx, ref, &opts, "")
}

// errUnchanged says that a reference stands for the digest that is known.
var errUnchanged = errors.New("the image did not change")

// openImage is Open with options that are complete. If the image has the
// digest that is known already, the error is errUnchanged.
func openImage(ctx context.Context, ref Reference, opts *Options, known string) (*Files, error) {
	if err := ctx.Err(); err != nil {
		return nil, stopped(ref, err)
	}
	f, err := findImage(ctx, ref, opts, known)
	if err != nil && ctx.Err() != nil {
		return nil, stopped(ref, ctx.Err())
	}
	return f, err
}

// stopped says that reading was ended from outside.
func stopped(ref Reference, err error) error {
	return fmt.Errorf("reading the image %s was stopped: %w", inert(ref.String()), err)
}

// findImage looks for an image where it may be: in the store, at the mirrors,
// in the registry, in files.
func findImage(ctx context.Context, ref Reference, opts *Options, known string) (*Files, error) {
	digest := ref.Digest
	if digest == "" && opts.Offline && ref.Transport == Registry && opts.Store != nil {
		digest = opts.Store.tag(ref.String())
	}
	if digest != "" {
		f, err := haveImage(ctx, ref, digest, opts, known)
		if f != nil || err != nil {
			return f, err
		}
	}
	at := &local{ref: ref, limits: opts.Limits,
		files: store.Archive{File: ref.Path, Entries: opts.Limits.MaxEntries, Bytes: opts.Limits.MaxUnpackedBytes}}
	switch ref.Transport {
	case Layout:
		at.files = store.Directory(ref.Path)
		return fromPlace(ctx, ref, layoutPlace{at}, opts, known)
	case LayoutArchive:
		return fromPlace(ctx, ref, layoutPlace{at}, opts, known)
	case DockerArchive:
		return fromPlace(ctx, ref, dockerPlace{at}, opts, known)
	case Registry:
		if opts.Offline {
			return nil, fmt.Errorf("%s %w", source(ref.String()), ErrNotKept)
		}
		return fromRegistries(ctx, ref, opts, known)
	}
	return nil, &ReferenceError{Text: ref.String(), Reason: "it names no transport that is known"}
}

// haveImage returns an image whose digest is known without asking anybody: nil
// if it is not kept.
func haveImage(ctx context.Context, ref Reference, digest string, opts *Options, known string) (*Files, error) {
	if digest == known {
		return nil, errUnchanged
	}
	if opts.Store == nil {
		return nil, nil
	}
	f, err := opts.Store.get(ctx, ref.String(), digest, opts)
	if f != nil {
		opts.Store.name(ctx, ref, digest, opts)
	}
	return f, err
}

func fromRegistries(ctx context.Context, ref Reference, opts *Options, known string) (*Files, error) {
	all := &mirrorError{ref: ref.String()}
	locations := opts.locations(ref.Repository)
	for i, repository := range locations {
		f, err := fromPlace(ctx, ref, newRegistry(ref, repository, opts), opts, known)
		if err == nil || errors.Is(err, errUnchanged) || ctx.Err() != nil || len(locations) == 1 {
			return f, err
		}
		all.repositories, all.errs = append(all.repositories, repository), append(all.errs, err)
		if i < len(locations)-1 {
			opts.Logger.WarnContext(ctx, "cannot get an image from a mirror, trying the next place",
				"image", ref.String(), "mirror", repository, "error", err)
		}
	}
	return nil, all
}

func fromPlace(ctx context.Context, ref Reference, p place, opts *Options, known string) (*Files, error) {
	defer p.close()
	top, manifest, err := p.resolve(ctx)
	if err != nil {
		return nil, err
	}
	if digest := top.Digest.String(); digest != ref.Digest { // which was looked for
		f, err := haveImage(ctx, ref, digest, opts, known)
		if f != nil || err != nil {
			return f, err
		}
	}
	img, err := (&describer{ref: ref.String(), limits: opts.Limits, from: p}).describe(ctx, top, manifest)
	if err != nil {
		return nil, err
	}
	if opts.Store != nil {
		f, err := inStore(ctx, ref, img, opts)
		if !errors.As(err, new(*StoreError)) || ctx.Err() != nil {
			return f, err
		}
		opts.Logger.WarnContext(ctx, "an image is read without being kept", "image", ref.String(), "error", err)
	}
	fsys, _, err := unpack(ctx, ref, img, opts, &store.Memory{})
	if err != nil {
		return nil, err
	}
	return img.files(fsys, nil), nil
}

// unpack puts what an image has into a storage. If that is broken, the spool says so too.
func unpack(ctx context.Context, ref Reference, img *remoteImage, opts *Options, to store.Storage) (*store.FS, *store.Spool, error) {
	spool := store.NewSpool(to)
	entries, err := fetchLayers(ctx, ref.String(), img, opts, spool)
	if err != nil {
		return nil, spool, err
	}
	says, err := json.Marshal(about{Folder: img.folder, Created: img.created})
	if err != nil {
		return nil, spool, err
	}
	fsys, err := spool.Finish(ctx, entries, string(says))
	return fsys, spool, err
}

// inStore reads an image into a temporary file of the store, and keeps it. If it cannot be
// kept it is read from that file. A [*StoreError] is for a store that cannot be written.
func inStore(ctx context.Context, ref Reference, img *remoteImage, opts *Options) (_ *Files, err error) {
	s := opts.Store
	file, err := s.temporary()
	if err != nil {
		return nil, s.failed(err)
	}
	defer func() {
		if err == nil {
			return
		}
		if closed := file.Close(); closed != nil {
			opts.Logger.WarnContext(ctx, "a temporary file cannot be removed", "error", s.failed(closed))
		}
	}()
	fsys, spool, err := unpack(ctx, ref, img, opts, file)
	if broken := spool.Broken(); broken != nil {
		return nil, s.failed(broken)
	}
	if err != nil {
		return nil, err
	}
	if kept := s.keep(file, img.digest, spool.Sum()); kept == nil {
		s.name(ctx, ref, img.digest, opts)
	} else {
		opts.Logger.WarnContext(ctx, "an image is read without being kept", "image", ref.String(), "error", s.failed(kept))
	}
	return img.files(fsys, file), ctx.Err()
}
