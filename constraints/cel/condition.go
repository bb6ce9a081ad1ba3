package cel

import (
	"maps"
	"slices"

	"github.com/seed109e2655/resolute/properties"
)

// condition is what must be the case for an expression to have a certain
// value. It is a conjunction; a nil list demands nothing.
type condition struct {
	// never: the expression cannot have the value.
	never bool
	// types: the bundle has a property of one of these types.
	types []string
	// packages: an "olm.package" property of the bundle names one of these.
	packages []string
	// elements: what must hold for the property that a variable stands for.
	elements map[binding]element
}

// element is what must hold for one property.
type element struct {
	// types: the type of the property is one of these.
	types []string
	// names: if the property is an "olm.package", it names one of these.
	names []string
}

// binding identifies a variable that stands for a property. Each macro makes
// a new one, so variables of the same name do not get mixed up. The zero
// binding is that of a variable that stands for something else.
type binding int

// maxAlternatives bounds a list; a longer one demands nothing instead.
const maxAlternatives = 256

// never is the condition that nothing fulfils. The zero condition is the one
// that everything fulfils.
var never = condition{never: true}

// both returns a condition that holds wherever a and b do.
func both(a, b condition) condition {
	if a.never || b.never {
		return never
	}
	c := condition{types: shorter(a.types, b.types), packages: shorter(a.packages, b.packages), elements: a.elements}
	for v, e := range b.elements {
		old := c.elements[v]
		e = element{types: intersection(old.types, e.types), names: intersection(old.names, e.names)}
		if e.impossible() {
			return never
		}
		c = c.with(v, e)
	}
	return c
}

// either returns a condition that holds wherever a or b does.
func either(a, b condition) condition {
	if a.never {
		return b
	}
	if b.never {
		return a
	}
	c := condition{types: union(a.types, b.types), packages: union(a.packages, b.packages)}
	for v, e := range a.elements {
		o := b.elements[v] // demands nothing where it is missing
		e = element{types: union(e.types, o.types), names: union(e.names, o.names)}
		if e.types != nil || e.names != nil {
			c = c.with(v, e)
		}
	}
	return c
}

// exists returns the condition that there is some property for v.
func (c condition) exists(v binding) condition {
	e := c.elements[v]
	if c.never || e.types == nil {
		return c
	}
	found := condition{types: e.types}
	if e.onlyPackage() {
		found.packages = e.names
	}
	return both(c, found)
}

// with returns a copy of c with another demand on v.
func (c condition) with(v binding, e element) condition {
	elements := make(map[binding]element, len(c.elements)+1)
	maps.Copy(elements, c.elements)
	elements[v] = e
	c.elements = elements
	return c
}

// onlyPackage reports whether the property must be an "olm.package".
func (e element) onlyPackage() bool {
	return len(e.types) == 1 && e.types[0] == properties.TypePackage
}

// impossible reports whether no property can fulfil e.
func (e element) impossible() bool {
	return e.types != nil && len(e.types) == 0 || e.onlyPackage() && e.names != nil && len(e.names) == 0
}

// shorter returns the sharper of two lists of which the bundle must meet
// both. (It may do so through different properties, so their intersection
// would be wrong.)
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
