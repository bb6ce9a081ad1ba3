package snapshot

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

// KeepOptions are the options of [Keep]. The zero value is the default.
type KeepOptions struct {
	// Parser is that of [Options]; share it with whatever else reads catalogs.
	Parser *constraints.Parser
	// Origin tells what the source reads, for example its address. A file that
	// was kept for another origin is not believed: after the address of a
	// catalog was changed, nobody should be served what the old one had, nor
	// have it confirmed by the new one because nothing changed there since.
	Origin string
	// MaxBytes is that of [Options], Mode that of [WriteOptions].
	MaxBytes int64
	Mode     fs.FileMode
	// Logger is told of what goes wrong (as a warning), and of what is opened
	// and saved (for debugging); nil: nobody is.
	Logger *slog.Logger
	// Hook is called after the file was opened or saved, or could not be. It
	// must be safe for concurrent use and return soon; it may be nil.
	Hook func(ctx context.Context, e Event)
}

// Action is what was done with the file.
type Action string

const (
	// ActionOpen: it was opened.
	ActionOpen Action = "open"
	// ActionSave: it was saved.
	ActionSave Action = "save"
)

// Event tells what became of the file of [Keep].
type Event struct {
	// Action is what was tried.
	Action Action
	// Path is the file.
	Path string
	// Digest is that of the content, empty if there is none.
	Digest string
	// Duration is how long it took.
	Duration time.Duration
	// Err is why it failed, an error of [Open] or [Write], or nil.
	Err error
}

// Keep returns a source that loads what src does, and keeps it in a file: a
// [cache.Warmer], so that a process that was restarted serves at once what the
// one before it had, and need not load what did not change since. It is a
// [cache.Notifier] if src is one. Each catalog needs a file of its own.
//
// The file never stands in the way of a load. One that is damaged, of another
// version or not readable counts as none, and is replaced after the next load.
// One that cannot be written, because the disk is full or may not be written
// to, is reported to Logger and Hook, and written at the next load again,
// whether or not something changed. A load returns after the file is saved.
//
// The source may be used by several caches, and the file by several processes:
// whoever saves last wins.
func Keep(src cache.Source, path string, opts KeepOptions) cache.Source {
	if opts.Parser == nil {
		opts.Parser = constraints.NewParser(constraints.ParserOptions{})
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
	opts KeepOptions

	unsaved atomic.Pointer[cache.Content] // what could not be saved
}

// notifyingKeeper is a keeper of a source that notices changes by itself.
type notifyingKeeper struct {
	*keeper
	cache.Notifier
}

// Warm implements [cache.Warmer].
func (k *keeper) Warm(ctx context.Context) (*cache.Content, error) {
	began := time.Now()
	c, err := Open(k.path, Options{Parser: k.opts.Parser, Origin: k.opts.Origin, MaxBytes: k.opts.MaxBytes})
	if !errors.Is(err, fs.ErrNotExist) {
		k.report(ctx, ActionOpen, c, began, err)
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

// Load implements [cache.Source].
func (k *keeper) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	c, err := k.src.Load(ctx, last)
	if err != nil || c == nil {
		return c, err
	}
	if unsaved := k.unsaved.Load(); unsaved == nil && saysSame(c, last) || unsaved != nil && unsaved != c && c == last {
		return c, nil
	}
	began := time.Now()
	err = WriteOptions{Origin: k.opts.Origin, Mode: k.opts.Mode}.Write(k.path, c)
	if err != nil {
		k.unsaved.Store(c)
	} else {
		k.unsaved.Store(nil)
	}
	k.report(ctx, ActionSave, c, began, err)
	return c, nil
}

// saysSame tells whether two contents make the same file.
func saysSame(c, last *cache.Content) bool {
	return c == last || last != nil && c.Digest != "" && c.Digest == last.Digest && c.Validator == last.Validator && c.Modified.Equal(last.Modified)
}

// report tells what became of the file.
func (k *keeper) report(ctx context.Context, a Action, c *cache.Content, began time.Time, err error) {
	e := Event{Action: a, Path: k.path, Duration: time.Since(began), Err: err}
	if c != nil {
		e.Digest = c.Digest
	}
	log := k.opts.Logger.With("path", e.Path, "digest", e.Digest, "duration", e.Duration)
	switch {
	case err == nil && a == ActionOpen:
		log.DebugContext(ctx, "catalog opened from its snapshot")
	case err == nil:
		log.DebugContext(ctx, "catalog saved to its snapshot")
	case a == ActionOpen:
		log.WarnContext(ctx, "the snapshot of the catalog is not used, and will be written anew", "error", err)
	default:
		log.WarnContext(ctx, "the catalog is served but not saved; the next load tries again", "error", err)
	}
	if k.opts.Hook != nil {
		k.opts.Hook(ctx, e)
	}
}
