// Package shape knows the keys of types that encode themselves as JSON: for each, the struct whose
// tags are its keys. The package of such a type registers it when the program starts; the readers of
// documents and the generators of schemas look it up.
package shape

import "reflect"

var shapes = make(map[reflect.Type]reflect.Type)

// Register says that a T is encoded with the keys of an S. It must only be called from an init
// function.
func Register[T, S any]() { shapes[reflect.TypeFor[T]()] = reflect.TypeFor[S]() }

// Of returns the struct whose tags are the keys of a type; the type itself if it was not
// registered.
func Of(t reflect.Type) reflect.Type {
	if s, ok := shapes[t]; ok {
		return s
	}
	return t
}
