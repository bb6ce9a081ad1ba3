// Package strict fills Go values from documents that people write: a key that a type does not
// have and a value of another kind are problems with their line.
package strict

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/text"
)

// Decoder fills values of the kinds that have keys in JSON: by their tags, and what is any
// stays as it is. Add is required.
type Decoder struct {
	// Add takes in a problem.
	Add func(line int, path, message string)
	// At, if it is set, takes in where each part stands: first its value, and then its key.
	At func(line int, path string, n *document.Node)
	// Refused, if it is set, matches keys whatever their case is, those of fields without a tag
	// by their names, and says of a key that there is none such.
	Refused string
	// Stopped, if it is set, reports whether to end: the value is incomplete then. It is
	// called for each item of a list and each key of a map.
	Stopped func() bool

	keys map[reflect.Type]keys // of structs, as far as they were met
}

// keys are the fields of a struct, and the keys that stand for them.
type keys struct {
	fields [][]int
	names  []string
}

var rawType = reflect.TypeFor[json.RawMessage]()

// Decode fills v from n. A null stands for a key that is not there.
func (d *Decoder) Decode(path string, n *document.Node, v reflect.Value) {
	d.at(n.Line, path, n)
	switch {
	case v.Type() == rawType:
		v.SetBytes(n.JSON())
	case n.Kind == document.KindNull || v.Kind() == reflect.Interface:
	case shapeOf(v.Type()) != nil: // it is only held against the shape
		d.Decode(path, n, reflect.New(shapeOf(v.Type())).Elem())
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.Decode(path, n, v.Elem())
	case v.Kind() == reflect.Struct:
		d.object(path, n, v)
	case v.Kind() == reflect.Map:
		d.table(path, n, v)
	case v.Kind() == reflect.Slice:
		d.list(path, n, v)
	default:
		d.scalar(path, n, v)
	}
}

func (d *Decoder) stopped() bool { return d.Stopped != nil && d.Stopped() }

func (d *Decoder) at(line int, path string, n *document.Node) {
	if d.At != nil {
		d.At(line, path, n)
	}
}

// shapeOf is the type whose tags are the keys of one with a JSON of its own, nil for
// any other type.
func shapeOf(t reflect.Type) reflect.Type {
	if s, ok := reflect.Zero(t).Interface().(interface{ JSONShape(used any) any }); ok {
		return reflect.TypeOf(s.JSONShape(nil))
	}
	return nil
}

// Join is the path of a key.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// object fills a struct from a mapping.
func (d *Decoder) object(path string, n *document.Node, v reflect.Value) {
	if n.Kind != document.KindMapping {
		d.wrong(path, n, "a mapping with keys")
		return
	}
	known, found := d.keys[v.Type()]
	if !found {
		known = d.keysOf(v.Type())
		if d.keys == nil {
			d.keys = make(map[reflect.Type]keys)
		}
		d.keys[v.Type()] = known
	}
	names := known.names
	for _, f := range n.Fields {
		i := slices.IndexFunc(names, func(name string) bool { return name == f.Name || d.Refused != "" && strings.EqualFold(name, f.Name) })
		if i < 0 {
			said := d.Refused
			if said == "" {
				said = "; the keys here are " + strings.Join(names, ", ")
			}
			d.Add(f.Line, path, fmt.Sprintf("unknown key %q%s%s", f.Name, said, text.DidYouMean(f.Name, slices.Values(names))))
			continue
		}
		at := Join(path, names[i])
		d.Decode(at, f.Value, v.FieldByIndex(known.fields[i]))
		d.at(f.Line, at, f.Value)
	}
}

// keysOf returns the keys of a struct.
func (d *Decoder) keysOf(t reflect.Type) (all keys) {
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" && d.Refused != "" && f.IsExported() && !f.Anonymous {
			key = strings.ToLower(f.Name[:1]) + f.Name[1:]
		}
		if key != "" && key != "-" {
			all.fields, all.names = append(all.fields, f.Index), append(all.names, key)
		}
	}
	return all
}

// table fills a map with text keys from a mapping.
func (d *Decoder) table(path string, n *document.Node, v reflect.Value) {
	if n.Kind != document.KindMapping {
		d.wrong(path, n, "a mapping with keys")
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(n.Fields)))
	for _, f := range n.Fields {
		if d.stopped() {
			return
		}
		value := reflect.New(v.Type().Elem()).Elem()
		d.Decode(Join(path, f.Name), f.Value, value)
		v.SetMapIndex(reflect.ValueOf(f.Name), value)
	}
}

// list fills a slice from a sequence; an empty sequence gives an empty slice
// that is not nil.
func (d *Decoder) list(path string, n *document.Node, v reflect.Value) {
	if n.Kind != document.KindSequence {
		d.wrong(path, n, "a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items)))
	for i, item := range n.Items {
		if d.stopped() {
			return
		}
		d.Decode(path+"["+strconv.Itoa(i)+"]", item, v.Index(i))
	}
}

func (d *Decoder) scalar(path string, n *document.Node, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if n.Kind == document.KindString {
			v.SetString(n.Value)
		} else {
			d.wrong(path, n, "text")
		}
	case reflect.Bool:
		if n.Kind == document.KindBool {
			v.SetBool(n.Value == "true")
		} else {
			d.wrong(path, n, "true or false")
		}
	case reflect.Int:
		if i, err := strconv.ParseInt(n.Value, 10, 64); n.Kind == document.KindNumber && err == nil && math.MinInt <= i && i <= math.MaxInt {
			v.SetInt(i)
		} else {
			d.wrong(path, n, "a whole number")
		}
	case reflect.Float64:
		if f, err := strconv.ParseFloat(n.Value, 64); n.Kind == document.KindNumber && err == nil {
			v.SetFloat(f)
		} else {
			d.wrong(path, n, "a number")
		}
	}
}

// wrong reports a value of another kind than wanted.
func (d *Decoder) wrong(path string, n *document.Node, want string) {
	message := fmt.Sprintf("want %s, got %s", want, n.Kind)
	if n.Kind == document.KindNumber || n.Kind == document.KindBool {
		message += ", " + n.Value
		if want == "text" {
			message += "; put it in quotes"
		}
	}
	d.Add(n.Line, path, message)
}
