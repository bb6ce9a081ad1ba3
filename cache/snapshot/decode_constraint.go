package snapshot

import (
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/constraints/cel"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// readRequirements reads the distinct requirements.
func (d *decoder) readRequirements() {
	n := d.count()
	column := d.column(n, d.limits[toProperty])
	d.requirements = slab[graph.Requirement](d.reader, n)
	if d.err != nil {
		return
	}
	for i := range d.requirements {
		c := d.constraint(0)
		if d.err != nil {
			return
		}
		d.requirements[i] = graph.Requirement{Constraint: c, Property: &d.properties[column[i]]}
	}
	d.limit(toRequirement, n)
}

// constraint reads a constraint, number depth from outside. It is nil if and
// only if something is wrong.
func (d *decoder) constraint(depth int) constraints.Constraint {
	f, message := formula(d.uint()), d.one(d.texts)
	var c constraints.Constraint
	switch f {
	case formulaGVK:
		g := properties.GVK{Group: d.one(d.names), Version: d.one(d.names), Kind: d.one(d.names)}
		d.spendOn(depth, g.Group, g.Version, g.Kind)
		c = constraints.NewGVK(g)
	case formulaPackage:
		name, r := d.one(d.names), d.oneRange()
		d.spendOn(depth, name, r.String())
		c = constraints.NewPackage(name, r)
	case formulaLabel:
		label := d.one(d.names)
		d.spendOn(depth, label)
		c = constraints.NewLabel(label)
	case formulaCEL:
		rule := d.one(d.texts)
		d.spendOn(depth, rule)
		c = d.parser.RestoreCEL(rule, d.needs(), d.mark)
	case formulaAll, formulaAny, formulaNot:
		c = d.compound(f, depth)
	default:
		d.fail("a constraint is of an unknown kind")
	}
	if d.err != nil {
		return nil
	}
	return constraints.WithMessage(c, message)
}

// compound reads the children of a constraint.
func (d *decoder) compound(f formula, depth int) constraints.Constraint {
	if depth >= constraints.MaxDepth {
		d.fail("a constraint is nested deeper than %d levels", constraints.MaxDepth)
		return nil
	}
	d.spendOn(depth)
	n := d.count()
	children := slab[constraints.Constraint](d.reader, n)
	if !d.spend(int64(n), 16) { // by the constraint, which copies them
		return nil
	}
	if n == 0 {
		children = nil // as when it was parsed
	}
	for i := range children {
		if children[i] = d.constraint(depth + 1); d.err != nil {
			return nil
		}
	}
	switch f {
	case formulaAll:
		return constraints.NewAll(children...)
	case formulaAny:
		return constraints.NewAny(children...)
	}
	return constraints.NewNot(children...)
}

// spendOn counts what a constraint takes: itself, a copy with a message, and
// its texts, which it quotes in its key and in those of all around it.
func (d *decoder) spendOn(depth int, texts ...string) {
	size := 64
	for _, t := range texts {
		size += len(t) + 4
	}
	const quoted = 4
	d.spend(int64(size), quoted*int64(depth+1))
}

// needs reads what a bundle needs to match a rule.
func (d *decoder) needs() cel.Needs {
	bits := d.uint()
	if bits > needsAll {
		d.fail("a rule has unknown needs")
	}
	n := cel.Needs{Anything: bits&needsAnything != 0, Never: bits&needsNever != 0, ClusterOnly: bits&needsClusterOnly != 0}
	if bits&needsTypes != 0 {
		n.Types = d.several()
	}
	if bits&needsPackages != 0 {
		n.Packages = d.several()
	}
	return n
}

// several reads a list of names.
func (d *decoder) several() []string {
	list := slab[string](d.reader, d.count())
	for i := range list {
		list[i] = d.one(d.names)
	}
	return list
}

// one reads the number of a name or text outside of a column.
func (d *decoder) one(texts []string) string {
	n := d.uint()
	if d.err != nil || n >= uint64(len(texts)) {
		d.fail("a number points at something that is not there")
		return ""
	}
	return texts[n]
}

// oneRange reads the number of a version range outside of a column.
func (d *decoder) oneRange() properties.Range {
	n := d.uint()
	if d.err != nil || n >= uint64(len(d.ranges)) {
		d.fail("a number points at something that is not there")
		return properties.Range{}
	}
	return d.ranges[n]
}
