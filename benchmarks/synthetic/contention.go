package synthetic

// contenders returns the number of packages that provide the common API.
func (c Config) contenders() int {
	if c.Contenders > 0 {
		return c.Contenders
	}
	return 200
}

// contention makes a package of shape Contention: contenders first, then their
// consumers.
func (g *Generator) contention(p *Package) {
	n := g.cfg.contenders()
	p.Channels = g.channels(p.Number)
	p.addBundles(g.cfg.Versions)
	if p.Number < n {
		p.APIs = []API{ownAPI(p.Number), sharedAPI(0)}
		return
	}
	p.APIs = []API{ownAPI(p.Number)}
	d := newDraw(g.cfg.Seed, p.Number)
	for v := range p.Bundles {
		accepted := d.distinct(g.cfg.AnyWidth, 0, n)
		r := Requirement{Kind: ByAny, Target: accepted[0], Range: g.versionRange(d, accepted[0])}
		for _, target := range accepted[1:] {
			r.Others = append(r.Others, Alternative{target, g.versionRange(d, target)})
		}
		p.Bundles[v].Requires = []Requirement{r}
	}
}

// consumers returns the packages that are not contenders.
func (g *Generator) consumers() []int {
	var roots []int
	for n := g.cfg.Packages - 1; n >= g.cfg.contenders(); n-- {
		roots = append(roots, n)
	}
	return roots
}
