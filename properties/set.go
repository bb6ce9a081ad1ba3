package properties

import (
	"iter"
	"slices"
)

// Set is the properties of one bundle, in the order in which the bundle
// declares them. It is an immutable value, cheap to copy and safe for
// concurrent use; the zero Set is empty. A type may occur several times.
//
// Lookups scan the list, which is short. To search many bundles, build an index.
type Set struct {
	first *Property
	rest  *others // the other properties, or nil; may be shared
}

// others are the properties after the first: at most three inline, or all in a list.
type others struct {
	few [3]*Property // nil after the last
	all *[]*Property // if there are more
}

// NewSet returns the set of the properties given, in that order. Nil
// properties are dropped.
func NewSet(ps ...*Property) Set {
	for len(ps) > 0 && ps[0] == nil {
		ps = ps[1:]
	}
	if len(ps) == 0 {
		return Set{}
	}
	rest := &others{}
	list := slices.Grow(rest.few[:0], len(ps)-1)
	for _, p := range ps[1:] {
		if p != nil {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return Set{first: ps[0]}
	}
	if cap(list) > len(rest.few) { // it was reallocated
		own := list
		rest.all = &own
	}
	return Set{first: ps[0], rest: rest}
}

// others returns the properties after the first.
func (s Set) others() []*Property {
	switch {
	case s.rest == nil:
		return nil
	case s.rest.all != nil:
		return *s.rest.all
	}
	n := len(s.rest.few)
	for s.rest.few[n-1] == nil {
		n--
	}
	return s.rest.few[:n]
}

// Len returns the number of properties.
func (s Set) Len() int {
	if s.first == nil {
		return 0
	}
	return 1 + len(s.others())
}

// At returns the property at index i, or nil if i is out of range.
func (s Set) At(i int) *Property {
	switch {
	case i < 0 || i >= s.Len():
		return nil
	case i == 0:
		return s.first
	}
	return s.others()[i-1]
}

// All returns the properties in order.
func (s Set) All() iter.Seq[*Property] {
	return func(yield func(*Property) bool) {
		if s.first == nil || !yield(s.first) {
			return
		}
		for _, p := range s.others() {
			if !yield(p) {
				return
			}
		}
	}
}

// Package returns the value of the first "olm.package" property.
func (s Set) Package() (Package, bool) {
	for p := range s.All() {
		if own, ok := p.Package(); ok {
			return own, true
		}
	}
	return Package{}, false
}

// GVKs returns the APIs that the bundle provides, in declaration order. Duplicates are
// kept.
func (s Set) GVKs() iter.Seq[GVK] {
	return func(yield func(GVK) bool) {
		for p := range s.All() {
			if v, ok := p.value.(GVK); ok && !yield(v) {
				return
			}
		}
	}
}

// Provides reports whether the bundle provides the API g.
func (s Set) Provides(g GVK) bool { return has(s, g) }

// HasLabel reports whether the bundle has that label.
func (s Set) HasLabel(label string) bool { return has(s, Label(label)) }

// HasType reports whether the bundle has a property of that type.
func (s Set) HasType(typ string) bool {
	for p := range s.All() {
		if p.Type() == typ {
			return true
		}
	}
	return false
}

// Deprecated reports whether the bundle has an "olm.deprecated" property, which
// excludes it from new selections.
func (s Set) Deprecated() bool { return s.HasType(TypeDeprecated) }

// Equal reports whether both sets hold equal properties in the same order.
func (s Set) Equal(o Set) bool {
	return s.first.Equal(o.first) && (s.rest == o.rest || slices.EqualFunc(s.others(), o.others(), (*Property).Equal))
}

// has reports whether some property has exactly the typed value v.
func has[T comparable](s Set, v T) bool {
	for p := range s.All() {
		if o, ok := p.value.(T); ok && o == v {
			return true
		}
	}
	return false
}
