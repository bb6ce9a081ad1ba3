package cel

import (
	"slices"

	"github.com/seed109e2655/resolute/properties"
)

// condition is what must be the case for an expression to have a certain
// value: a conjunction. The zero condition is the one that everything fulfils.
type condition struct {
	// never: the expression cannot have the value.
	never bool
	// some: the bundle has a property of one of these types, and an "olm.package"
	// property of it names one of these packages.
	some demand
	// this: what must hold for the property that the variable of the innermost macro
	// over the properties stands for.
	this demand
}

// demand is a type, and if that is "olm.package" the name of a package, out of a list; a
// nil list demands nothing.
type demand struct{ types, names []string }

// maxAlternatives bounds a list; a longer one demands nothing instead.
const maxAlternatives = 256

// never is the condition that nothing fulfils.
var never = condition{never: true}

// both returns a condition that holds wherever a and b do.
func both(a, b condition) condition {
	if a.never || b.never {
		return never
	}
	// The bundle may meet two demands through different properties, so their intersection
	// would be wrong.
	c := condition{some: demand{shorter(a.some.types, b.some.types), shorter(a.some.names, b.some.names)}}
	c.this = demand{intersection(a.this.types, b.this.types), intersection(a.this.names, b.this.names)}
	if c.this.types != nil && len(c.this.types) == 0 || c.this.onlyPackage() && c.this.names != nil && len(c.this.names) == 0 {
		return never
	}
	return c
}

// either returns a condition that holds wherever a or b does.
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

// exists returns the condition that there is some property for the variable.
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

// shorter returns the sharper of two lists.
func shorter(a, b []string) []string {
	if a == nil || b != nil && len(b) < len(a) {
		return b
	}
	return a
}

// intersection returns what is in both sorted lists, where nil is everything.
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

// union returns what is in one of two sorted lists, where nil is everything.
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
