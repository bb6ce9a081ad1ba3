package synthetic

import (
	"fmt"
	"slices"
	"strconv"
)

// Kind is the way in which a requirement is put.
type Kind string

// The kinds of requirement.
const (
	ByRange Kind = "range" // olm.package.required
	ByGVK   Kind = "gvk"   // olm.gvk.required
	ByCEL   Kind = "cel"   // olm.constraint with cel
	ByAll   Kind = "all"   // olm.constraint with all: range and GVK
	ByAny   Kind = "any"   // olm.constraint with any: range of one package, GVK of another
)

// Package is one package: what olm.package, its channels and bundles say.
type Package struct {
	Number   int // from 0
	Name     string
	Catalog  int // the catalog that offers it, from 0
	Channels []Channel
	Bundles  []Bundle // oldest first
}

// Channel is one channel of a package. The first one is the default.
type Channel struct {
	Name    string
	Entries []Entry // oldest first
}

// Entry is a bundle's place in a channel.
type Entry struct {
	Version  int // index into Package.Bundles
	Replaces int // index of the bundle replaced, or -1
	Skips    int // index of the bundle skipped, or -1
}

// Bundle is one version of a package.
type Bundle struct {
	Name     string
	Version  string // 1.0.0, 1.1.0, and so on
	Requires []Requirement
}

// Requirement is one constraint of a bundle.
type Requirement struct {
	Kind   Kind
	Target int    // number of the package required
	Range  string // versions of the target that will do; empty for ByGVK
	Other  int    // ByAny only: number of the package whose API will do instead
}

// Generator makes the packages of one Config. It is immutable and safe for
// concurrent use.
type Generator struct {
	cfg Config
}

// New returns the Generator of cfg, or an error that names a field which makes
// no sense.
func New(cfg Config) (*Generator, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Generator{cfg: cfg}, nil
}

// Config returns the settings, defaults filled in.
func (g *Generator) Config() Config { return g.cfg }

// PackageName returns the name of the package with that number.
func PackageName(number int) string { return fmt.Sprintf("pkg-%06d", number) }

// CatalogName returns the name of the catalog with that number.
func CatalogName(number int) string { return fmt.Sprintf("catalog-%d", number) }

// Package makes the package with that number, which must be at least 0 and
// below Config.Packages.
func (g *Generator) Package(number int) Package {
	d := newDraw(g.cfg.Seed, number)
	p := Package{
		Number:  number,
		Name:    PackageName(number),
		Catalog: number % g.cfg.Catalogs,
	}
	p.Channels = g.channels(number)
	for v := range g.cfg.Versions {
		p.Bundles = append(p.Bundles, g.bundle(d, number, v))
	}
	return p
}

func (g *Generator) bundle(d draw, number, version int) Bundle {
	b := Bundle{Version: versionName(version)}
	b.Name = PackageName(number) + ".v" + b.Version
	lo, hi := g.reach(number)
	for i, target := range d.distinct(g.cfg.Fanout, lo, hi) {
		ordinal := (uint64(number)*uint64(g.cfg.Versions)+uint64(version))*uint64(g.cfg.Fanout) + uint64(i)
		b.Requires = append(b.Requires, g.requirement(d, ordinal, target, lo, hi))
	}
	return b
}

// reach returns the packages lo to hi-1 from which the bundles of a package
// may require.
func (g *Generator) reach(number int) (lo, hi int) {
	hi = number
	if g.cfg.Depth > 0 {
		size := (g.cfg.Packages + g.cfg.Depth - 1) / g.cfg.Depth
		hi = number / size * size
	}
	if g.cfg.Window > 0 {
		lo = max(0, hi-g.cfg.Window)
	}
	return lo, hi
}

// requirement makes the requirement of that ordinal, counted over the whole
// instance, for the target.
func (g *Generator) requirement(d draw, ordinal uint64, target, lo, hi int) Requirement {
	r := Requirement{Kind: g.kind(ordinal), Target: target}
	switch r.Kind {
	case ByGVK:
	case ByAny:
		r.Other = lo + d.below(hi-lo)
		r.Range = g.versionRange(d, target)
	default:
		r.Range = g.versionRange(d, target)
	}
	return r
}

func (g *Generator) kind(ordinal uint64) Kind {
	c := g.cfg
	at := spread(ordinal) * (c.RangeShare + c.GVKShare + c.CELShare + c.CompoundShare)
	switch {
	case at < c.RangeShare:
		return ByRange
	case at < c.RangeShare+c.GVKShare:
		return ByGVK
	case at < c.RangeShare+c.GVKShare+c.CELShare:
		return ByCEL
	case at < c.RangeShare+c.GVKShare+c.CELShare+c.CompoundShare/2:
		return ByAll
	default:
		return ByAny
	}
}

// versionRange returns a range of the target's versions: one of them alone in
// the share of cases that ConflictDensity gives, else all from one of them on.
func (g *Generator) versionRange(d draw, target int) string {
	if !d.chance(g.cfg.ConflictDensity) {
		return ">=" + versionName(d.below(g.cfg.Versions))
	}
	open := g.choosable(target)
	return versionName(open[d.below(len(open))])
}

// choosable returns the versions of a package that its default channel does
// not skip, oldest first.
func (g *Generator) choosable(number int) []int {
	var out []int
	for _, e := range g.channels(number)[0].Entries {
		out = append(out, e.Version)
		if e.Skips >= 0 {
			out = slices.DeleteFunc(out, func(v int) bool { return v == e.Skips })
		}
	}
	return out
}

// channels makes the channels of a package. They have chance of their own, so
// that choosable need not make the bundles as well.
func (g *Generator) channels(number int) []Channel {
	d := newDraw(^g.cfg.Seed, number)
	skipped := make([]bool, g.cfg.Versions)
	for v := g.cfg.Versions - 2; v > 0; v-- {
		skipped[v] = !skipped[v+1] && d.chance(g.cfg.SkipShare)
	}
	channels := make([]Channel, g.cfg.Channels)
	for i := range channels {
		channels[i].Name = "stable"
		if i > 0 {
			channels[i].Name += "-" + strconv.Itoa(i)
		}
		last := (g.cfg.Versions*(g.cfg.Channels-i) - 1) / g.cfg.Channels
		for v := range last + 1 {
			e := Entry{Version: v, Replaces: v - 1, Skips: -1}
			if v > 1 && skipped[v-1] {
				e.Replaces, e.Skips = v-2, v-1
			}
			channels[i].Entries = append(channels[i].Entries, e)
		}
	}
	return channels
}

// Pulls returns the numbers of the packages that the newest bundle of a package
// needs in the end when the newest bundle of each is taken: itself and what its
// requirements name, of ByAny the target only. They are in ascending order.
//
// Where ConflictDensity and CompoundShare are 0, a subscription to the package
// on an empty cluster gives exactly their newest bundles.
func (g *Generator) Pulls(number int) []int {
	in := make([]bool, number+1)
	in[number] = true
	var out []int
	for n := number; n >= 0; n-- {
		if !in[n] {
			continue
		}
		out = append(out, n)
		for _, r := range g.Package(n).Bundles[g.cfg.Versions-1].Requires {
			in[r.Target] = true
		}
	}
	slices.Reverse(out)
	return out
}

func versionName(version int) string { return "1." + strconv.Itoa(version) + ".0" }
