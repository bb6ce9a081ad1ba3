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

// Keep returns a source that loads what src does, and keeps a copy of it: a
// [cache.Warmer], so that a process that was restarted serves at once what the
// one before it had, and need not load what did not change since. It is a
// [cache.Notifier] if src is one. Each catalog needs a file of its own.
//
// The copy never stands in the way of a load. One that cannot be used is
// reported to Logger, and replaced after the next load. One that
// cannot be written, because the disk is full or may not be written to, is
// reported as well, and written after the next load, whether or not something
// changed. A load returns after the copy is written.
//
// The source may be used by several caches, and the file by several processes:
// the last one to write wins.
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

	saved atomic.Pointer[header] // of what the file holds, if that is known
}

// notifyingKeeper is a keeper of a source that notices changes by itself.
type notifyingKeeper struct {
	*keeper
	cache.Notifier
}

func (k *keeper) Warm(ctx context.Context) (*cache.Content, error) {
	began := time.Now()
	c, err := Read(ctx, k.path, k.opts)
	if !errors.Is(err, fs.ErrNotExist) {
		k.report(ctx, "the catalog was read from its copy", "the copy of the catalog is not used, and will be written again", c, began, err)
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
	k.report(ctx, "a copy of the catalog was written", "the catalog is served but no copy was written; the next load tries again", c, began, err)
	return c, nil
}

// report says what became of the file.
func (k *keeper) report(ctx context.Context, done, wrong string, c *cache.Content, began time.Time, err error) {
	attrs := []any{"path", k.path, "duration", time.Since(began)}
	if c != nil {
		attrs = append(attrs, "digest", c.Digest)
	}
	if err != nil {
		k.opts.Logger.WarnContext(ctx, wrong, append(attrs, "error", err)...)
		return
	}
	k.opts.Logger.DebugContext(ctx, done, attrs...)
}
