package disk

import (
	"io/fs"
	"log/slog"

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
	// [DefaultMaxBytes], less for no limit. A larger one is a [*CopyError].
	MaxBytes int64
	// Mode is the permissions of the file; 0 stands for 0600, since what is
	// served only to those with a password should not lie open on disk.
	Mode fs.FileMode
	// Logger logs for [Keep] what goes wrong (as a warning), and what is
	// read and written (for debugging); nil logs nothing.
	Logger *slog.Logger
}
