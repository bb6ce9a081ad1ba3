package synthetic

import (
	"slices"
	"strconv"
)

// Generator generates the packages of one Config. It is immutable and safe for
// concurrent use.
type Generator struct {
	cfg   Config
	shape maker
}

// New returns the Generator of cfg, or an error that names an invalid field.
func New(cfg Config) (*Generator, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Generator{cfg: cfg, shape: shapes()[cfg.Shape]}, nil
}

// Config returns the settings with defaults filled in.
func (g *Generator) Config() Config { return g.cfg }

// Package returns the package with that number, which must be at least 0 and
// below Config.Packages.
func (g *Generator) Package(number int) Package {
	p := Package{
		Number:  number,
		Name:    PackageName(number),
		Catalog: number % g.cfg.Catalogs,
		APIs:    []API{ownAPI(number)},
	}
	if g.cfg.Contenders > 0 {
		p.APIs = append(p.APIs, sharedAPI(number/g.cfg.Contenders))
	}
	g.shape.make(g, &p)
	return p
}

// addBundles adds versions to a package, without requirements.
func (p *Package) addBundles(versions int) {
	p.Bundles = make([]Bundle, versions)
	for v := range p.Bundles {
		p.Bundles[v] = Bundle{Name: bundleName(p.Name, v), Version: versionName(v)}
	}
}

// graph makes a package of shape Graph.
func (g *Generator) graph(p *Package) {
	d := newDraw(g.cfg.Seed, p.Number)
	p.Channels = g.channels(p.Number)
	p.addBundles(g.cfg.Versions)
	for v := range p.Bundles {
		g.require(d, p, v)
	}
}

// require draws the requirements of a bundle.
func (g *Generator) require(d draw, p *Package, version int) {
	lo, hi := g.reach(p.Number)
	b := &p.Bundles[version]
	for i, target := range d.distinct(g.cfg.Fanout, lo, hi) {
		ordinal := (uint64(p.Number)*uint64(g.cfg.Versions)+uint64(version))*uint64(g.cfg.Fanout) + uint64(i)
		b.Requires = append(b.Requires, g.requirement(d, p.Number, ordinal, target, lo, hi))
	}
}

// reach returns the packages lo to hi-1 that the bundles of a package may
// require. With Cyclic, the package itself is not counted, see past.
func (g *Generator) reach(number int) (lo, hi int) {
	if g.cfg.Cyclic {
		return 0, g.cfg.Packages - 1
	}
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

// past converts a number of reach to a package number, skipping the requiring
// package.
func (g *Generator) past(own, number int) int {
	if g.cfg.Cyclic && number >= own {
		return number + 1
	}
	return number
}

// requirement makes the requirement for the target with that ordinal in the
// whole instance.
func (g *Generator) requirement(d draw, own int, ordinal uint64, target, lo, hi int) Requirement {
	r := Requirement{Kind: g.kind(ordinal), Target: g.past(own, target)}
	switch r.Kind {
	case ByGVK:
	case ByAny:
		for i := range g.cfg.AnyWidth - 1 {
			a := Alternative{Target: g.past(own, lo+d.below(hi-lo))}
			if i%2 == 1 {
				a.Range = g.versionRange(d, a.Target)
			}
			r.Others = append(r.Others, a)
		}
		r.Range = g.versionRange(d, r.Target)
	default:
		r.Range = g.versionRange(d, r.Target)
	}
	return r
}

func (g *Generator) kind(ordinal uint64) Kind {
	c := g.cfg
	at := spread(ordinal) * (c.RangeShare + c.GVKShare + c.CELShare + c.CompoundShare + c.AnyShare)
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

// versionRange returns a range of the target's versions: a single version with
// probability ConflictDensity, otherwise all from one version on.
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
		out = slices.DeleteFunc(out, func(v int) bool { return slices.Contains(e.Skips, v) })
	}
	return out
}

// channels makes the channels of a package. They have a random source of their
// own, so that choosable does not need the bundles.
func (g *Generator) channels(number int) []Channel {
	d := newDraw(^g.cfg.Seed, number)
	skipped := make([]bool, g.cfg.Versions)
	for v := g.cfg.Versions - 2; v > 0; v-- {
		skipped[v] = !skipped[v+1] && d.chance(g.cfg.SkipShare)
	}
	channels := make([]Channel, g.cfg.Channels)
	for i := range channels {
		last := (g.cfg.Versions*(g.cfg.Channels-i) - 1) / g.cfg.Channels
		channels[i] = newChannel(i, last+1)
		for v := 2; v <= last; v++ {
			if e := &channels[i].Entries[v]; skipped[v-1] {
				e.Replaces, e.Skips = v-2, []int{v - 1}
			}
		}
	}
	return channels
}

// newChannel returns the channel of that index, in which each version replaces
// the previous one.
func newChannel(index, versions int) Channel {
	c := Channel{Name: "stable", Entries: make([]Entry, versions)}
	if index > 0 {
		c.Name += "-" + strconv.Itoa(index)
	}
	for v := range c.Entries {
		c.Entries[v] = Entry{Version: v, Replaces: v - 1}
	}
	return c
}

// api returns the API that requirements of a package use.
func (g *Generator) api(number int) API {
	if g.cfg.Contenders > 0 {
		return sharedAPI(number / g.cfg.Contenders)
	}
	return ownAPI(number)
}

// Pulls returns the numbers of the packages that the newest bundle of a
// package transitively requires if the newest bundle of each is selected,
// including itself; for ByAny only the target. They are in ascending order.
//
// If ConflictDensity, CompoundShare, AnyShare and Contenders are 0, a
// subscription to a package of shape Graph on an empty cluster gives exactly
// their newest bundles.
func (g *Generator) Pulls(number int) []int {
	in := map[int]bool{number: true}
	out := []int{number}
	for i := 0; i < len(out); i++ {
		bundles := g.Package(out[i]).Bundles
		for _, r := range bundles[len(bundles)-1].Requires {
			if !in[r.Target] {
				in[r.Target] = true
				out = append(out, r.Target)
			}
		}
	}
	slices.Sort(out)
	return out
}
