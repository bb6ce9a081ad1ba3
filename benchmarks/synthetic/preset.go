package synthetic

import "slices"

// presets, in the order of Presets.
func presets() []struct {
	name string
	cfg  Config
} {
	return []struct {
		name string
		cfg  Config
	}{
		{"random", Config{Packages: 1000, Versions: 10, Fanout: 2, Window: 60, RangeShare: 1, GVKShare: 1}},
		{"chain", Config{Packages: 1000, Versions: 10, Fanout: 1, Window: 1, RangeShare: 1, GVKShare: 1}},
		{"cel-heavy", Config{Packages: 1000, Versions: 10, Fanout: 2, Window: 60, CELShare: 1}},
		{"mixed", Config{
			Packages: 1000, Versions: 10, Catalogs: 3, Channels: 3, Fanout: 3, Window: 200, Depth: 20,
			RangeShare: 0.4, GVKShare: 0.4, CELShare: 0.1, CompoundShare: 0.1,
			SkipShare: 0.2, ConflictDensity: 0.05,
		}},
	}
}

// Preset returns settings that have a name, with seed 0. Change fields at will,
// for example Packages for another size.
//
//	random     1,000 packages of 10 versions, each bundle requiring two earlier
//	           packages, half by range and half by GVK; a subscription to the
//	           last package pulls in some 700 bundles without any conflict
//	chain      the same, but each bundle requires the package just before
//	cel-heavy  like random, with CEL rules only
//	mixed      a little of everything, over three catalogs
func Preset(name string) (cfg Config, ok bool) {
	for _, p := range presets() {
		if p.name == name {
			return p.cfg, true
		}
	}
	return Config{}, false
}

// Presets returns the names that Preset knows, sorted.
func Presets() []string {
	var names []string
	for _, p := range presets() {
		names = append(names, p.name)
	}
	slices.Sort(names)
	return names
}
