package declared

import (
	"reflect"
	"slices"
)

// Minimize reduces a failing value until every further removal makes it pass.
// Edits lists, in groups, the possible removals from a value and applies them
// to that value. Within a group, Minimize applies ever smaller runs, the last
// ones first, so that an edit may rely on earlier positions. It edits clones
// and does not change v. It stops once on returns false.
func Minimize[T any](v T, clone func(T) T, edits func(T) [][]func(), fails func(T) bool, on func() bool) T {
	for again := true; again; {
		again = false
		for group := range edits(v) {
			if !on() {
				return v
			}
			all := len(edits(v)[group])
			applied := make([]bool, all)
			small := v
			for size := (all + 1) / 2; size > 0; size /= 2 {
				for from := 0; from < all && on(); from += size {
					try, edited := slices.Clone(applied), clone(v)
					for i := from; i < min(from+size, all); i++ {
						try[i] = true
					}
					if slices.Equal(try, applied) {
						continue
					}
					for i, edit := range slices.Backward(edits(edited)[group]) {
						if try[i] {
							edit()
						}
					}
					if fails(edited) {
						applied, small, again = try, edited, true
					}
				}
			}
			v = small
		}
	}
	return v
}

// Clone returns a deep copy of plain data; it shares only strings.
func Clone[T any](v *T) *T {
	own := *v
	unshare(reflect.ValueOf(&own).Elem())
	return &own
}

// unshare gives a value its own copies of its lists and pointers.
func unshare(v reflect.Value) {
	if !v.CanSet() {
		return // unreachable for other owners
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
