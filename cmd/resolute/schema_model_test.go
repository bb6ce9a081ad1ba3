package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/shape"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// object is a JSON object with its keys in order.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON writes the keys in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		var v bytes.Buffer
		enc := json.NewEncoder(&v)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(m.value); err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", m.key, bytes.TrimSpace(v.Bytes()))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// schemas makes the schemas of all commands from the types that are written, their comments and
// their constants.
type schemas struct {
	t      *testing.T
	source source
	names  map[reflect.Type]string
	types  map[string]reflect.Type
	uses   map[reflect.Type]int
	local  map[reflect.Type]bool // the types that only the command at hand uses
}

func newSchemas(t *testing.T) *schemas {
	s := &schemas{t: t, source: make(source), names: make(map[reflect.Type]string), types: make(map[string]reflect.Type), uses: make(map[reflect.Type]int)}
	for _, c := range printed() {
		seen := make(map[reflect.Type]bool)
		for _, of := range c.objects {
			s.walk(of, seen)
		}
		for of := range seen {
			s.uses[of]++
		}
	}
	return s
}

// shapeOf is the type of which the keys are written for a type.
func shapeOf(of reflect.Type) reflect.Type {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return shape.Of(of)
}

// walk finds the named structs below a type, and names them.
func (s *schemas) walk(of reflect.Type, seen map[reflect.Type]bool) {
	of = shapeOf(of)
	switch of.Kind() {
	case reflect.Slice, reflect.Map:
		s.walk(of.Elem(), seen)
	case reflect.Struct:
		if seen[of] || scalar(of) != nil {
			return
		}
		if of.Name() != "" {
			seen[of] = true
			s.name(of)
		}
		for _, f := range fieldsOf(of) {
			s.walk(f.Type, seen)
		}
	}
}

// name gives a struct the name of its definition.
func (s *schemas) name(of reflect.Type) {
	if s.names[of] != "" {
		return
	}
	name := strings.TrimSuffix(strings.TrimSuffix(of.Name(), "JSON"), "Of")
	if taken := s.types[lower(name)]; taken != nil && taken != of {
		name = filepath.Base(of.PkgPath()) + name
	}
	s.names[of], s.types[lower(name)] = lower(name), of
}

func lower(name string) string {
	if name == strings.ToUpper(name) {
		return strings.ToLower(name)
	}
	return string(unicode.ToLower(rune(name[0]))) + name[1:]
}

// field is a key of an object.
type field struct {
	reflect.StructField
	of       reflect.Type // that declares it
	key      string
	optional bool
}

// fieldsOf are the keys of a struct in their order, those of embedded ones among them.
func fieldsOf(of reflect.Type) []field {
	var out []field
	for i := range of.NumField() {
		f := of.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		key, options, _ := strings.Cut(tag, ",")
		switch {
		case key == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && !tagged:
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			out = append(out, fieldsOf(inner)...)
		default:
			out = append(out, field{f, of, cmp.Or(key, f.Name), strings.Contains(options, "omit")})
		}
	}
	return out
}

// scalar is the schema of a type that is written as something else than its kind; nil for all
// others.
func scalar(of reflect.Type) object {
	switch of {
	case reflect.TypeFor[cache.Key]():
		return object{{"type", "string"}}
	case reflect.TypeFor[properties.Range](), reflect.TypeFor[properties.Release]():
		return object{{"type", "string"}}
	case reflect.TypeFor[time.Time]():
		return object{{"type", "string"}, {"format", "date-time"}}
	case reflect.TypeFor[trace.Duration]():
		return object{{"type", "number"}, {"minimum", 0}}
	case reflect.TypeFor[json.RawMessage]():
		return object{}
	}
	return nil
}

// schema is the schema of a type.
func (s *schemas) schema(of reflect.Type) object {
	of = shapeOf(of)
	if o := scalar(of); o != nil {
		return o
	}
	switch of.Kind() {
	case reflect.String:
		if values := s.source.valuesOf(s.t, of); len(values) > 0 {
			return object{{"type", "string"}, {"enum", values}}
		}
		return object{{"type", "string"}}
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Float64:
		return object{{"type", "number"}}
	case reflect.Int, reflect.Int64:
		return object{{"type", "integer"}}
	case reflect.Uint64:
		return object{{"type", "integer"}, {"minimum", 0}}
	case reflect.Slice:
		return object{{"type", "array"}, {"items", s.schema(of.Elem())}}
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", s.schema(of.Elem())}}
	case reflect.Struct:
		switch {
		case of.Name() == "":
			return s.object(of)
		case s.local[of]:
			return object{{"$ref", "#/$defs/" + s.names[of]}}
		}
		return object{{"$ref", "defs.json#/$defs/" + s.names[of]}}
	}
	require.Fail(s.t, "no schema", "%s", of)
	return nil
}

