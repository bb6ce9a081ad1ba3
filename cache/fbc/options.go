package fbc

import (
	"runtime"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/cache/fbc/internal/read"
	"github.com/seed109e2655/resolute/constraints"
)

// Options are the options of a reader. The zero value is the default. A limit of 0 means its
// default; a negative one means none. The defaults are several times what published catalogs need,
// and limit the cost of an untrusted one to what a small container has.
type Options struct {
	// Catalog is set in every problem, unless it is zero.
	Catalog cache.Key
	// File is the only file of a directory tree to read, whatever its extension; it must be a
	// regular file. Empty means the whole tree. Readers of other input ignore it.
	File string
	// Strict turns problems, including warnings, into an error: a [*ProblemsError].
	Strict bool
	// Parser parses the constraints of bundles; nil means a new one. A shared one compiles each
	// rule once for all catalogs.
	Parser *constraints.Parser
	// DropProperties are types of properties to drop, in addition to olm.csv.metadata and
	// olm.bundle.object: descriptions and manifests, which take most of the size of a catalog.
	// [Blobs] has them.
	DropProperties []string
	// Metadata keeps the annotations and labels of bundles, which are in olm.csv.metadata or in
	// the ClusterServiceVersion in olm.bundle.object. Rules of a policy can refer to them; without
	// this option, such a rule forbids every bundle, because they are unknown. They may take as
	// much memory as all else of a catalog. [Write] does not write them.
	Metadata bool
	// Exact reads the output of [Write] with [WriteOptions].Exact as the original catalog: every
	// written property is kept, and problems and positions are the original ones. Any other problem
	// is an error, a [*ProblemsError]. It is for files that a program keeps for itself: such a file
	// determines the reported problems.
	Exact bool
	// Parallel is the number of reading goroutines: one for each file, or, with fewer files, for
	// parts of a file of JSON lines. 0 or less means the number of processors that Go may use.
	Parallel int
	// Progress, if not nil, is called with the progress: after each file and at intervals within
	// one. Calls come from the reading goroutines, one at a time. It must return soon, and must not
	// read a catalog itself.
	Progress func(Progress)

	read read.Options // the part of these that selects what is kept, with defaults

	// MaxBlobBytes limits one blob, by default to 32 MiB. A larger one is skipped without
	// buffering, and reported as a problem.
	MaxBlobBytes int64
	// MaxTotalBytes limits the catalog as a whole, decompressed: 2 GiB. It stops gzip bombs.
	// Exceeding it is a [*LimitError].
	MaxTotalBytes int64
	// MaxBlobs limits the number of blobs, of any schema: four million. Exceeding it is a
	// [*LimitError].
	MaxBlobs int64
	// MaxDepth limits the nesting of arrays and objects in kept values: 250.
	MaxDepth int
	// MaxNodes limits the number of values in one YAML document, after expanding aliases and
	// applying merge keys: 524288. It stops YAML bombs, together with MaxBlobBytes, which limits
	// the expanded document.
	MaxNodes int
	// MaxItems limits the properties of one bundle, the entries of one channel, and the skips of
	// one entry: 524288.
	MaxItems int
	// MaxPropertyBytes limits one property, which is read as a whole: 4 MiB; an API server accepts
	// no manifest of half that size. A larger one is a problem of its bundle, unless DropProperties
	// names its type.
	MaxPropertyBytes int
	// MaxNameBytes limits the names of packages, channels and bundles in their JSON form, because
	// messages repeat them: 1 KiB, four times the limit of Kubernetes.
	MaxNameBytes int
	// MaxProblems limits the problems kept for one file, and for one blob: 1000. One more problem
	// has the number of dropped ones. Package graph limits those of one package
	// ([graph.Options].MaxProblems).
	MaxProblems int
}

// Progress is the progress of a reader.
type Progress struct {
	// Files is the number of files to read, FilesDone of those already read.
	Files, FilesDone int
	// Bytes is the number of bytes read, decompressed.
	Bytes int64
	// Blobs is the number of blobs read, and Foreign the number of those with an unknown schema.
	Blobs, Foreign int64
}

// Limits of .indexignore files: bytes of one, and patterns of a directory, including those of its
// parents. A file over a limit is not used, and reported as a problem.
const (
	MaxIgnoreBytes = read.MaxIgnoreBytes
	MaxIgnoreRules = read.MaxIgnoreRules
)

// WithDefaults returns the options with defaults for limits that are 0, and very large numbers for
// negative ones.
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

// prepared sets the defaults.
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

// catalog returns the catalog set in problems.
func (o *Options) catalog() string {
	if o.Catalog.IsZero() {
		return ""
	}
	return o.Catalog.String()
}
