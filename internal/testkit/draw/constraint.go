package draw

import "github.com/seed109e2655/resolute/internal/testkit/oracle"

func (d *drawer) requires() []oracle.Constraint {
	var list []oracle.Constraint
	if d.chance(50) || d.deep && d.chance(40) {
		for range 1 + d.below(10)/7 + d.below(10)/9 {
			list = append(list, d.declared())
		}
	}
	return list
}

// declared draws a declared constraint.
func (d *drawer) declared() oracle.Constraint {
	if d.chance(40) && (!d.deep || d.chance(50)) {
		return d.plain()
	}
	return d.constraint(3)
}

// plain draws a constraint with a property type of its own.
func (d *drawer) plain() oracle.Constraint {
	c := oracle.Constraint{Plain: true}
	switch d.below(5) {
	case 0, 1:
		c.Kind, c.Name = oracle.GVK, d.kind()
	case 2, 3:
		c.Kind = oracle.Pkg
		c.Name, c.Range = d.wantedPackage()
	default:
		c.Kind, c.Name = oracle.Label, pick(d, labels)
	}
	return c
}

// kind draws an API, usually a provided one.
func (d *drawer) kind() string {
	if b := pick(d, d.sources()).bundle; d.chance(75) && len(b.Provides) > 0 {
		return pick(d, b.Provides)
	}
	return pick(d, kinds)
}

// wantedPackage draws a package and a range, usually with a match.
func (d *drawer) wantedPackage() (string, oracle.Range) {
	if d.chance(80) {
		s := pick(d, d.sources())
		op := pick(d, []string{">=", "<=", "="})
		return s.pkg.Name, oracle.Range{{{Op: op, V: s.bundle.Version}}}
	}
	return pick(d, packages), d.versionRange()
}

// constraint draws an olm.constraint with up to the given levels of compounds.
func (d *drawer) constraint(levels int) oracle.Constraint {
	var c oracle.Constraint
	if d.chance(10) {
		c.Message = "because I say so"
	}
	if levels == 0 || d.chance(35) && (levels < 3 || !d.deep) {
		d.atom(&c)
		return c
	}
	c.Kind = pick(d, []oracle.Kind{oracle.All, oracle.Any, oracle.Any, oracle.Any, oracle.Not})
	if levels == 2 && d.deep && d.chance(50) {
		c.Kind = oracle.All // usual inside an `any`
	}
	n := d.between(1, 3)
	if c.Kind != oracle.Any {
		n = d.between(1, 2)
	}
	if d.chance(4) {
		n = 0
	}
	for range n {
		c.Of = append(c.Of, d.constraint(levels-1))
	}
	return c
}

func (d *drawer) atom(c *oracle.Constraint) {
	switch d.below(8) {
	case 0, 1, 2:
		c.Kind, c.Name = oracle.GVK, d.kind()
	case 3, 4, 5:
		c.Kind = oracle.Pkg
		c.Name, c.Range = d.wantedPackage()
	default:
		r := d.rule(1)
		c.Kind, c.Rule = oracle.CEL, &r
	}
}

// versionRange draws a range over existing versions.
func (d dice) versionRange() oracle.Range {
	v := func() oracle.Version { return oracle.Version{N: d.between(1, 4), RC: d.chance(8)} }
	switch d.below(6) {
	case 0, 1:
		return oracle.Range{{{Op: ">=", V: oracle.Version{N: d.between(0, 2)}}}}
	case 2:
		return oracle.Range{{{Op: pick(d, []string{"=", "!=", "<", "<=", ">", ">="}), V: v()}}}
	case 3:
		return oracle.Range{{{Op: ">=", V: v()}, {Op: "<", V: v()}}}
	case 4:
		return oracle.Range{{{Op: "<", V: v()}}, {{Op: ">", V: v()}}}
	}
	return oracle.Range{{{Op: ">", V: v()}, {Op: "!=", V: v()}}, {{Op: "=", V: v()}}}
}

// rule draws a CEL rule with up to the given levels of operators.
func (d *drawer) rule(levels int) oracle.Rule {
	typ := func() string {
		return pick(d, []string{"certified", "tier", "olm.gvk", "olm.package", "olm.gvk.required", "olm.constraint", "nothing"})
	}
	op := func() string { return pick(d, []string{">=", "<", "==", "!=", ">", "<="}) }
	switch d.below(13) {
	case 0, 1:
		return oracle.Rule{Kind: oracle.HasType, Type: pick(d, extraTypes)}
	case 2:
		return oracle.Rule{Kind: pick(d, []oracle.RuleKind{oracle.HasType, oracle.LacksType, oracle.AllOtherTypes}), Type: typ()}
	case 3:
		return oracle.Rule{Kind: oracle.OfPackage, Text: pick(d, packages)}
	case 4, 5:
		r := oracle.Rule{Kind: oracle.OfPackageVersion, Text: pick(d, packages), Op: op(), Version: oracle.Version{N: d.between(1, 3)}}
		if d.chance(60) {
			s := pick(d, d.sources())
			r.Text, r.Op, r.Version = s.pkg.Name, ">=", s.bundle.Version
		}
		return r
	case 6:
		return oracle.Rule{Kind: oracle.TextIs, Type: pick(d, extraTypes), Text: "yes"}
	case 7:
		return oracle.Rule{Kind: pick(d, []oracle.RuleKind{oracle.TierIs, oracle.TierIs, oracle.TierIsNot}), Text: pick(d, tiers)}
	case 8:
		return oracle.Rule{Kind: oracle.TypeAt, Index: d.between(0, 3), Type: typ()}
	case 9:
		return oracle.Rule{Kind: oracle.AtLeast, Index: d.between(1, 4)}
	case 10:
		return oracle.Rule{Kind: oracle.KubeAtLeast, Version: oracle.Version{N: d.between(1, 3)}}
	case 11:
		if levels == 0 {
			return oracle.Rule{Kind: oracle.Constant, Index: d.below(2)}
		}
		return oracle.Rule{Kind: oracle.NotRule, Of: []oracle.Rule{d.rule(levels - 1)}}
	}
	if levels == 0 {
		return oracle.Rule{Kind: oracle.HasType, Type: typ()}
	}
	return oracle.Rule{Kind: pick(d, []oracle.RuleKind{oracle.AndRule, oracle.OrRule}),
		Of: []oracle.Rule{d.rule(levels - 1), d.rule(levels - 1)}}
}
