package oracle

import (
	"reflect"
	"slices"
)

// Shrink takes away from a problem whatever it still fails without, until
// nothing more can be taken away. The result is a smallest problem to look at;
// p is not changed. It is asked only about problems that can be solved by brute
// force.
func Shrink(p *Problem, fails func(*Problem) bool) *Problem {
	for again := true; again; {
		again = false
		for k := 0; ; {
			q := clone(p)
			e := editor{want: k}
			e.problem(q)
			if !e.done {
				break
			}
			q.Settle()
			if _, err := newWorld(q); err == nil && fails(q) {
				p, again = q, true
			} else {
				k++
			}
		}
	}
	return p
}

func clone(p *Problem) *Problem {
	q := *p
	unshare(reflect.ValueOf(&q).Elem())
	return &q
}

// unshare gives a value its own copies of the lists and pointers in it.
func unshare(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			unshare(v.Field(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
		if v.Type().Elem().Kind() == reflect.String {
			return
		}
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

// Drop takes a subscription away, and what it owns from it.
func (p *Problem) Drop(i int) {
	for j := range p.Installed {
		if p.Installed[j].Subscription == p.Subscriptions[i].Name {
			p.Installed[j].Subscription = ""
		}
	}
	p.Subscriptions = slices.Delete(p.Subscriptions, i, i+1)
}

// Settle marks those subscriptions as generated that are taken for such when they
// are read from a scenario file, and no others.
func (p *Problem) Settle() {
	for i := range p.Subscriptions {
		p.Subscriptions[i].Generated = p.TakenAsGenerated(&p.Subscriptions[i])
	}
}

// editor makes one of all the edits that make a problem smaller: the one of the
// number that is wanted. A field with the tag shrink:"keep" stays as it is.
type editor struct {
	at, want int
	done     bool
}

func (e *editor) here() bool {
	e.at++
	if e.at-1 == e.want {
		e.done = true
	}
	return e.at-1 == e.want
}

func (e *editor) problem(p *Problem) {
	for i := range p.Subscriptions {
		if e.here() {
			p.Drop(i)
			return
		}
	}
	e.value(reflect.ValueOf(p).Elem())
}

// value edits a value or something in it.
func (e *editor) value(v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *Constraint:
		e.constraint(x)
		return
	case *Key:
		if *x != (Key{}) && e.here() {
			*x = Key{}
		}
		return
	case *Range:
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		e.fields(v)
	case reflect.Slice:
		e.list(v)
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if e.here() {
			v.SetZero()
			return
		}
		e.value(v.Elem())
	default:
		if !v.IsZero() && e.here() {
			v.SetZero()
		}
	}
}

// fields edits the fields of a struct: first it cuts lists, then it looks inside.
func (e *editor) fields(v reflect.Value) {
	kept := func(i int) bool { return v.Type().Field(i).Tag.Get("shrink") == "keep" }
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && !kept(i) {
			e.cut(f)
		}
	}
	for i := range v.NumField() {
		if !e.done && !kept(i) {
			e.value(v.Field(i))
		}
	}
}

// cut removes an item of a list.
func (e *editor) cut(list reflect.Value) {
	for i := range list.Len() {
		if e.here() {
			if list.Set(reflect.AppendSlice(list.Slice(0, i), list.Slice(i+1, list.Len()))); list.Len() == 0 {
				list.SetZero() // an empty range is another thing than none
			}
			return
		}
	}
}

// list edits the items of a list.
func (e *editor) list(v reflect.Value) {
	for i := range v.Len() {
		if !e.done && v.Index(i).Kind() == reflect.Struct {
			e.value(v.Index(i))
		}
	}
}

// constraint puts a child in the place of a compound or takes one out of it, and
// simplifies the rest.
func (e *editor) constraint(c *Constraint) {
	for _, k := range c.Of {
		if e.here() {
			*c = k
			return
		}
	}
	if of := reflect.ValueOf(&c.Of).Elem(); !e.done {
		e.cut(of)
		e.list(of)
	}
	if len(c.Range) > 1 && !e.done {
		e.cut(reflect.ValueOf(&c.Range).Elem())
	}
	if c.Rule != nil && len(c.Rule.Of) > 0 && e.here() {
		r := c.Rule.Of[0]
		c.Rule = &r
	}
	if c.Message != "" && e.here() {
		c.Message = ""
	}
}
