package synthetic

// The number of a package of shape Deep determines its role: 0 is the common
// end of both chains; the last one is their common beginning; otherwise 1
// modulo 4 is a link of the left chain, 3 modulo 4 of the right chain, and
// even numbers are fillers.

// deep makes a package of shape Deep.
func (g *Generator) deep(p *Package) {
	p.Channels = []Channel{newChannel(0, g.cfg.Versions)}
	p.addBundles(g.cfg.Versions)
	last := g.cfg.Packages - 1
	if p.Number == last {
		g.deepRoot(p)
		return
	}
	if p.Number%2 == 0 {
		return
	}
	d := newDraw(g.cfg.Seed, p.Number)
	left := p.Number%4 == 1
	for v := range p.Bundles {
		b := &p.Bundles[v]
		b.Requires = append(b.Requires, Requirement{Kind: ByRange, Target: max(0, p.Number-4), Range: g.step(v, left)})
		g.addFillers(d, p, v)
	}
}

// step returns the range that a link requires of the one below: its own
// version or the next one, down on the left and up on the right.
func (g *Generator) step(v int, left bool) string {
	lo, hi := v, min(v+1, g.cfg.Versions-1)
	if left {
		lo, hi = max(v-1, 0), v
	}
	return ">=" + versionName(lo) + " <=" + versionName(hi)
}

// addFillers adds requirements of filler packages.
func (g *Generator) addFillers(d draw, p *Package, version int) {
	for _, half := range d.distinct(g.cfg.Fanout, 1, (g.cfg.Packages-1)/2) {
		r := Requirement{Kind: ByRange, Target: 2 * half, Range: ">=" + versionName(d.below(g.cfg.Versions))}
		p.Bundles[version].Requires = append(p.Bundles[version].Requires, r)
	}
}

// deepRoot makes the package that requires both chains. The left one may begin
// only below the middle, the right one only above it. There is a solution if
// and only if the halves share a version.
func (g *Generator) deepRoot(p *Package) {
	middle := g.cfg.Versions / 2
	low := middle - 1
	if newDraw(g.cfg.Seed, p.Number).chance(0.5) {
		low = middle
	}
	left, right := topLink(p.Number, 1), topLink(p.Number, 3)
	for v := range p.Bundles {
		p.Bundles[v].Requires = []Requirement{
			{Kind: ByRange, Target: left, Range: "<=" + versionName(max(low, 0))},
			{Kind: ByRange, Target: right, Range: ">=" + versionName(middle)},
		}
	}
}

// topLink returns the largest number below n with that remainder modulo 4.
func topLink(n, remainder int) int {
	return (n-1-remainder)/4*4 + remainder
}
