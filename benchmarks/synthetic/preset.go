package synthetic

import "slices"

type preset struct {
	name string
	cfg  Config
}

// presets lists the presets in the order of their documentation.
func presets() []preset {
	return []preset{
		{"random", Config{Packages: 1000, Versions: 10, Fanout: 2, Window: 60, RangeShare: 1, GVKShare: 1}},
		{"chain", Config{Packages: 1000, Versions: 10, Fanout: 1, Window: 1, RangeShare: 1, GVKShare: 1}},
		{"cel-heavy", Config{Packages: 1000, Versions: 10, Fanout: 2, Window: 60, CELShare: 1}},
		{"mixed", Config{
			Packages: 1000, Versions: 10, Catalogs: 3, Channels: 3, Fanout: 3, Window: 200, Depth: 20,
			RangeShare: 0.4, GVKShare: 0.4, CELShare: 0.1, CompoundShare: 0.1,
			SkipShare: 0.2, ConflictDensity: 0.05,
		}},
		{"diamond", Config{Shape: Diamond, Packages: 1000, Versions: 10}},
		{"phase-transition", Config{Packages: 200, Versions: 10, Fanout: 2, Cyclic: true, ConflictDensity: 0.445}},
		{"deep-conflict", Config{Shape: Deep, Packages: 200, Versions: 10, Fanout: 2}},
		{"wide-any", Config{Packages: 1000, Versions: 10, Fanout: 2, Window: 60, AnyShare: 1, AnyWidth: 40, ConflictDensity: 0.5, Contenders: 3}},
		{"gvk-contention", Config{Shape: Contention, Packages: 205, Versions: 5, Contenders: 200, AnyWidth: 15}},
		{"real-like", Config{Shape: Real, Packages: 333, Catalogs: 1, Subscriptions: 20}},
		{"fleet", Config{
			Packages: 1000, Versions: 10, Catalogs: 5, Channels: 2, Fanout: 2, Window: 60, Depth: 20,
			RangeShare: 0.6, GVKShare: 0.4, CELShare: 0.05, SkipShare: 0.1, Subscriptions: 100, Installed: 70,
		}},
	}
}

// Preset returns the settings of a name, with seed 0. Change fields as needed,
// or change the size with [Config.Sized].
//
//	random            1,000 packages of 10 versions, each bundle requiring two earlier
//	                  packages, half by range and half by GVK; a subscription to the
//	                  last package pulls in some 700 bundles without a conflict
//	chain             the same, but each bundle requires the preceding package
//	cel-heavy         like random, with CEL rules only
//	mixed             all features, over three catalogs
//	diamond           250 stacked diamonds, in each of which the newest
//	                  version of one side leaves only the oldest of the other
//	phase-transition  2,000 bundles with cyclic requirements and enough
//	                  exact versions to make about half of the seeds unsatisfiable
//	deep-conflict     2,000 bundles in two chains of fifty links that conflict at
//	                  the end for half of the seeds
//	wide-any          like random, but each requirement has 40 alternatives, and
//	                  each three packages have a common API
//	gvk-contention    200 packages with a common API, and five that must agree
//	                  on one of them, which is possible for about half of the seeds
//	real-like         the distribution of the community catalog of all OpenShift
//	                  releases, with 20 subscriptions
//	fleet             100 subscriptions, 70 of them installed, over five catalogs of two
//	                  namespaces
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
