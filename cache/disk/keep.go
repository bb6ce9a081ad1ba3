package disk

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
)

// Keep returns a source that loads from src and saves a copy of each content. It is a
// [cache.Warmer]: a restarted process immediately serves the catalog of the previous one, and
// reloads it only if it changed. It is a [cache.Notifier] if src is one. Each catalog needs a
// separate file.
//
// The copy never prevents a load. An unusable copy is reported to Logger and replaced after the
// next load. A copy that cannot be written, because the disk is full or read-only, is reported
// too, and the next load tries again even if nothing changed. A load returns after the copy is
// written.
//
// Several caches may share the source, and several processes the file: the last writer wins.
func Keep(src cache.Source, path string, opts Options) cache.Source {
	if opts.Parser == nil {
		opts.Parser = constraints.NewParser()
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	k := &keeper{src: src, path: path, opts: opts}
	if n, ok := src.(cache.Notifier); ok {
		return &notifyingKeeper{k, n}
	}
	return k
}

// keeper is the source that [Keep] returns.
type keeper struct {
	src  cache.Source
	path string
	opts Options

	saved atomic.Pointer[header] // header of the file, if known
}

// notifyingKeeper is a keeper of a source that is a Notifier.
type notifyingKeeper struct {
	*keeper
	cache.Notifier
}

func (k *keeper) Warm(ctx context.Context) (*cache.Content, error) {
	began := time.Now()
	c, err := Read(ctx, k.path, k.opts)
	if !errors.Is(err, fs.ErrNotExist) {
		k.report(ctx, "catalog read from its copy", "ignoring the copy of the catalog; it will be rewritten", c, began, err)
	}
	if err == nil {
		h := newHeader(c, k.opts.Origin)
		k.saved.Store(&h)
		return c, nil
	}
	if w, ok := k.src.(cache.Warmer); ok {
		return w.Warm(ctx)
	}
	return nil, nil
}

func (k *keeper) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	c, err := k.src.Load(ctx, last)
	if err != nil || c == nil || c.Catalog == nil {
		return c, err
	}
	h := newHeader(c, k.opts.Origin)
	if saved := k.saved.Load(); saved != nil && *saved == h {
		return c, nil
	}
	began := time.Now()
	if err = Write(ctx, k.path, c, k.opts); err == nil {
		k.saved.Store(&h)
	}
	k.report(ctx, "copy of the catalog written", "cannot write a copy of the catalog; the next load will retry", c, began, err)
	return c, nil
}

// report logs the outcome of reading or writing the file.
func (k *keeper) report(ctx context.Context, success, failure string, c *cache.Content, began time.Time, err error) {
	attrs := []any{"path", k.path, "duration", time.Since(began)}
	if c != nil {
		attrs = append(attrs, "digest", c.Digest)
	}
	if err != nil {
		k.opts.Logger.WarnContext(ctx, failure, append(attrs, "error", err)...)
		return
	}
	k.opts.Logger.DebugContext(ctx, success, attrs...)
}
