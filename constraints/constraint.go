package constraints

import (
	"encoding/json"
	"slices"

	"github.com/seed109e2655/resolute/properties"
)

// Constraint is one formula. The kinds are [*GVK], [*Package], [*Label] and
// [*CEL], the atoms, and [*All], [*Any] and [*Not], the compounds; there are
// no others, so a type switch over them is complete.
//
// Constraints are made by a [Parser], compounds and rules also by the New functions,
// and other atoms as literals, to which [WithMessage] gives their message. They are then immutable and safe for concurrent use: do not write to their fields.
type Constraint interface {
	json.Marshaler
	// String describes the constraint in words that can follow "requires", such
	// as "package blue in range >=1.0.0". It is one line of printable text.
	// The message is not part of it.
	String() string
	// Message returns the author's message for when the constraint does not
	// hold, or "". It is untrusted text, as written.
	Message() string
	// Key identifies the formula: keys are equal exactly when the formulas
	// are built the same way from equal atoms. Messages, and which of two
	// aliases was written, make no difference; the order of children does,
	// since it decides what is preferred.
	Key() string

	words(operator string) string // with the noun for what packages deliver
	withMessage(string) Constraint
	parts() parts
}

// GVK holds when some bundle provides an API.
type GVK struct {
	properties.GVK
	failureMessage
}

// Package holds when some bundle is of the package, with a version inside
// the range.
type Package struct {
	Name  string
	Range properties.Range
	failureMessage
}

// Label holds when some bundle has the label. The language has no spelling
// for it: it comes from the property "olm.label.required" alone.
type Label struct {
	Label string
	failureMessage
}

// CEL holds when some single bundle makes the rule true.
type CEL struct {
	Rule    string
	Program Program
	failureMessage
	key string
}

// All holds when every child holds, each perhaps through another bundle.
// Without children it holds.
type All struct{ compound }

// Any holds when at least one child holds. Without children it does not.
type Any struct{ compound }

// Not holds when no child holds. Without children it holds.
type Not struct{ compound }

// NewCEL returns the atom for a compiled rule.
func NewCEL(p Program) *CEL {
	c := &CEL{Rule: p.Rule(), Program: p}
	c.key = keyOf(c.parts())
	return c
}

// NewAll returns the conjunction of its children.
func NewAll(children ...Constraint) *All { return &All{newCompound(kindAll, children)} }

// NewAny returns the disjunction of its children.
func NewAny(children ...Constraint) *Any { return &Any{newCompound(kindAny, children)} }

// NewNot returns the prohibition of each of its children.
func NewNot(children ...Constraint) *Not { return &Not{newCompound(kindNot, children)} }

// WithMessage returns a copy of c with that message. Nil stays nil.
func WithMessage(c Constraint, message string) Constraint {
	if c == nil || c.Message() == message {
		return c
	}
	return c.withMessage(message)
}

func (c *GVK) withMessage(m string) Constraint {
	d := *c
	d.failureMessage = newFailureMessage(m)
	return &d
}
func (c *Package) withMessage(m string) Constraint {
	d := *c
	d.failureMessage = newFailureMessage(m)
	return &d
}
func (c *Label) withMessage(m string) Constraint {
	d := *c
	d.failureMessage = newFailureMessage(m)
	return &d
}
func (c *CEL) withMessage(m string) Constraint {
	d := *c
	d.failureMessage = newFailureMessage(m)
	return &d
}
func (c *All) withMessage(m string) Constraint {
	d := *c
	d.failureMessage = newFailureMessage(m)
	return &d
}
func (c *Any) withMessage(m string) Constraint {
	d := *c
	d.failureMessage = newFailureMessage(m)
	return &d
}
func (c *Not) withMessage(m string) Constraint {
	d := *c
	d.failureMessage = newFailureMessage(m)
	return &d
}

// compound is what the compounds have in common.
type compound struct {
	// Constraints are the children.
	Constraints []Constraint
	failureMessage
	kind, key string
}

func newCompound(kind string, children []Constraint) compound {
	c := compound{Constraints: slices.Clone(children), kind: kind}
	c.key = keyOf(c.parts())
	return c
}

// Walk calls fn for c and everything below it, parents first, children in
// order. If fn returns false, the children are skipped.
func Walk(c Constraint, fn func(Constraint) bool) {
	if c == nil || !fn(c) {
		return
	}
	for _, child := range c.parts().children {
		Walk(child, fn)
	}
}
