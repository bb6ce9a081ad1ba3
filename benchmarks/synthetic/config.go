package synthetic

import (
	"fmt"
	"math"
)

// Config says what to make. Shares are between 0 and 1. A field that is zero
// takes the default that is given with it.
type Config struct {
	Seed     uint64 // any number; another seed, another instance
	Packages int    // over all catalogs; default 100
	Versions int    // of each package: 1.0.0, 1.1.0, and so on; default 5
	Catalogs int    // the packages are dealt to them in turn; default 1

	// Channels is the number of channels of each package, default 1. The first
	// is the default channel and has every version; each further one ends some
	// versions earlier. At most Versions.
	Channels int

	// Fanout is the number of different packages that each bundle requires,
	// default 0. The first packages require fewer, for want of earlier ones.
	Fanout int
	// Window is how far back a bundle looks for what it requires: at most this
	// many packages before its own. Default 0: to the very first.
	Window int
	// Depth, if not 0, cuts the packages into that many layers of equal size. A
	// bundle requires only from lower layers, so no chain of requirements has
	// more than Depth packages.
	Depth int

	// How a requirement is put. These are relative weights: {RangeShare: 1,
	// GVKShare: 1} means half by range and half by GVK. All zero: by range only.
	RangeShare    float64 // olm.package.required: a range that the newest version meets
	GVKShare      float64 // olm.gvk.required: the API that all versions provide
	CELShare      float64 // olm.constraint with a CEL rule for name and version
	CompoundShare float64 // olm.constraint with `all` and `any`, by turns, of the above

	// SkipShare is the share of channel entries below the head that the entry
	// above skips, so that they are no candidates.
	SkipShare float64
	// ConflictDensity is the share of requirements which name versions (all kinds
	// but GVK) that accept a single one, drawn from those that can be chosen. Two
	// of them for one package are at odds more often than not. With 0 the newest
	// version of everything always fits.
	ConflictDensity float64
}

func (c Config) withDefaults() Config {
	def := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	def(&c.Packages, 100)
	def(&c.Versions, 5)
	def(&c.Catalogs, 1)
	def(&c.Channels, 1)
	if c.RangeShare == 0 && c.GVKShare == 0 && c.CELShare == 0 && c.CompoundShare == 0 {
		c.RangeShare = 1
	}
	return c
}

// check returns an error that names the field that makes no sense.
func (c Config) check() error {
	for _, f := range []struct {
		name  string
		value int
		least int
	}{
		{"Packages", c.Packages, 1},
		{"Versions", c.Versions, 1},
		{"Catalogs", c.Catalogs, 1},
		{"Channels", c.Channels, 1},
		{"Fanout", c.Fanout, 0},
		{"Window", c.Window, 0},
		{"Depth", c.Depth, 0},
	} {
		if f.value < f.least {
			return fmt.Errorf("synthetic: %s is %d, it must be at least %d", f.name, f.value, f.least)
		}
	}
	if c.Channels > c.Versions {
		return fmt.Errorf("synthetic: %d channels need as many versions, there are %d", c.Channels, c.Versions)
	}
	for _, f := range []struct {
		name  string
		value float64
		most  float64
	}{
		{"RangeShare", c.RangeShare, math.MaxFloat64},
		{"GVKShare", c.GVKShare, math.MaxFloat64},
		{"CELShare", c.CELShare, math.MaxFloat64},
		{"CompoundShare", c.CompoundShare, math.MaxFloat64},
		{"SkipShare", c.SkipShare, 1},
		{"ConflictDensity", c.ConflictDensity, 1},
	} {
		if !(f.value >= 0 && f.value <= f.most) { // also refuses NaN
			return fmt.Errorf("synthetic: %s is %v, it must be a number from 0 to 1", f.name, f.value)
		}
	}
	return nil
}
