package draw

import (
	"reflect"
	"slices"

	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/properties"
)

// Shrink reduces a failing problem until every further removal makes it pass.
// It does not change p. It calls fails only with problems small enough for
// brute force.
func Shrink(p *oracle.Problem, fails func(*oracle.Problem) bool) *oracle.Problem {
	return declared.Minimize(p, (*oracle.Problem).Clone, func(p *oracle.Problem) [][]func() {
		var subscriptions, others editor
		var catalogs declared.Edits
		for i := range p.Subscriptions {
			subscriptions.edit(func() { p.Drop(i) })
		}
		for i := range p.Catalogs {
			others.edit(declared.Cut(&p.Catalogs, i))
		}
		for i := range p.Catalogs {
			p.Catalogs[i].Add(&catalogs)
			for k := range p.Catalogs[i].Packages {
				pkg := &p.Catalogs[i].Packages[k]
				others.list(reflect.ValueOf(&pkg.Bundles).Elem())
				others.value(reflect.ValueOf(&pkg.Surplus).Elem())
			}
		}
		others.value(reflect.ValueOf(p).Elem())
		return [][]func(){subscriptions.edits, catalogs.Packages, catalogs.Bundles, catalogs.Channels, catalogs.Entries, catalogs.Edges, catalogs.Notes, others.edits}
	}, func(p *oracle.Problem) bool {
		p.Settle()
		return oracle.Check(p) == nil && fails(p)
	}, func() bool { return true })
}

// editor lists the edits that make a problem smaller.
type editor struct{ edits []func() }

// fixed reports whether a field, also of a foreign type, is not shrunk.
func fixed(of reflect.Type, f reflect.StructField) bool {
	switch {
	case of == reflect.TypeFor[oracle.Ref]() && f.Name == "Name":
		return true
	case of == reflect.TypeFor[oracle.Subscription]() && slices.Contains([]string{"Name", "Package", "Generated"}, f.Name):
		return true
	}
	return f.Tag.Get("shrink") == "keep"
}

func (e *editor) edit(f func()) { e.edits = append(e.edits, f) }

func (e *editor) value(v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *oracle.Constraint:
		e.constraint(x)
		return
	case *oracle.Key, *properties.Range:
		if !v.IsZero() {
			e.edit(v.SetZero)
		}
		return
	case *oracle.Range:
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		e.fields(v)
	case reflect.Slice:
		e.list(v)
	default:
		if !v.IsZero() {
			e.edit(v.SetZero)
		}
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			e.value(v.Elem())
		}
	}
}

// fields edits the fields of a struct: lists first, then their contents.
func (e *editor) fields(v reflect.Value) {
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && !fixed(v.Type(), v.Type().Field(i)) {
			e.cut(f)
		}
	}
	for i := range v.NumField() {
		if !fixed(v.Type(), v.Type().Field(i)) {
			e.value(v.Field(i))
		}
	}
}

func (e *editor) cut(list reflect.Value) {
	for i := range list.Len() {
		e.edit(func() {
			if list.Set(reflect.AppendSlice(list.Slice(0, i), list.Slice(i+1, list.Len()))); list.Len() == 0 {
				list.SetZero() // an empty range differs from no range
			}
		})
	}
}

func (e *editor) list(v reflect.Value) {
	for i := range v.Len() {
		if v.Index(i).Kind() == reflect.Struct {
			e.value(v.Index(i))
		}
	}
}

// constraint replaces a compound by a child, removes a child, and simplifies
// the rest.
func (e *editor) constraint(c *oracle.Constraint) {
	for _, k := range c.Of {
		e.edit(func() { *c = k })
	}
	of := reflect.ValueOf(&c.Of).Elem()
	e.cut(of)
	e.list(of)
	if len(c.Range) > 1 {
		e.cut(reflect.ValueOf(&c.Range).Elem())
	}
	if c.Rule != nil && len(c.Rule.Of) > 0 {
		e.edit(func() { c.Rule = &c.Rule.Of[0] })
	}
	if c.Message != "" {
		e.edit(func() { c.Message = "" })
	}
}
