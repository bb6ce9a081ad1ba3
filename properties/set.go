package properties

import (
	"iter"
	"slices"
)

// Set is the properties of one bundle, in the order in which the bundle
// declares them. It is an immutable value, cheap to copy and safe for
// concurrent use; the zero Set is empty. A type may occur several times.
//
// Lookups go through the list. A bundle has few properties; what looks
// through many bundles keeps an index.
type Set struct{ list []*Property }

// NewSet returns the set of the properties given, in that order. Nil
// properties are left out.
func NewSet(ps ...*Property) Set {
	list := make([]*Property, 0, len(ps))
	for _, p := range ps {
		if p != nil {
			list = append(list, p)
		}
	}
	return Set{list: list}
}

// Len returns the number of properties.
func (s Set) Len() int { return len(s.list) }

// At returns property number i, from 0 to Len()-1, or nil outside of that.
func (s Set) At(i int) *Property {
	if i < 0 || i >= len(s.list) {
		return nil
	}
	return s.list[i]
}

// All returns the properties in order.
func (s Set) All() iter.Seq[*Property] { return slices.Values(s.list) }

// Package returns the value of the first "olm.package" property.
func (s Set) Package() (Package, bool) { return first[Package](s) }

// GVKs returns the APIs that the bundle provides, in declaration order. One
// that is declared twice comes twice.
func (s Set) GVKs() iter.Seq[GVK] { return values[GVK](s) }

// Provides reports whether the bundle provides the API g.
func (s Set) Provides(g GVK) bool { return has(s, g) }

// Labels returns the labels of the bundle, in declaration order.
func (s Set) Labels() iter.Seq[string] {
	return func(yield func(string) bool) {
		for l := range values[Label](s) {
			if !yield(string(l)) {
				return
			}
		}
	}
}

// HasLabel reports whether the bundle has that label.
func (s Set) HasLabel(label string) bool { return has(s, Label(label)) }

// HasType reports whether the bundle has a property of that type.
func (s Set) HasType(typ string) bool {
	return slices.ContainsFunc(s.list, func(p *Property) bool { return p.typ == typ })
}

// Deprecated reports whether the bundle has an "olm.deprecated" property, which
// bars it from being newly chosen.
func (s Set) Deprecated() bool { return s.HasType(TypeDeprecated) }

// Equal reports whether both sets hold equal properties in the same order.
func (s Set) Equal(o Set) bool { return slices.EqualFunc(s.list, o.list, (*Property).Equal) }

// values returns the typed values of type T in order.
func values[T any](s Set) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, p := range s.list {
			if v, ok := p.value.(T); ok && !yield(v) {
				return
			}
		}
	}
}

// first returns the first typed value of type T.
func first[T any](s Set) (T, bool) {
	for v := range values[T](s) {
		return v, true
	}
	var none T
	return none, false
}

// has reports whether some property has exactly the typed value v.
func has[T comparable](s Set, v T) bool {
	for _, p := range s.list {
		if o, ok := p.value.(T); ok && o == v {
			return true
		}
	}
	return false
}
