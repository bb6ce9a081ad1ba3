package synthetic

// Config configures an instance. Shares are between 0 and 1. A zero field
// means the documented default. [New] rejects invalid values.
type Config struct {
	Seed     uint64 // any number
	Shape    Shape  // structure of the requirements; default Graph
	Packages int    // of all catalogs; default 100, at most 10,000,000
	// Versions of each package: 1.0.0, 1.1.0, and so on; default 5, at most
	// 1,000. Shape Real draws them instead, see [Config.Sized].
	Versions int
	Catalogs int // packages are distributed round-robin; default 1, at most 1,000

	// Channels is the number of channels of each package, default 1. The first
	// is the default channel and has every version; each further one ends some
	// versions earlier. At most Versions.
	Channels int

	// Fanout is the number of different packages that each bundle requires,
	// default 0, at most 1,000. The first packages require fewer because there
	// are not enough earlier ones.
	Fanout int
	// Window limits requirements to this many preceding packages. Default 0:
	// all preceding ones.
	Window int
	// Depth, if not 0, divides the packages into that many layers of equal
	// size. A bundle requires only from lower layers, so no chain of
	// requirements has more than Depth packages.
	Depth int
	// Cyclic lets bundles require later packages as well. Window and Depth
	// must be 0.
	Cyclic bool

	// The kinds of requirements, as relative weights: {RangeShare: 1,
	// GVKShare: 1} means half by range and half by GVK. All zero: by range
	// only.
	RangeShare    float64 // olm.package.required: a range that contains the newest version
	GVKShare      float64 // olm.gvk.required: the API that all versions provide
	CELShare      float64 // olm.constraint with a CEL rule for name and version
	CompoundShare float64 // olm.constraint with `all` and `any`, alternating, of the above
	AnyShare      float64 // olm.constraint with `any` alone
	// AnyWidth is the number of alternatives of each `any`, alternating
	// between a range of one package and the API of another; default 2, at
	// most 1,000.
	AnyWidth int

	// SkipShare is the share of channel entries below the head that the entry
	// above skips, so that they are not candidates.
	SkipShare float64
	// ConflictDensity is the share of requirements on versions (all kinds but
	// GVK) that accept a single candidate version. Two of them for one package
	// usually conflict. With 0 the newest version of everything always fits.
	ConflictDensity float64
	// Contenders makes each run of that many packages, beginning with the
	// first, provide a common API, so that at most one package of a run can be
	// installed; they are required by that API. Default 0: every package has
	// an API of its own, without clashes.
	Contenders int

	// Subscriptions is the number of subscriptions of [Generator.Scenario],
	// default 1: to the last package, or else to packages spread evenly, the
	// last one first. Shape Contention subscribes to its consumers instead.
	Subscriptions int
	// Installed is the number of these that are installed, each one edge below
	// the head of its default channel; at most Subscriptions. Their
	// dependencies are not installed.
	Installed int
	// Reach, if not 0, limits requests to packages below that number: the
	// request of a catalog of Reach packages, applied to a larger one.
	Reach int
}

// Bundles returns the number of bundles in all catalogs of the configuration;
// approximate for shape Real.
func (c Config) Bundles() int {
	c = c.withDefaults()
	if c.Shape == Real {
		return int(float64(c.Packages) * realVersions)
	}
	return c.Packages * c.Versions
}

// Sized returns the configuration with enough packages for about that many
// bundles, and at least the minimum of its shape. Several subscriptions and
// their installed bundles scale proportionally.
func (c Config) Sized(bundles int) Config {
	before := c.withDefaults()
	per := float64(before.Versions)
	if before.Shape == Real {
		per = realVersions
	}
	minPackages := 1
	if s, ok := shapes()[before.Shape]; ok {
		minPackages = s.minPackages(c)
	}
	c.Packages = max(minPackages, int(float64(bundles)/per))
	if before.Subscriptions > 1 {
		share := float64(c.Packages) / float64(before.Packages)
		c.Subscriptions = min(c.Packages, max(1, int(float64(before.Subscriptions)*share)))
		c.Installed = min(c.Subscriptions, int(float64(before.Installed)*share))
	}
	return c
}

func (c Config) withDefaults() Config {
	def := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	if c.Shape == "" {
		c.Shape = Graph
	}
	def(&c.Packages, 100)
	def(&c.Versions, 5)
	def(&c.Catalogs, 1)
	def(&c.Channels, 1)
	def(&c.AnyWidth, 2)
	def(&c.Subscriptions, 1)
	if c.RangeShare == 0 && c.GVKShare == 0 && c.CELShare == 0 && c.CompoundShare == 0 && c.AnyShare == 0 {
		c.RangeShare = 1
	}
	return c
}
