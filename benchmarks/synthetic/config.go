package synthetic

// Config says what to make. Shares are between 0 and 1. A field that is zero
// takes the default that is given with it. [New] refuses what makes no sense.
type Config struct {
	Seed     uint64 // any number; another seed, another instance
	Shape    Shape  // what requires what; default Graph
	Packages int    // over all catalogs; default 100, at most 10,000,000
	// Versions of each package: 1.0.0, 1.1.0, and so on; default 5, at most
	// 1,000. Shape Real draws them instead, see [Config.Sized].
	Versions int
	Catalogs int // the packages are dealt to them in turn; default 1, at most 1,000

	// Channels is the number of channels of each package, default 1. The first
	// is the default channel and has every version; each further one ends some
	// versions earlier. At most Versions.
	Channels int

	// Fanout is the number of different packages that each bundle requires,
	// default 0, at most 1,000. The first packages require fewer, for want of
	// earlier ones.
	Fanout int
	// Window is how far back a bundle looks for what it requires: at most this
	// many packages before its own. Default 0: to the very first.
	Window int
	// Depth, if not 0, cuts the packages into that many layers of equal size. A
	// bundle requires only from lower layers, so no chain of requirements has
	// more than Depth packages.
	Depth int
	// Cyclic lets bundles require later packages as well as earlier ones. Window
	// and Depth have to be 0 then.
	Cyclic bool

	// How a requirement is put. These are relative weights: {RangeShare: 1,
	// GVKShare: 1} means half by range and half by GVK. All zero: by range only.
	RangeShare    float64 // olm.package.required: a range that the newest version meets
	GVKShare      float64 // olm.gvk.required: the API that all versions provide
	CELShare      float64 // olm.constraint with a CEL rule for name and version
	CompoundShare float64 // olm.constraint with `all` and `any`, by turns, of the above
	AnyShare      float64 // olm.constraint with `any` alone
	// AnyWidth is how many alternatives each `any` has, by turns a range of one
	// package and the API of another; default 2, at most 1,000.
	AnyWidth int

	// SkipShare is the share of channel entries below the head that the entry
	// above skips, so that they are no candidates.
	SkipShare float64
	// ConflictDensity is the share of requirements which name versions (all kinds
	// but GVK) that accept a single one, drawn from those that can be chosen. Two
	// of them for one package are at odds more often than not. With 0 the newest
	// version of everything always fits.
	ConflictDensity float64
	// Contenders makes each run of that many packages, beginning with the first,
	// provide one API together, so that at most one package of a run can be
	// installed; it is that API by which they are then required. Default 0: every
	// package has an API of its own, and no two clash.
	Contenders int

	// Subscriptions is how many packages a request of [Generator.Scenario] asks
	// for, default 1: the last package, or else packages spread evenly, the last
	// one first. Shape Contention asks for its consumers instead.
	Subscriptions int
	// Installed is how many of these are installed already, each one edge below
	// the head of its default channel; at most Subscriptions. What each of them
	// was pulled in with is not installed.
	Installed int
	// Reach, if not 0, has requests ask only for packages below that number: the
	// same request as for a catalog of Reach packages, posed to a larger one.
	Reach int
}

// Bundles returns how many bundles the catalogs of the configuration have
// together; for shape Real, about how many.
func (c Config) Bundles() int {
	c = c.withDefaults()
	if c.Shape == Real {
		return int(float64(c.Packages) * realVersions)
	}
	return c.Packages * c.Versions
}

// Sized returns the configuration with as many packages as it takes for about
// that many bundles, at least as many as its shape needs. Where it has several
// subscriptions, they and what is installed of them become more or fewer in the
// same proportion.
func (c Config) Sized(bundles int) Config {
	before := c.withDefaults()
	per := float64(before.Versions)
	if before.Shape == Real {
		per = realVersions
	}
	least := 1
	if s, ok := shapes()[before.Shape]; ok {
		least = s.least(c)
	}
	c.Packages = max(least, int(float64(bundles)/per))
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
