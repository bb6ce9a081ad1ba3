package image

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
)

// Source is a [cache.Source] of the catalog in an image. It is also a
// [cache.Warmer]: with a store, a new process serves at once what an earlier
// one had. It is safe for concurrent use.
type Source struct {
	ref  Reference
	opts Options
	mark string
}

// New returns a source of the catalog in an image. In problems the paths of
// files are those below the folder of the catalog.
//
// The [cache.Content.Digest] is that of the files and of the options that say
// what is kept of them, as with [fbc.Directory]: an image that was built again
// with the same files is the same content. The [cache.Content.Validator] holds
// the digest of the image, and for which reference and options.
//
// Load asks the registry for nothing but the digest, with HEAD, if it did not
// change since the last content; and no registry if the reference has a digest.
//
// The error is for options that cannot be used.
func New(ref Reference, opts Options) (*Source, error) {
	if ref == (Reference{}) {
		return nil, &ReferenceError{Reason: "it is empty"}
	}
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Source{ref: ref, opts: opts, mark: mark(ref, opts.FBC)}, nil
}

// mark returns what validators of this source begin with: it distinguishes them from
// those of other references and options.
func mark(ref Reference, o fbc.Options) string {
	o.Parser, o.Progress, o.Parallel = nil, nil, 0
	sum := sha256.Sum256(fmt.Appendf(nil, "image 2 %q %#v", ref.String(), o))
	return "image " + hex.EncodeToString(sum[:8]) + " "
}

// Load implements [cache.Source].
func (s *Source) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	known := ""
	if last != nil {
		if digest, ok := strings.CutPrefix(last.Validator, s.mark); ok { // otherwise it is of other settings
			known = digest
		}
	}
	l := newLoading(ctx, s.ref, &s.opts, known)
	f, err := l.open()
	if errors.Is(err, errUnchanged) {
		return last, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return s.content(l, f, last)
}

// Warm implements [cache.Warmer]: it returns what the store has, without asking
// anybody.
func (s *Source) Warm(ctx context.Context) (*cache.Content, error) {
	if s.opts.Store == nil {
		return nil, nil
	}
	digest := cmp.Or(s.ref.Digest, s.opts.Store.tag(s.ref.String()))
	if digest == "" {
		return nil, nil
	}
	l := newLoading(ctx, s.ref, &s.opts, "")
	f, err := l.have(digest)
	if f == nil || err != nil {
		return nil, err
	}
	defer f.Close()
	return s.content(l, f, nil)
}

func (s *Source) content(l *loading, f *Files, last *cache.Content) (*cache.Content, error) {
	c, err := fbc.Directory(f, s.opts.FBC).Load(l.ctx, nil)
	if err != nil {
		if l.ctx.Err() != nil {
			return nil, l.stopped()
		}
		return nil, fmt.Errorf("%s: in its folder %s: %w", source(l.ref), inert(f.Folder()), err)
	}
	now := &cache.Content{Catalog: c.Catalog, Digest: c.Digest, Validator: s.mark + f.Digest(), Modified: f.Created()}
	if last != nil && last.Digest == now.Digest {
		if last.Validator == now.Validator {
			return last, nil
		}
		now.Catalog = last.Catalog // built again with the same files
	}
	return now, nil
}
