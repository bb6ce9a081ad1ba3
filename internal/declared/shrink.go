package declared

import (
	"reflect"
	"slices"
)

// Least takes away from a value whatever it still fails without, until nothing more can
// be taken away. Edits lists, in groups, what can be taken away from a value, and takes it
// away from that very value: of a group it leaves out ever smaller runs, those at the end
// first, so that an edit may rely on the positions that come before its own. The value
// itself is not changed: each try is a clone of it. Once on says no, nothing more is tried.
func Least[T any](v T, clone func(T) T, edits func(T) [][]func(), fails func(T) bool, on func() bool) T {
	for again := true; again; {
		again = false
		for group := range edits(v) {
			if !on() {
				return v
			}
			all := len(edits(v)[group])
			left := make([]bool, all) // which edits were made
			small := v
			for size := (all + 1) / 2; size > 0; size /= 2 {
				for from := 0; from < all && on(); from += size {
					try, edited := slices.Clone(left), clone(v)
					for i := from; i < min(from+size, all); i++ {
						try[i] = true
					}
					if slices.Equal(try, left) {
						continue
					}
					for i, edit := range slices.Backward(edits(edited)[group]) {
						if try[i] {
							edit()
						}
					}
					if fails(edited) {
						left, small, again = try, edited, true
					}
				}
			}
			v = small
		}
	}
	return v
}

// Clone returns a copy of plain data that shares nothing that could be changed but the bytes
// of texts.
func Clone[T any](v *T) *T {
	own := *v
	unshare(reflect.ValueOf(&own).Elem())
	return &own
}

// unshare gives a value its own copies of the lists and pointers in it.
func unshare(v reflect.Value) {
	if !v.CanSet() {
		return // nobody else can change it either
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			unshare(v.Field(i))
		}
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
		for i := range v.Len() {
			unshare(v.Index(i))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		own := reflect.New(v.Type().Elem())
		own.Elem().Set(v.Elem())
		v.Set(own)
		unshare(own.Elem())
	}
}
