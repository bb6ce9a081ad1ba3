package snapshot

import (
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/constraints/cel"
	"github.com/seed109e2655/resolute/graph"
)

// requirementEncoder numbers the distinct requirements.
type requirementEncoder struct {
	byProperty map[uint32][]uint32 // usually one; by provisional number
	list       []graph.Requirement
	properties []uint32 // provisional numbers
}

// requirement returns the number of a requirement. Equal ones get one number.
func (e *encoder) requirement(r graph.Requirement) uint32 {
	re := &e.requirements
	if r.Property == nil || r.Constraint == nil {
		e.unfit("a bundle has a constraint that none of its properties declares")
		return 0
	}
	p := e.property(r.Property)
	for _, n := range re.byProperty[p] {
		if same(re.list[n].Constraint, r.Constraint) {
			return n
		}
	}
	n := uint32(len(re.list))
	if re.byProperty == nil {
		re.byProperty = map[uint32][]uint32{}
	}
	re.byProperty[p] = append(re.byProperty[p], n)
	re.list = append(re.list, r)
	re.properties = append(re.properties, p)
	e.note(r.Constraint)
	return n
}

// same tells whether two constraints are equal, messages included.
func same(a, b constraints.Constraint) bool {
	return a == b || a.Key() == b.Key() && sameMessages(a, b)
}

// sameMessages compares the messages of two formulas that are equal otherwise.
func sameMessages(a, b constraints.Constraint) bool {
	if a.Message() != b.Message() {
		return false
	}
	children := constraints.Children(b)
	for i, child := range constraints.Children(a) {
		if !sameMessages(child, children[i]) {
			return false
		}
	}
	return true
}

// note numbers the names and texts of a constraint.
func (e *encoder) note(c constraints.Constraint) {
	constraints.Walk(c, func(c constraints.Constraint) bool {
		e.texts.number(c.Message())
		switch c := c.(type) {
		case *constraints.GVK:
			e.names.number(c.GVK.Group)
			e.names.number(c.GVK.Version)
			e.names.number(c.GVK.Kind)
		case *constraints.Package:
			e.names.number(c.Name)
			e.ranges.number(c.Range.String())
		case *constraints.Label:
			e.names.number(c.Label)
		case *constraints.CEL:
			if c.Program == nil {
				e.unfit("a rule is not compiled")
				return false
			}
			e.texts.number(c.Rule)
			needs := c.Program.Needs()
			for _, list := range [][]string{needs.Types, needs.Packages} {
				for _, name := range list {
					e.names.number(name)
				}
			}
		}
		return true
	})
}

// constraint writes a constraint as a tree.
func (e *encoder) constraint(w *writer, c constraints.Constraint) {
	start := func(f formula) {
		w.uint(uint64(f))
		w.uint(uint64(e.texts.number(c.Message())))
	}
	switch c := c.(type) {
	case *constraints.GVK:
		start(formulaGVK)
		e.writeNames(w, c.GVK.Group, c.GVK.Version, c.GVK.Kind)
	case *constraints.Package:
		start(formulaPackage)
		e.writeNames(w, c.Name)
		w.uint(uint64(e.ranges.number(c.Range.String())))
	case *constraints.Label:
		start(formulaLabel)
		e.writeNames(w, c.Label)
	case *constraints.CEL:
		start(formulaCEL)
		w.uint(uint64(e.texts.number(c.Rule)))
		e.needs(w, c.Program.Needs())
	case *constraints.All:
		start(formulaAll)
	case *constraints.Any:
		start(formulaAny)
	case *constraints.Not:
		start(formulaNot)
	default:
		e.unfit("it has a constraint of the Go type %T", c)
	}
	switch c.(type) {
	case *constraints.All, *constraints.Any, *constraints.Not:
		children := constraints.Children(c)
		w.uint(uint64(len(children)))
		for _, child := range children {
			e.constraint(w, child)
		}
	}
}

// needs writes what a bundle needs to match a rule.
func (e *encoder) needs(w *writer, n cel.Needs) {
	w.uint(uint64(flag(n.Anything)*needsAnything | flag(n.Never)*needsNever | flag(n.ClusterOnly)*needsClusterOnly |
		flag(n.Types != nil)*needsTypes | flag(n.Packages != nil)*needsPackages))
	for _, list := range [][]string{n.Types, n.Packages} {
		if list != nil {
			w.uint(uint64(len(list)))
			e.writeNames(w, list...)
		}
	}
}
