package synthetic

import (
	"maps"
	"slices"
)

// Shape is the structure of the requirements.
type Shape string

// The shapes. Config fields that a shape does not mention have the same
// meaning for all.
const (
	// Graph draws Fanout required packages for each bundle, within Window,
	// Depth and Cyclic.
	Graph Shape = "graph"
	// Diamond stacks diamonds of four packages: the top requires left and
	// right, and both require the bottom, which requires the top of the
	// diamond below. Newer versions of left require a newer bottom, newer
	// versions of right an older one: the newest left leaves only the oldest
	// right. It needs four packages and ignores the fields for requirements.
	Diamond Shape = "diamond"
	// Deep has two chains from the last package to a common end, the first.
	// The left chain propagates upper bounds, the right chain lower ones,
	// loosely at each step; only the end shows whether they conflict. They do
	// for about half of the seeds. Every second package is a filler: the links
	// require Fanout of them as in Graph. It needs seven packages.
	Deep Shape = "deep"
	// Contention has Contenders packages (default 200) with a common API, and
	// consumers that each accept AnyWidth of them, drawn for each version. A
	// request subscribes to all consumers, which must agree on one contender.
	// It needs at least one consumer.
	Contention Shape = "contention"
	// Real draws all numbers from the statistics of a real catalog, see
	// [Preset]. It ignores Versions, Channels, SkipShare and the fields for
	// requirements.
	Real Shape = "real"
)

// maker generates the packages of one shape.
type maker struct {
	minPackages func(Config) int
	make        func(*Generator, *Package)
	roots       func(*Generator) []int // the subscribed packages, best first
}

func shapes() map[Shape]maker {
	return map[Shape]maker{
		Graph:      {one, (*Generator).graph, (*Generator).spreadRoots},
		Diamond:    {func(Config) int { return 4 }, (*Generator).diamond, (*Generator).diamondRoots},
		Deep:       {func(Config) int { return 7 }, (*Generator).deep, (*Generator).spreadRoots},
		Contention: {func(c Config) int { return c.contenders() + 1 }, (*Generator).contention, (*Generator).consumers},
		Real:       {one, (*Generator).real, (*Generator).spreadRoots},
	}
}

func one(Config) int { return 1 }

// Shapes returns all shapes, in ascending order.
func Shapes() []Shape { return slices.Sorted(maps.Keys(shapes())) }
