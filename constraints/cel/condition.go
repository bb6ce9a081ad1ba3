package cel

import (
	"slices"

	"github.com/seed109e2655/resolute/properties"
)

// condition is a necessary condition for an expression to have a certain value: a conjunction.
// The zero condition is always true.
type condition struct {
	// never: the expression cannot have the value.
	never bool
	// some: the bundle has a property of one of these types, and an "olm.package" property with
	// one of these package names.
	some demand
	// this: a demand on the property of the variable of the innermost macro over the
	// properties.
	this demand
}

// demand restricts the type of a property, and the package name of an "olm.package" property,
// to a list; a nil list is no restriction.
type demand struct{ types, names []string }

// maxAlternatives is the maximum length of a list; a longer one becomes no restriction.
const maxAlternatives = 256

// never is the condition that is always false.
var never = condition{never: true}

// both returns a condition that is implied by a and b together.
func both(a, b condition) condition {
	if a.never || b.never {
		return never
	}
	// Different properties of the bundle may satisfy the two demands, so their intersection
	// would be wrong.
	c := condition{some: demand{shorter(a.some.types, b.some.types), shorter(a.some.names, b.some.names)}}
	c.this = demand{intersection(a.this.types, b.this.types), intersection(a.this.names, b.this.names)}
	if c.this.types != nil && len(c.this.types) == 0 || c.this.onlyPackage() && c.this.names != nil && len(c.this.names) == 0 {
		return never
	}
	return c
}

// either returns a condition that is implied by each of a and b.
func either(a, b condition) condition {
	switch {
	case a.never:
		return b
	case b.never:
		return a
	}
	return condition{
		some: demand{union(a.some.types, b.some.types), union(a.some.names, b.some.names)},
		this: demand{union(a.this.types, b.this.types), union(a.this.names, b.this.names)},
	}
}

// exists returns the condition that some property satisfies the demand on the variable.
func (c condition) exists() condition {
	found := condition{some: demand{types: c.this.types}}
	if c.this.onlyPackage() {
		found.some.names = c.this.names
	}
	c.this = demand{}
	return both(c, found)
}

// onlyPackage reports whether the property must be an "olm.package".
func (d demand) onlyPackage() bool {
	return len(d.types) == 1 && d.types[0] == properties.TypePackage
}

// shorter returns the more restrictive of two lists.
func shorter(a, b []string) []string {
	if a == nil || b != nil && len(b) < len(a) {
		return b
	}
	return a
}

// intersection returns the intersection of two sorted lists; nil is unrestricted.
func intersection(a, b []string) []string {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	out := []string{}
	for _, s := range a {
		if _, found := slices.BinarySearch(b, s); found {
			out = append(out, s)
		}
	}
	return out
}

// union returns the union of two sorted lists; nil is unrestricted.
func union(a, b []string) []string {
	if a == nil || b == nil {
		return nil
	}
	out := slices.Concat(a, b)
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) > maxAlternatives {
		return nil
	}
	return out
}
