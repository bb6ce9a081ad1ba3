package disk_test

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints/cel"
	"github.com/seed109e2655/resolute/properties"
)

// difference returns the path to the first difference of two catalogs, down to
// every field that nobody exports, or "". A field that is added to any type
// that a catalog holds is compared without being mentioned here.
//
// What may differ: indexes may number their keys in another way. Where the one
// has one bundle, channel or package in two places, the other must not have two.
func difference(want, got *cache.Catalog) string {
	for _, c := range []*cache.Catalog{want, got} { // make what is made when it is wanted
		c.Named("")
		c.WithType("")
		c.APIs()
	}
	w := &walk{seen: map[pair]bool{}, image: map[uintptr]uintptr{}}
	w.value("catalog", reflect.ValueOf(want), reflect.ValueOf(got))
	return w.found
}

// walk goes through two values at the same time.
type walk struct {
	seen  map[pair]bool
	image map[uintptr]uintptr // where what is in the one is in the other
	found string
}

// pair is two things that are being compared already.
type pair struct {
	a, b uintptr
	n    int
	t    reflect.Type
}

// differ notes a difference.
func (w *walk) differ(path, format string, args ...any) {
	if w.found == "" {
		w.found = path + ": " + fmt.Sprintf(format, args...)
	}
}

// value compares two values.
func (w *walk) value(path string, a, b reflect.Value) {
	switch {
	case w.found != "":
		return
	case a.IsValid() != b.IsValid():
		w.differ(path, "only one is there")
		return
	case !a.IsValid():
		return
	case a.Type() != b.Type():
		w.differ(path, "types %s and %s", a.Type(), b.Type())
		return
	}
	switch a.Kind() {
	case reflect.Pointer:
		w.pointer(path, a, b)
	case reflect.Struct:
		w.structure(path, a, b)
	case reflect.Slice:
		w.slice(path, a, b)
	case reflect.Array:
		for i := range a.Len() {
			w.value(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i))
		}
	case reflect.Interface:
		w.value(path, a.Elem(), b.Elem())
	case reflect.String:
		if a.String() != b.String() {
			w.differ(path, "%q and %q", a.String(), b.String())
		}
	case reflect.Bool:
		if a.Bool() != b.Bool() {
			w.differ(path, "%t and %t", a.Bool(), b.Bool())
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		if a.Int() != b.Int() {
			w.differ(path, "%d and %d", a.Int(), b.Int())
		}
	case reflect.Uint8, reflect.Uint64, reflect.Uint32:
		if a.Uint() != b.Uint() {
			w.differ(path, "%d and %d", a.Uint(), b.Uint())
		}
	default:
		w.differ(path, "a %s cannot be compared", a.Type())
	}
}

// pointer compares what two pointers lead to.
func (w *walk) pointer(path string, a, b reflect.Value) {
	if a.IsNil() || b.IsNil() {
		if a.IsNil() != b.IsNil() {
			w.differ(path, "only one is nil")
		}
		return
	}
	if ours := a.Type().Elem().PkgPath(); strings.HasSuffix(ours, "/graph") {
		if image, ok := w.image[a.Pointer()]; ok && image != b.Pointer() {
			w.differ(path, "the same %s became two", a.Type())
		}
		w.image[a.Pointer()] = b.Pointer()
	}
	if p := (pair{a.Pointer(), b.Pointer(), 1, a.Type()}); !w.seen[p] {
		w.seen[p] = true
		w.value(path, a.Elem(), b.Elem())
	}
}

// structure compares the fields of two structs.
func (w *walk) structure(path string, a, b reflect.Value) {
	switch {
	case a.Type() == reflect.TypeFor[properties.Range]():
		if a, b := a.Field(0), b.Field(0); a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				w.differ(path, "only one is a range")
			}
			return
		}
		w.value(path+".text", a.FieldByName("text"), b.FieldByName("text"))
		return
	case a.Type() == reflect.TypeFor[cel.Program]():
		w.value(path+".rule", a.FieldByName("rule"), b.FieldByName("rule"))
		w.value(path+".limit", a.FieldByName("limit"), b.FieldByName("limit"))
		return
	case strings.HasPrefix(a.Type().Name(), "index["):
		w.index(path, a, b)
		return
	}
	for i := range a.NumField() {
		w.value(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
	}
}

// slice compares two slices.
func (w *walk) slice(path string, a, b reflect.Value) {
	if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
		w.differ(path, "%d items (nil: %t) and %d (nil: %t)", a.Len(), a.IsNil(), b.Len(), b.IsNil())
		return
	}
	if p := (pair{a.Pointer(), b.Pointer(), a.Len(), a.Type()}); w.seen[p] {
		return
	} else if a.Len() > 0 {
		w.seen[p] = true
	}
	for i := range a.Len() {
		w.value(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i))
	}
}

// index compares the lists of two indexes.
func (w *walk) index(path string, a, b reflect.Value) {
	slots, other := a.FieldByName("slots"), b.FieldByName("slots")
	if slots.Len() != other.Len() {
		w.differ(path, "%d and %d keys", slots.Len(), other.Len())
		return
	}
	for keys := slots.MapRange(); keys.Next(); {
		slot := other.MapIndex(keys.Key())
		if !slot.IsValid() {
			w.differ(path, "the key %v is missing", keys.Key())
			return
		}
		w.value(fmt.Sprintf("%s[%v]", path, keys.Key()), listOf(a, keys.Value()), listOf(b, slot))
	}
}

// listOf returns the list of an index at a slot.
func listOf(index, slot reflect.Value) reflect.Value {
	starts := index.FieldByName("starts")
	from, to := starts.Index(int(slot.Int())).Int(), starts.Index(int(slot.Int())+1).Int()
	return index.FieldByName("ids").Slice(int(from), int(to))
}
