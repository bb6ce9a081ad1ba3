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

// Source is a [cache.Source] of the catalog in an image. It is also a [cache.Warmer]: with a
// store, a new process immediately serves the images of an earlier one. It is safe for
// concurrent use.
type Source struct {
	ref  Reference
	opts Options
	mark string
}

// New returns a source of the catalog in an image. File paths in problems are relative to the
// folder of the catalog.
//
// The [cache.Content.Digest] covers the files and the options that select which parts are
// retained, as with [fbc.Directory]: an image rebuilt with the same files has the same content.
// The [cache.Content.Validator] holds the digest of the image and identifies the reference and
// options.
//
// If the image did not change since the last content, Load sends only a HEAD request for the
// digest. If the reference has a digest, it sends none.
//
// The error reports invalid options.
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

// mark returns the prefix of the validators of this source. It distinguishes them from those of
// other references and options.
func mark(ref Reference, o fbc.Options) string {
	o.Parser, o.Progress, o.Parallel = nil, nil, 0
	sum := sha256.Sum256(fmt.Appendf(nil, "image 2 %q %#v", ref.String(), o))
	return "image " + hex.EncodeToString(sum[:8]) + " "
}

// Load implements [cache.Source].
func (s *Source) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	known := ""
	if last != nil {
		if digest, ok := strings.CutPrefix(last.Validator, s.mark); ok { // otherwise from another configuration
			known = digest
		}
	}
	l := newLoader(ctx, s.ref, &s.opts, known)
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

// Warm implements [cache.Warmer]: it returns the stored content without network access.
func (s *Source) Warm(ctx context.Context) (*cache.Content, error) {
	if s.opts.Store == nil {
		return nil, nil
	}
	digest := cmp.Or(s.ref.Digest, s.opts.Store.tag(s.ref.String()))
	if digest == "" {
		return nil, nil
	}
	l := newLoader(ctx, s.ref, &s.opts, "")
	f, err := l.stored(digest)
	if f == nil || err != nil {
		return nil, err
	}
	defer f.Close()
	return s.content(l, f, nil)
}

func (s *Source) content(l *loader, f *Files, last *cache.Content) (*cache.Content, error) {
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
		now.Catalog = last.Catalog // rebuilt with the same files
	}
	return now, nil
}
