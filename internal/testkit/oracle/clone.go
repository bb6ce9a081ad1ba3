package oracle

import (
	"reflect"
	"slices"
)

// Clone returns a copy that shares nothing that could be changed.
func (p *Problem) Clone() *Problem {
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