// object is the schema of a struct.
func (s *schemas) object(of reflect.Type) object {
	var o object
	if of.Name() != "" {
		o = object{{"title", words(s.names[of])}}
		if doc := s.source.of(s.t, of.PkgPath()).comments[of.Name()]; doc != "" {
			o = append(o, member{"description", doc})
		}
	}
	properties, required := object{}, []string{}
	for _, f := range fieldsOf(of) {
		schema := s.schema(f.Type)
		name := short(f.of) + "." + f.Name
		if values := codes(s)[cmp.Or(specific(of, f), name)]; values != nil {
			schema = object{{"type", "string"}, {"enum", values}}
		}
		doc := s.describe(f, name)
		schema = append(object{{"description", doc}}, schema...)
		properties = append(properties, member{f.key, schema})
		if !f.optional {
			required = append(required, f.key)
		}
	}
	o = append(o, member{"type", "object"}, member{"properties", properties})
	if len(required) > 0 {
		o = append(o, member{"required", required})
	}
	return append(o, member{"additionalProperties", false})
}

// specific is the key of codes of a field as one type has it that embeds it.
func specific(of reflect.Type, f field) string {
	if of != f.of && (f.Name == "Status") && of.Name() == "upgradeAnswer" {
		return "main.upgradeAnswer.Status"
	}
	return ""
}

// describe says what a key means.
func (s *schemas) describe(f field, name string) string {
	of := f.of.Name()
	if doc := described[name]; doc != "" {
		return doc
	}
	if of == "stepJSON" {
		of = "Step"
	}
	of = strings.Replace(of, "conflictJSON", "Conflict", 1)
	doc := ""
	if f.of.PkgPath() != "" {
		doc = s.source.of(s.t, f.of.PkgPath()).comments[of+"."+f.Name]
	}
	if doc = cmp.Or(doc, described[f.key]); doc == "" && f.Type.Kind() == reflect.String && f.Type.PkgPath() != "" {
		doc = s.source.of(s.t, f.Type.PkgPath()).comments[f.Type.Name()] // of the enumeration
	}
	if doc == "" {
		s.t.Errorf("%q (%s) has no description: write a comment", name, f.key)
	}
	return doc
}

// short is the name of a type behind that of its package.
func short(of reflect.Type) string {
	pkg := filepath.Base(of.PkgPath())
	if strings.HasSuffix(of.PkgPath(), "cmd/resolute") {
		pkg = "main"
	}
	return pkg + "." + of.Name()
}

// words are the words of a name in camel case, the first one with a capital.
func words(name string) string {
	s := regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(name, "$1 $2")
	return strings.ToUpper(s[:1]) + strings.ToLower(s[1:])
}

const schemaID = "https://github.com/seed109e2655/resolute/cmd/resolute/schema/"

// files are the schemas by the names of their files.
func (s *schemas) files() map[string][]byte {
	out := make(map[string][]byte)
	write := func(name string, o object) {
		o = append(object{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"$id", schemaID + name}}, o...)
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		require.NoError(s.t, enc.Encode(o))
		out[name] = b.Bytes()
	}
	for _, c := range printed() {
		seen := make(map[reflect.Type]bool)
		var one []object
		s.local = make(map[reflect.Type]bool)
		for _, of := range c.objects {
			s.walk(of, seen)
		}
		for of := range seen {
			s.local[of] = s.uses[of] == 1
		}
		for _, of := range c.objects {
			one = append(one, s.schema(of))
		}
		o := object{{"title", "resolute " + c.command + " -o json"}, {"description", c.prints}, {"oneOf", one}}
		if c.command == "render" {
			o = append(o[:2], blobSchema...)
		}
		if defs := s.definitions(func(of reflect.Type) bool { return s.local[of] }); len(defs) > 0 {
			o = append(o, member{"$defs", defs})
		}
		write(c.command+".json", o)
	}
	s.local = nil
	write("defs.json", object{{"title", "What several commands print"}, {"description", "The definitions that the schemas of the commands share. Keys that are not required are absent where they are empty."},
		{"$defs", s.definitions(func(of reflect.Type) bool { return s.uses[of] > 1 })}})
	return out
}

// definitions are those of the structs that are chosen, by name.
func (s *schemas) definitions(chosen func(reflect.Type) bool) object {
	var defs object
	for _, name := range slices.Sorted(maps.Keys(s.types)) {
		if of := s.types[name]; chosen(of) {
			defs = append(defs, member{name, s.object(of)})
		}
	}
	return defs
}
