package disk

import (
	"context"
	"io/fs"
	"log/slog"
	"time"

	"github.com/seed109e2655/resolute/constraints"
)

// DefaultMaxBytes is the default of Options.MaxBytes: 256 MiB, some ten million
// bundles.
const DefaultMaxBytes = 256 << 20

// Options are the options of this package. The zero value is the default.
type Options struct {
	// Origin says what the catalog is loaded from, for example its address. It
	// is written to the copy, and a copy of another origin is not believed
	// unless Origin is empty: after the address of a catalog was changed,
	// no reader should be served what the old one had, nor have it confirmed by
	// the new one because nothing changed there since.
	Origin string
	// Parser parses the constraints of bundles; nil stands for a fresh one. One
	// that is shared compiles each rule once for all catalogs.
	Parser *constraints.Parser
	// MaxBytes bounds the size of a copy that is read; 0 stands for
	// [DefaultMaxBytes], less for no limit. A larger one is a [*DamagedError].
	MaxBytes int64
	// Mode is the permissions of the file; 0 stands for 0600, since what is
	// served only to those with a password should not lie open on disk.
	Mode fs.FileMode
	// Logger logs for [Keep] what goes wrong (as a warning), and what is
	// read and written (for debugging); nil logs nothing.
	Logger *slog.Logger
	// Hook is called by [Keep] after the copy was read or written, or could not
	// be. It must be safe for concurrent use and return soon; it may be nil.
	Hook func(ctx context.Context, e Event)
}

// Action is what was done with a copy.
type Action string

const (
	// ActionRead: it was read.
	ActionRead Action = "read"
	// ActionWrite: it was written.
	ActionWrite Action = "write"
)

// Event says what became of the copy of [Keep].
type Event struct {
	// Action is what was tried.
	Action Action
	// Path is the file.
	Path string
	// Digest is that of the content, or empty.
	Digest string
	// Duration is how long it took.
	Duration time.Duration
	// Err is why it failed, an error of [Read] or [Write], or nil.
	Err error
}
