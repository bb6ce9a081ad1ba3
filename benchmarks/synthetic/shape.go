package synthetic

import (
	"maps"
	"slices"
)

// Shape says what requires what.
type Shape string

// The shapes. Fields of a Config that a shape does not speak of mean the same
// for all of them.
const (
	// Graph draws for each bundle Fanout packages that it requires, as Window,
	// Depth and Cyclic say.
	Graph Shape = "graph"
	// Diamond stacks diamonds of four packages: the top requires left and right,
	// and both require the bottom, which requires the top of the diamond below.
	// The newer left is, the newer a bottom it wants, and the newer right is, the
	// older: the newest left leaves only the oldest right. It needs four packages
	// and ignores what is said of requirements.
	Diamond Shape = "diamond"
	// Deep hangs two chains from the last package that end in the same one, the
	// first. The left chain carries upper bounds down, the right chain lower ones,
	// loosely at each step; whether they can meet shows only at the end. They
	// cannot for about half of the seeds. Every second package is by the way: the
	// links require Fanout of them as Graph would. It needs seven packages.
	Deep Shape = "deep"
	// Contention has Contenders packages (default 200) provide one API, and lets
	// the others, its consumers, each accept AnyWidth of them, drawn anew for each
	// version. A request asks for all consumers, and they have to agree on one. It
	// needs a package more than there are contenders.
	Contention Shape = "contention"
	// Real draws all numbers from what was counted on a real catalog, see
	// [Preset]. It ignores Versions, Channels, SkipShare and all that is said of
	// requirements.
	Real Shape = "real"
)

// maker makes the packages of one shape.
type maker struct {
	least func(Config) int
	make  func(*Generator, *Package)
	roots func(*Generator) []int // what requests ask for, best first
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
