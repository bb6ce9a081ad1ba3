package constraints

import (
	"sync"

	"github.com/seed109e2655/resolute/properties"
)

// Limits of the language, see section 3 of the semantics.
const (
	// MaxBytes is the most that the JSON of one constraint may have.
	MaxBytes = 64 << 10
	// MaxDepth is how many compounds may be nested. An atom that stands alone
	// has depth 0, an all of atoms depth 1.
	MaxDepth = 10
)

// maxRemembered bounds each of the memories of a Parser.
const maxRemembered = 1 << 14

// Parser reads constraints. It remembers what it read, so that each distinct
// rule is compiled once; one Parser is meant to serve all catalogs of a
// process. It is safe for concurrent use.
//
// Rules of CEL need a compiler, which importing constraints/cel registers. Without it a rule is
// an error; package fbc imports it.
type Parser struct {
	compiler func() Compiler
	rules    memory[string, Program]

	vetoCompiler func() VetoCompiler
	vetoes       memory[string, VetoRule]

	known memory[*properties.Property, Constraint]
}

// NewParser returns a Parser.
func NewParser() *Parser {
	return &Parser{
		compiler: sync.OnceValue(newCompiler),
		rules:    memory[string, Program]{most: maxRemembered},

		vetoCompiler: sync.OnceValue(newVetoCompiler),
		vetoes:       memory[string, VetoRule]{most: maxRemembered},

		known: memory[*properties.Property, Constraint]{most: maxRemembered},
	}
}

// Parse reads a constraint with a Parser of its own. What reads more than one
// keeps a [Parser].
func Parse(raw []byte) (Constraint, error) { return NewParser().Parse(raw) }

// FromProperty returns the constraint of a property of one of the types
// "olm.gvk.required", "olm.package.required", "olm.label.required" and
// "olm.constraint". For any other type ok is false. The error, an [*Error],
// can only come from an "olm.constraint". The same *Property mostly gives the same Constraint
// again, and always an equal one.
func (p *Parser) FromProperty(prop *properties.Property) (c Constraint, ok bool, err error) {
	if prop == nil {
		return nil, false, nil
	}
	switch prop.Type() {
	case properties.TypeGVKRequired, properties.TypePackageRequired, properties.TypeLabelRequired, properties.TypeConstraint:
		c, err = p.known.get(prop, func() (Constraint, error) { return p.fromProperty(prop) })
		return c, true, err
	}
	return nil, false, nil
}

func (p *Parser) fromProperty(prop *properties.Property) (Constraint, error) {
	switch v := prop.Value().(type) {
	case properties.GVKRequired:
		return &GVK{GVK: v.GVK}, nil
	case properties.PackageRequired:
		return &Package{Name: v.Name, Range: v.Range}, nil
	case properties.LabelRequired:
		return &Label{Label: string(v)}, nil
	case properties.Constraint:
		return p.Parse([]byte(v))
	}
	return p.Parse(nil)
}
