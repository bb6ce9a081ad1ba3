package draw

import (
	"reflect"

	"github.com/seed109e2655/resolute/internal/testkit/oracle"
)

// Shrink takes away from a problem whatever it still fails without, until nothing
// more can be taken away. The result is a smallest problem to look at; p is not
// changed. It is asked only about problems that can be solved by brute force.
func Shrink(p *oracle.Problem, fails func(*oracle.Problem) bool) *oracle.Problem {
	for again := true; again; {
		again = false
		for k := 0; ; {
			q := p.Clone()
			e := editor{want: k}
			e.problem(q)
			if !e.done {
				break
			}
			q.Settle()
			if oracle.Check(q) == nil && fails(q) {
				p, again = q, true
			} else {
				k++
			}
		}
	}
	return p
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

func (e *editor) problem(p *oracle.Problem) {
	for i := range p.Subscriptions {
		if e.here() {
			p.Drop(i)
			return
		}
	}
	e.value(reflect.ValueOf(p).Elem())
}

func (e *editor) value(v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *oracle.Constraint:
		e.constraint(x)
		return
	case *oracle.Key:
		if *x != (oracle.Key{}) && e.here() {
			*x = oracle.Key{}
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

func (e *editor) list(v reflect.Value) {
	for i := range v.Len() {
		if !e.done && v.Index(i).Kind() == reflect.Struct {
			e.value(v.Index(i))
		}
	}
}

// constraint puts a child in the place of a compound or takes one out of it, and
// simplifies the rest.
func (e *editor) constraint(c *oracle.Constraint) {
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
