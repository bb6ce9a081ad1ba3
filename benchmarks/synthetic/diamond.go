package synthetic

// diamond makes a package of shape Diamond: of each four packages the first is
// the bottom, followed by left, right and top. Remaining packages at the end
// require nothing.
func (g *Generator) diamond(p *Package) {
	p.Channels = g.channels(p.Number)
	p.addBundles(g.cfg.Versions)
	bottom := p.Number / 4 * 4
	if bottom+4 > g.cfg.Packages {
		return
	}
	for v := range p.Bundles {
		b := &p.Bundles[v]
		switch p.Number - bottom {
		case 0:
			if bottom > 0 {
				b.Requires = []Requirement{{Kind: ByRange, Target: bottom - 1, Range: ">=" + versionName(0)}}
			}
		case 1:
			b.Requires = []Requirement{{Kind: ByRange, Target: bottom, Range: ">=" + versionName(v)}}
		case 2:
			b.Requires = []Requirement{{Kind: ByRange, Target: bottom, Range: "<=" + versionName(g.cfg.Versions-1-v)}}
		case 3:
			b.Requires = []Requirement{
				{Kind: ByRange, Target: bottom + 1, Range: ">=" + versionName(0)},
				{Kind: ByRange, Target: bottom + 2, Range: ">=" + versionName(0)},
			}
		}
	}
}

// diamondRoots returns tops of diamonds, spread evenly, the last one first.
func (g *Generator) diamondRoots() []int {
	roots := g.spreadRoots()
	for i, n := range roots {
		roots[i] = max(3, (n+1)/4*4-1)
	}
	return distinctInOrder(roots)
}
