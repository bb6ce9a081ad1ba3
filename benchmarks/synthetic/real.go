package synthetic

// Shape Real uses these statistics of the community catalog of all OpenShift
// releases: 333 packages, 654 channels, 7,016 bundles.
//
//	versions of a package       min 1, first quartile 4, median 11,
//	                            third quartile 29, 90th percentile 54, max 222; mean 21.1
//	channels of a package       1: 243, 2: 41, 3: 22, 4 or 5: 6, 6 to 9: 12, more: 9, up to 38
//	a further channel lists     17% of the package's bundles at the median, 48% at the third quartile
//	APIs of a package           none: 6, first quartile 1, median 2, third quartile 5,
//	                            90th percentile 11, max 53; mean 4.5
//	shared APIs                 15 of 1,657, each by two packages
//	packages with requirements  22 of 333, with 1.5 per bundle that has any;
//	                            131 by package, 129 by GVK, 1 by `any`
//	ranges                      60% ">=", 30% a single version, 10% "<="
//	packages with skipRange     40 of 333, on 3/4 of their entries
//	packages with skips         18 of 333, on a third of their entries, 2.8 bundles each
//
// Defects of that catalog (channels of several heads, unsatisfiable
// requirements) are omitted: other benchmarks use the catalog itself.

// realVersions is the mean number of versions in the table below.
const realVersions = 21.4

// point is a point of a distribution: the share of values below value.
type point struct {
	share float64
	value int
}

func realVersionTable() []point {
	return []point{{0, 1}, {0.05, 1}, {0.1, 2}, {0.2, 3}, {0.25, 4}, {0.3, 5}, {0.4, 8}, {0.5, 11}, {0.6, 15},
		{0.7, 23}, {0.75, 29}, {0.8, 35}, {0.85, 45}, {0.9, 54}, {0.95, 73}, {0.98, 94}, {0.99, 119}, {1, 222}}
}

func realAPITable() []point {
	return []point{{0, 0}, {0.02, 1}, {0.4, 1}, {0.5, 2}, {0.6, 3}, {0.7, 4}, {0.75, 5}, {0.8, 6}, {0.85, 8},
		{0.9, 11}, {0.95, 16}, {0.98, 28}, {0.99, 33}, {1, 53}}
}

func realChannelTable() []point {
	return []point{{0, 1}, {0.73, 1}, {0.731, 2}, {0.853, 2}, {0.854, 3}, {0.919, 3}, {0.937, 5}, {0.973, 9}, {1, 38}}
}

// from draws a number from a distribution, with linear interpolation.
func (d draw) from(table []point) int {
	at := float64(d.pcg.Uint64()>>11) / (1 << 53)
	for i := 1; i < len(table); i++ {
		if a, b := table[i-1], table[i]; at < b.share {
			return a.value + int((at-a.share)/(b.share-a.share)*float64(b.value-a.value)+0.5)
		}
	}
	return table[len(table)-1].value
}

// real makes a package of shape Real. Its versions and APIs, which other
// packages need, have a random source of their own.
func (g *Generator) real(p *Package) {
	versions, apis := g.realSize(p.Number)
	d := newDraw(g.cfg.Seed, p.Number)
	p.addBundles(versions)
	p.APIs = g.realAPIs(d, p.Number, apis)
	p.Channels = realChannels(d, versions)
	if p.Number == 0 || !d.chance(22.0/333) {
		return
	}
	targets := d.distinct(1+d.below(2), 0, p.Number)
	byAny := d.chance(1.0 / 22)
	for v := range p.Bundles {
		for i, target := range targets {
			r := g.realRequirement(d, target)
			if byAny && i == 0 {
				r = Requirement{Kind: ByAny, Target: target, Range: ">=" + versionName(0),
					Others: []Alternative{{d.below(p.Number), ">=" + versionName(0)}}}
			}
			p.Bundles[v].Requires = append(p.Bundles[v].Requires, r)
		}
	}
}

func (g *Generator) realSize(number int) (versions, apis int) {
	d := newDraw(^g.cfg.Seed, number)
	return d.from(realVersionTable()), d.from(realAPITable())
}

// realAPIs returns the APIs of a package: its own, and rarely one of an
// earlier package.
func (g *Generator) realAPIs(d draw, number, n int) []API {
	var out []API
	for i := range n {
		api := ownAPI(number)
		if i > 0 {
			api.Kind += "Part" + versionName(i)[2:3]
			api.Group = versionName(i)[2:] + "." + api.Group
		}
		if number > 0 && i > 0 && d.chance(15.0/1657) {
			if other := d.below(number); g.hasAPI(other) {
				api = ownAPI(other)
			}
		}
		out = append(out, api)
	}
	return out
}

// hasAPI reports whether a package of shape Real provides its own first API.
func (g *Generator) hasAPI(number int) bool {
	_, apis := g.realSize(number)
	return apis > 0
}

func (g *Generator) realRequirement(d draw, target int) Requirement {
	r := Requirement{Kind: ByRange, Target: target}
	if d.chance(0.5) && g.hasAPI(target) {
		r.Kind = ByGVK
		return r
	}
	versions, _ := g.realSize(target)
	r.Range = versionName(d.below(versions))
	switch kind := d.below(10); {
	case kind < 6:
		r.Range = ">=" + r.Range
	case kind == 6:
		r.Range = "<=" + r.Range
	}
	return r
}

// realChannels lists all versions in the default channel, and some of them in
// further ones.
func realChannels(d draw, versions int) []Channel {
	channels := make([]Channel, d.from(realChannelTable()))
	ranged, skips := d.chance(40.0/333), d.chance(18.0/333)
	for i := range channels {
		listed := versions
		if i > 0 {
			share := float64(d.below(100)) / 100
			listed = max(1, int(share*share*float64(versions)))
		}
		channels[i] = newChannel(i, listed)
		for v := range channels[i].Entries {
			e := &channels[i].Entries[v]
			if ranged && v > 0 && d.chance(0.75) {
				e.SkipRange = ">=" + versionName(max(0, v-10)) + " <" + versionName(v)
			}
		}
		if skips {
			skipSome(d, &channels[i])
		}
	}
	return channels
}

// skipSome makes about one entry in three skip up to five entries below it;
// the replaces of skipped entries no longer matter.
func skipSome(d draw, c *Channel) {
	for v := len(c.Entries) - 1; v > 1; v-- {
		if !d.chance(0.33) {
			continue
		}
		n := min(1+d.below(5), v-1)
		e := &c.Entries[v]
		for i := range n {
			e.Skips = append(e.Skips, v-1-i)
		}
		e.Replaces = v - 1 - n
		v -= n
	}
}
