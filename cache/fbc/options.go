package fbc

import (
	"runtime"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/cache/fbc/internal/read"
	"github.com/seed109e2655/resolute/constraints"
)

// Options are the options of a reader. The zero value is the default. A limit
// of 0 stands for its default; a negative one is no limit. The defaults let through
// every catalog that is published today several times over, and keep what a hostile one
// can cost within what a small container has.
type Options struct {
	// Catalog is stamped on every problem, unless it is zero.
	Catalog cache.Key
	// Strict turns the problems that were found, warnings included, into an
	// error: a [*ProblemsError].
	Strict bool
	// Parser parses the constraints of bundles; nil stands for a fresh one.
	// One that is shared compiles each rule once for all catalogs.
	Parser *constraints.Parser
	// DropProperties are types of properties that are not kept, beside olm.csv.metadata
	// and olm.bundle.object: descriptions and manifests, which take most of the size of
	// a catalog. [Blobs] has them.
	DropProperties []string
	// Metadata keeps the annotations and labels of bundles, which are in olm.csv.metadata or in
	// the ClusterServiceVersion in olm.bundle.object. Rules of a policy can refer to them; without
	// this option, such a rule forbids every bundle, because they are unknown. They may take as
	// much memory as all else of a catalog. [Write] does not write them.
	Metadata bool
	// Exact reads what [Write] wrote with [WriteOptions].Exact as the catalog
	// that it was written from: every property is kept that was written, and
	// problems and places are those of then. Any other problem is an error, a
	// [*ProblemsError]. It is for files that a program keeps for itself: whoever
	// can write the file says what is wrong with the catalog, and where.
	Exact bool
	// Parallel is how many goroutines read: files at a time, or where there
	// are fewer files, parts of a file of JSON lines. 0 or less stands for the
	// number of processors that Go may use.
	Parallel int
	// Progress, if set, is called with how far reading got: after each file and
	// now and then inside of one. Calls come from the goroutines that read,
	// one at a time. It must return soon, and must not read a catalog itself.
	Progress func(Progress)

	read read.Options // what of these says what is kept, with defaults

	// MaxBlobBytes bounds one blob, by default to 32 MiB. One that is larger is a problem, and is
	// skipped without ever being held in memory.
	MaxBlobBytes int64
	// MaxTotalBytes bounds the catalog as a whole, decompressed: 2 GiB. It is what
	// stops a gzip bomb. Passing it is a [*LimitError].
	MaxTotalBytes int64
	// MaxBlobs bounds the number of blobs, of any schema: four million. Passing it is a
	// [*LimitError].
	MaxBlobs int64
	// MaxDepth bounds how deep arrays and objects are nested in what is kept: 250.
	MaxDepth int
	// MaxNodes bounds the number of values in one YAML document, aliases
	// expanded and merge keys applied: 524288. It is what stops a YAML bomb, together
	// with MaxBlobBytes, which bounds the document expanded.
	MaxNodes int
	// MaxItems bounds the number of properties of one bundle, of entries of one
	// channel, and of skips of one entry: 524288.
	MaxItems int
	// MaxPropertyBytes bounds one property, which is read as a whole: 4 MiB, for an API
	// server takes no manifest of half of that. One that is
	// larger, and of a type that DropProperties does not name, is a problem of its
	// bundle.
	MaxPropertyBytes int
	// MaxNameBytes bounds the names of packages, channels and bundles, which
	// are repeated in whatever is said of them, as they are written in JSON: 1 KiB, four
	// times what names in Kubernetes have.
	MaxNameBytes int
	// MaxProblems bounds how many problems are kept of one file, and how many
	// of one blob: 1000. One more problem says how many were left out. Package
	// graph bounds those of one package ([graph.Options].MaxProblems).
	MaxProblems int
}

// Progress is how far a reader got.
type Progress struct {
	// Files is the number of files to read, FilesDone of those that are read.
	Files, FilesDone int
	// Bytes is the number of bytes that were read, decompressed.
	Bytes int64
	// Blobs is the number of blobs that were read, and Foreign how many of
	// them have a schema that no catalog needs.
	Blobs, Foreign int64
}

// Limits of .indexignore files: bytes of one, and patterns that hold in a directory, those of
// the directories above it included. A file that passes one is a problem, and is not used.
const (
	MaxIgnoreBytes = read.MaxIgnoreBytes
	MaxIgnoreRules = read.MaxIgnoreRules
)

// WithDefaults returns the options with each limit that is 0 as its default, and one
// that is negative as a number that nothing reaches.
func (o Options) WithDefaults() Options {
	o.MaxBlobBytes = read.LimitOf(o.MaxBlobBytes, document.DefaultMaxBytes)
	o.MaxTotalBytes = read.LimitOf(o.MaxTotalBytes, 2<<30)
	o.MaxBlobs = read.LimitOf(o.MaxBlobs, 4_000_000)
	o.MaxDepth = read.LimitOf(o.MaxDepth, document.DefaultMaxDepth)
	o.MaxNodes = read.LimitOf(o.MaxNodes, document.DefaultMaxNodes)
	o.MaxItems = read.LimitOf(o.MaxItems, 1<<19)
	o.MaxPropertyBytes = read.LimitOf(o.MaxPropertyBytes, 4<<20)
	o.MaxNameBytes = read.LimitOf(o.MaxNameBytes, 1<<10)
	o.MaxProblems = read.LimitOf(o.MaxProblems, 1000)
	return o
}

// prepared fills in what is not set.
func (o Options) prepared() Options {
	o = o.WithDefaults()
	if o.Parser == nil {
		o.Parser = constraints.NewParser()
	}
	if o.Parallel <= 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	o.read = read.Options{
		Catalog: o.catalog(), Exact: o.Exact, Drop: o.DropProperties, Metadata: o.Metadata,
		Limits:   document.Limits{MaxBytes: o.MaxBlobBytes, MaxNodes: o.MaxNodes, MaxDepth: o.MaxDepth},
		MaxItems: o.MaxItems, MaxNameBytes: o.MaxNameBytes, MaxPropertyBytes: o.MaxPropertyBytes, MaxProblems: o.MaxProblems,
	}
	return o
}

// catalog returns what is stamped on problems.
func (o *Options) catalog() string {
	if o.Catalog.IsZero() {
		return ""
	}
	return o.Catalog.String()
}
