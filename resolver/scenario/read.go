package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/text"
)

// MaxBytes is the size of the largest scenario file that is read, 32 MiB. Larger
// catalogs have their place in files of their own.
const MaxBytes = document.DefaultMaxBytes

// ReadFile reads a scenario from a file of the operating system. The error is an
// [*Error] if the file is no well-formed scenario, that of the file system, or
// that of the context.
func ReadFile(ctx context.Context, file string) (*Scenario, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(ctx, f, file, nil)
}

// Read reads a scenario from a file of a file system. Its catalogs are then read
// from there as well. The errors are those of [ReadFile].
func Read(ctx context.Context, fsys fs.FS, file string) (*Scenario, error) {
	f, err := fsys.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(ctx, f, file, fsys)
}

func read(ctx context.Context, r io.Reader, file string, fsys fs.FS) (*Scenario, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s, err := Parse(ctx, file, data)
	if err != nil {
		return nil, err
	}
	s.origin.fsys = fsys
	return s, nil
}

// Parse reads a scenario from text, YAML or JSON. The file's name is for
// messages, and its directory is what the paths of catalogs are relative to.
//
// The error is an [*Error], or that of the context. It lists everything that has
// the wrong shape; if the shape is right, everything that has no meaning.
func Parse(ctx context.Context, file string, data []byte) (*Scenario, error) {
	s := &Scenario{origin: origin{file: file, lines: make(map[string]int), nodes: make(map[string]*document.Node)}}
	d := &decoder{problems{origin: &s.origin}}
	root, err := document.Decode(ctx, data, file, document.Limits{MaxBytes: MaxBytes})
	var bad *document.SyntaxError
	switch {
	case errors.As(err, &bad):
		d.addAt(bad.Line, "", "%s", bad.Reason)
		return nil, d.err()
	case err != nil:
		return nil, err
	}
	d.decode("", root, reflect.ValueOf(s).Elem())
	if n := root.Field("expect"); n == nil || n.Kind == document.KindNull {
		s.Expect = nil
	} else { // held against the shape of an answer
		d.decode("expect", n, reflect.ValueOf(new(Answer)).Elem())
	}
	if len(d.found) == 0 {
		s.validate(&d.problems)
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// decoder fills Go values from the tree of a document, strictly: a key that the
// type does not have and a value of another kind are problems with their line.
// It knows the kinds of types that this package has, by their JSON tags.
type decoder struct{ problems }

var rawType = reflect.TypeFor[json.RawMessage]()

// decode fills v from n. A null stands for a key that is not there.
func (d *decoder) decode(path string, n *document.Node, v reflect.Value) {
	d.origin.lines[path] = n.Line
	switch {
	case v.Type() == rawType:
		d.origin.nodes[path] = n
		v.SetBytes(n.JSON())
	case n.Kind == document.KindNull:
	case shapeOf(v.Type()) != nil: // it is only held against the shape
		d.decode(path, n, reflect.New(shapeOf(v.Type())).Elem())
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.decode(path, n, v.Elem())
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

// shapeOf is the type whose tags are the keys of one with a JSON of its own, nil for
// any other type.
func shapeOf(t reflect.Type) reflect.Type {
	if s, ok := reflect.Zero(t).Interface().(interface{ JSONShape() any }); ok {
		return reflect.TypeOf(s.JSONShape())
	}
	return nil
}

// object fills a struct from a mapping.
func (d *decoder) object(path string, n *document.Node, v reflect.Value) {
	if n.Kind != document.KindMapping {
		d.wrong(path, n, "a mapping with keys")
		return
	}
	fields, names := fieldsOf(v.Type())
	for _, f := range n.Fields {
		at := join(path, f.Name)
		i, ok := fields[f.Name]
		if !ok {
			d.addAt(f.Line, path, "unknown key %q; the keys here are %s%s", f.Name, strings.Join(names, ", "), text.DidYouMean(f.Name, slices.Values(names)))
			continue
		}
		d.decode(at, f.Value, v.FieldByIndex(i))
		d.origin.lines[at] = f.Line
	}
}

// fieldsOf returns the fields of a struct by the keys that stand for them, and
// the keys in their order.
func fieldsOf(t reflect.Type) (map[string][]int, []string) {
	fields, names := make(map[string][]int, t.NumField()), make([]string, 0, t.NumField())
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key != "" && key != "-" {
			fields[key] = f.Index
			names = append(names, key)
		}
	}
	return fields, names
}

// table fills a map with text keys from a mapping.
func (d *decoder) table(path string, n *document.Node, v reflect.Value) {
	if n.Kind != document.KindMapping {
		d.wrong(path, n, "a mapping with keys")
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(n.Fields)))
	for _, f := range n.Fields {
		value := reflect.New(v.Type().Elem()).Elem()
		d.decode(join(path, f.Name), f.Value, value)
		v.SetMapIndex(reflect.ValueOf(f.Name), value)
	}
}

// list fills a slice from a sequence; an empty sequence gives an empty slice
// that is not nil.
func (d *decoder) list(path string, n *document.Node, v reflect.Value) {
	if n.Kind != document.KindSequence {
		d.wrong(path, n, "a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items)))
	for i, item := range n.Items {
		d.decode(path+"["+strconv.Itoa(i)+"]", item, v.Index(i))
	}
}

func (d *decoder) scalar(path string, n *document.Node, v reflect.Value) {
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
func (d *decoder) wrong(path string, n *document.Node, want string) {
	switch n.Kind {
	case document.KindNumber, document.KindBool:
		advice := ""
		if want == "text" {
			advice = "; put it in quotes"
		}
		d.addAt(n.Line, path, "want %s, got %s, %s%s", want, n.Kind, n.Value, advice)
	default:
		d.addAt(n.Line, path, "want %s, got %s", want, n.Kind)
	}
}
