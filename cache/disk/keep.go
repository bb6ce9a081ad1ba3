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

	unsaved atomic.Pointer[cache.Content] // what could not be saved
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
		k.report(ctx, true, c, began, err)
	}
	if err == nil {
		return c, nil
	}
	w, ok := k.src.(cache.Warmer)
	if !ok {
		return nil, nil
	}
	if c, err = w.Warm(ctx); c != nil && err == nil {
		k.unsaved.Store(c) // the next load may find that nothing changed
	}
	return c, err
}

func (k *keeper) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	c, err := k.src.Load(ctx, last)
	if err != nil || c == nil {
		return c, err
	}
	if unsaved := k.unsaved.Load(); unsaved == nil && saysSame(c, last) || unsaved != nil && unsaved != c && c == last {
		return c, nil
	}
	began := time.Now()
	err = Write(ctx, k.path, c, k.opts)
	if err != nil {
		k.unsaved.Store(c)
	} else {
		k.unsaved.Store(nil)
	}
	k.report(ctx, false, c, began, err)
	return c, nil
}

// saysSame reports whether two contents make the same file.
func saysSame(c, last *cache.Content) bool {
	return c == last || last != nil && c.Digest != "" && c.Digest == last.Digest && c.Validator == last.Validator && c.Modified.Equal(last.Modified)
}

// report says what became of the file, which was to be read or to be written.
func (k *keeper) report(ctx context.Context, read bool, c *cache.Content, began time.Time, err error) {
	attrs := []any{"path", k.path, "duration", time.Since(began)}
	if c != nil {
		attrs = append(attrs, "digest", c.Digest)
	}
	level, message := slog.LevelDebug, "a copy of the catalog was written"
	switch {
	case err == nil && read:
		message = "the catalog was read from its copy"
	case err != nil && read:
		level, message = slog.LevelWarn, "the copy of the catalog is not used, and will be written again"
	case err != nil:
		level, message = slog.LevelWarn, "the catalog is served but no copy was written; the next load tries again"
	}
	if err != nil {
		attrs = append(attrs, "error", err)
	}
	k.opts.Logger.Log(ctx, level, message, attrs...)
}
