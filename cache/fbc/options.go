package fbc

import (
	"runtime"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/cache/fbc/internal/read"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
)

// Defaults of the limits in [Options]. They let through every catalog that is
// published today several times over, and keep what a hostile one can cost
// within what a small container has.
const (
	// DefaultMaxBlobBytes is the default of Options.MaxBlobBytes: 32 MiB.
	DefaultMaxBlobBytes = document.DefaultMaxBytes
	// DefaultMaxTotalBytes is the default of Options.MaxTotalBytes: 2 GiB.
	DefaultMaxTotalBytes = 2 << 30
	// DefaultMaxBlobs is the default of Options.MaxBlobs: four million.
	DefaultMaxBlobs = 4_000_000
	// DefaultMaxDepth is the default of Options.MaxDepth.
	DefaultMaxDepth = document.DefaultMaxDepth
	// DefaultMaxNodes is the default of Options.MaxNodes: half a million.
	DefaultMaxNodes = document.DefaultMaxNodes
	// DefaultMaxProblems is the default of Options.MaxProblems.
	DefaultMaxProblems = 1000
	// DefaultMaxItems is the default of Options.MaxItems: half a million.
	DefaultMaxItems = 1 << 19
	// DefaultMaxPropertyBytes is the default of Options.MaxPropertyBytes: 4 MiB.
	// An API server takes no manifest of half of that.
	DefaultMaxPropertyBytes = 4 << 20
	// DefaultMaxNameBytes is the default of Options.MaxNameBytes: names in
	// Kubernetes have a quarter of it.
	DefaultMaxNameBytes = 1 << 10
)

// Options are the options of a reader. The zero value is the default. A limit
// of 0 stands for its default; a negative one is no limit.
type Options struct {
	// Catalog is stamped on every problem, unless it is zero.
	Catalog cache.Key
	// Strict turns the problems that were found, warnings included, into an
	// error: a [*ProblemsError].
	Strict bool
	// Parser parses the constraints of bundles; nil stands for a fresh one.
	// One that is shared compiles each rule once for all catalogs.
	Parser *constraints.Parser
	// KeepProperties are the types of properties that are kept although they
	// are large: olm.csv.metadata and olm.bundle.object, descriptions and
	// manifests which take most of the size of a catalog. They are not kept
	// unless they are named here; what they say of where a bundle runs is read
	// in any case ([graph.Bundle.Compatibility]).
	KeepProperties []string
	// DropProperties are further types of properties that are not kept. It
	// goes before KeepProperties.
	DropProperties []string
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

	// MaxBlobBytes bounds one blob. One that is larger is a problem, and is
	// skipped without ever being held in memory.
	MaxBlobBytes int64
	// MaxTotalBytes bounds the catalog as a whole, decompressed. It is what
	// stops a gzip bomb. Passing it is a [*LimitError].
	MaxTotalBytes int64
	// MaxBlobs bounds the number of blobs, of any schema. Passing it is a
	// [*LimitError].
	MaxBlobs int64
	// MaxDepth bounds how deep arrays and objects are nested in what is kept.
	MaxDepth int
	// MaxNodes bounds the number of values in one YAML document, aliases
	// expanded and merge keys applied. It is what stops a YAML bomb, together
	// with MaxBlobBytes, which bounds the document expanded.
	MaxNodes int
	// MaxItems bounds the number of properties of one bundle, of entries of one
	// channel, and of skips of one entry.
	MaxItems int
	// MaxPropertyBytes bounds one property, which is read as a whole. One that is
	// larger, and of a type that DropProperties does not name, is a problem of its
	// bundle.
	MaxPropertyBytes int
	// MaxNameBytes bounds the names of packages, channels and bundles, which
	// are repeated in whatever is said of them, as they are written in JSON.
	MaxNameBytes int
	// MaxProblems bounds how many problems are kept of one file, and how many
	// of one blob. One more problem says how many were left out. Package
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

// withDefaults fills in what is not set.
func (o Options) withDefaults() Options {
	if o.Parser == nil {
		o.Parser = constraints.NewParser()
	}
	if o.Parallel <= 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	o.MaxBlobBytes = read.LimitOf(o.MaxBlobBytes, DefaultMaxBlobBytes)
	o.MaxTotalBytes = read.LimitOf(o.MaxTotalBytes, DefaultMaxTotalBytes)
	o.MaxBlobs = read.LimitOf(o.MaxBlobs, DefaultMaxBlobs)
	o.read = read.Options{
		Catalog: o.catalog(), Exact: o.Exact, Drop: o.DropProperties,
		KeepMetadata: o.keeps(properties.TypeCSVMetadata), KeepObjects: o.keeps(properties.TypeBundleObject),
		Limits:   document.Limits{MaxBytes: o.MaxBlobBytes, MaxNodes: read.LimitOf(o.MaxNodes, DefaultMaxNodes), MaxDepth: read.LimitOf(o.MaxDepth, DefaultMaxDepth)},
		MaxItems: read.LimitOf(o.MaxItems, DefaultMaxItems), MaxNameBytes: read.LimitOf(o.MaxNameBytes, DefaultMaxNameBytes),
		MaxPropertyBytes: read.LimitOf(o.MaxPropertyBytes, DefaultMaxPropertyBytes),
		MaxProblems:      read.LimitOf(o.MaxProblems, DefaultMaxProblems),
	}
	return o
}

// keeps reports whether properties of a large type are kept.
func (o *Options) keeps(typ string) bool {
	return !slices.Contains(o.DropProperties, typ) && (o.Exact || slices.Contains(o.KeepProperties, typ))
}

// catalog returns what is stamped on problems.
func (o *Options) catalog() string {
	if o.Catalog.IsZero() {
		return ""
	}
	return o.Catalog.String()
}
