package synthetic

import (
	"fmt"
	"math"
	"slices"
)

// Limits of a Config, to avoid overflow and excessive disk use.
const (
	maxPackages = 10_000_000
	maxBundles  = 100_000_000
	maxVersions = 1000
	maxWidth    = 1000
)

// check returns an error that names an invalid field.
func (c Config) check() error {
	if !slices.Contains(Shapes(), c.Shape) {
		return fmt.Errorf("synthetic: unknown shape %q; shapes: %v", c.Shape, Shapes())
	}
	for _, f := range []struct {
		name            string
		value, min, max int
	}{
		{"Packages", c.Packages, 1, maxPackages},
		{"Versions", c.Versions, 1, maxVersions},
		{"Catalogs", c.Catalogs, 1, maxWidth},
		{"Channels", c.Channels, 1, maxVersions},
		{"Fanout", c.Fanout, 0, maxWidth},
		{"Window", c.Window, 0, maxPackages},
		{"Depth", c.Depth, 0, maxPackages},
		{"AnyWidth", c.AnyWidth, 1, maxWidth},
		{"Contenders", c.Contenders, 0, maxPackages},
		{"Reach", c.Reach, 0, c.Packages},
		{"Subscriptions", c.Subscriptions, 1, c.reach()},
		{"Installed", c.Installed, 0, c.Subscriptions},
	} {
		if f.value < f.min {
			return fmt.Errorf("synthetic: %s is %d, it must be at least %d", f.name, f.value, f.min)
		}
		if f.value > f.max {
			return fmt.Errorf("synthetic: %s is %d, it must be at most %d", f.name, f.value, f.max)
		}
	}
	if err := c.checkShares(); err != nil {
		return err
	}
	return c.checkTogether()
}

func (c Config) checkShares() error {
	for _, f := range []struct {
		name  string
		value float64
		max   float64
	}{
		{"RangeShare", c.RangeShare, math.MaxFloat64},
		{"GVKShare", c.GVKShare, math.MaxFloat64},
		{"CELShare", c.CELShare, math.MaxFloat64},
		{"CompoundShare", c.CompoundShare, math.MaxFloat64},
		{"AnyShare", c.AnyShare, math.MaxFloat64},
		{"SkipShare", c.SkipShare, 1},
		{"ConflictDensity", c.ConflictDensity, 1},
	} {
		if !(f.value >= 0 && f.value <= f.max) { // also rejects NaN
			return fmt.Errorf("synthetic: %s is %v, it must be a number from 0 to 1", f.name, f.value)
		}
	}
	return nil
}

// checkTogether checks the combination of fields.
func (c Config) checkTogether() error {
	if c.Bundles() > maxBundles {
		return fmt.Errorf("synthetic: %d packages of %d versions exceed %d bundles", c.Packages, c.Versions, maxBundles)
	}
	if c.Channels > c.Versions {
		return fmt.Errorf("synthetic: %d channels need as many versions, but there are %d", c.Channels, c.Versions)
	}
	if c.Cyclic && (c.Window > 0 || c.Depth > 0) {
		return fmt.Errorf("synthetic: with Cyclic, Window and Depth must be 0")
	}
	if minPackages := shapes()[c.Shape].minPackages(c); c.Packages < minPackages {
		return fmt.Errorf("synthetic: Packages is %d, shape %s needs at least %d", c.Packages, c.Shape, minPackages)
	}
	return nil
}

// reach is the number of packages that a request can name.
func (c Config) reach() int {
	if c.Reach > 0 {
		return min(c.Reach, c.Packages)
	}
	return c.Packages
}
