package disk

import (
	"io/fs"
	"log/slog"

	"github.com/seed109e2655/resolute/constraints"
)

// DefaultMaxBytes is the default of Options.MaxBytes: 256 MiB, about ten million bundles.
const DefaultMaxBytes = 256 << 20

// Options configure this package. The zero value is the default.
type Options struct {
	// Origin identifies the source of the catalog, for example by its address. Write stores it
	// in the copy, and Read rejects a copy of another origin unless Origin is empty. After the
	// address of a catalog changes, this prevents serving the old catalog, and prevents the new
	// source from confirming it as unchanged.
	Origin string
	// Parser parses the constraints of bundles; nil means a new one. A shared parser compiles
	// each rule once for all catalogs.
	Parser *constraints.Parser
	// MaxBytes bounds the size of a copy that is read; 0 means [DefaultMaxBytes], a negative
	// number no limit. A larger copy is a [*CopyError].
	MaxBytes int64
	// Mode is the permissions of the file; 0 means 0600, because the source of the catalog may
	// require a password.
	Mode fs.FileMode
	// Logger logs for [Keep]: failures as warnings, successful reads and writes at debug level.
	// nil disables logging.
	Logger *slog.Logger
}
