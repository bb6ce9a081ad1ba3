// Package strict decodes documents written by people into Go values. It
// reports unknown keys and values of the wrong kind with their lines.
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
	"github.com/seed109e2655/resolute/internal/shape"
	"github.com/seed109e2655/resolute/internal/text"
)

// Decoder decodes into values with JSON tags. Fields of type any are
// unchanged. Add is required.
type Decoder struct {
	// Add receives a problem.
	Add func(line int, path, message string)
	// At, if set, receives the position of each part: first its value, then
	// its key.
	At func(line int, path string, n *document.Node)
	// Refused, if set, makes keys case-insensitive, matches untagged fields by
	// name, and is the message for an unknown key.
	Refused string
	// Stopped, if set, reports whether to end; the value is then incomplete. It is
	// called for each item of a list and each key of a map.
	Stopped func() bool

	keys map[reflect.Type]keys // of the structs decoded so far
}

// keys are the fields of a struct and their keys.
type keys struct {
	fields [][]int
	names  []string
}

var rawType = reflect.TypeFor[json.RawMessage]()

// Decode fills v from n. Null means an absent key.
func (d *Decoder) Decode(path string, n *document.Node, v reflect.Value) {
	d.at(n.Line, path, n)
	switch {
	case v.Type() == rawType:
		v.SetBytes(n.JSON())
	case n.Kind == document.KindNull || v.Kind() == reflect.Interface:
	case shape.Of(v.Type()) != v.Type(): // only checked against the shape
		d.Decode(path, n, reflect.New(shape.Of(v.Type())).Elem())
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

// Join returns the path of a key.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// object decodes a mapping into a struct.
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

// table decodes a mapping into a map with string keys.
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

// list decodes a sequence into a slice, which is never nil.
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

// wrong reports a value of the wrong kind.
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
