package oracle

import (
	"encoding/json"
	"fmt"
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
	var q Problem
	data, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(data, &q)
	}
	if err != nil {
		panic(fmt.Sprintf("oracle: cannot copy a problem: %v", err))
	}
	return &q
}

// editor makes one of all the edits that make a problem smaller: the one of the
// number that is wanted.
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

// cut removes an item of a list.
func cut[T any](e *editor, list *[]T) {
	for i := range *list {
		if e.here() {
			*list = slices.Delete(*list, i, i+1)
			return
		}
	}
}

// reset empties a value.
func reset[T comparable](e *editor, v *T) {
	var zero T
	if *v != zero && e.here() {
		*v = zero
	}
}

func (e *editor) problem(p *Problem) {
	cut(e, &p.Catalogs)
	for i := range p.Catalogs {
		cut(e, &p.Catalogs[i].Packages)
	}
	cut(e, &p.Installed)
	for i := range p.Subscriptions {
		if e.here() {
			p.Drop(i)
			return
		}
	}
	cut(e, &p.Forbid)
	cut(e, &p.Force)
	cut(e, &p.Added)
	cut(e, &p.Relax)
	reset(e, &p.Cluster.Kube)
	cut(e, &p.Cluster.APIs)
	reset(e, &p.Policy.SelfCertified)
	reset(e, &p.Policy.PerBundle)
	reset(e, &p.Policy.Goal)
	reset(e, &p.Policy.Avoid)
	reset(e, &p.Policy.Partial)
	for i := range p.Catalogs {
		reset(e, &p.Catalogs[i].Priority)
		for j := range p.Catalogs[i].Packages {
			e.pkg(&p.Catalogs[i].Packages[j])
		}
	}
	e.request(p)
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

func (e *editor) request(p *Problem) {
	for i := range p.Installed {
		in := &p.Installed[i]
		reset(e, &in.Bare)
		reset(e, &in.Catalog)
		reset(e, &in.Channel)
		reset(e, &in.Subscription)
		reset(e, &in.Automatic)
		reset(e, &in.ReplacedBy)
		e.bundle(&in.Bundle)
	}
	for i := range p.Subscriptions {
		s := &p.Subscriptions[i]
		reset(e, &s.Channel)
		reset(e, &s.Catalog)
		reset(e, &s.StartingCSV)
		reset(e, &s.Pin)
		reset(e, &s.InstalledCSV)
		if s.Range != nil && e.here() {
			s.Range = nil
		}
	}
	for i := range p.Forbid {
		reset(e, &p.Forbid[i].Bundle.Catalog)
	}
	for i := range p.Force {
		reset(e, &p.Force[i].Catalog)
	}
	for i := range p.Added {
		reset(e, &p.Added[i].Bundle.Catalog)
		e.constraint(&p.Added[i].Constraint)
	}
}

func (e *editor) pkg(p *Package) {
	cut(e, &p.Channels)
	cut(e, &p.Bundles)
	cut(e, &p.Notes)
	reset(e, &p.Blobs)
	reset(e, &p.Default)
	for i := range p.Channels {
		cut(e, &p.Channels[i].Entries)
		for j := range p.Channels[i].Entries {
			en := &p.Channels[i].Entries[j]
			cut(e, &en.Skips)
			if en.SkipRange != nil && e.here() {
				en.SkipRange = nil
			}
			reset(e, &en.Replaces)
		}
	}
	for i := range p.Bundles {
		e.bundle(&p.Bundles[i])
	}
}

func (e *editor) bundle(b *Bundle) {
	cut(e, &b.Requires)
	cut(e, &b.Provides)
	cut(e, &b.Labels)
	cut(e, &b.Extras)
	reset(e, &b.Deprecated)
	reset(e, &b.Defect)
	reset(e, &b.Version.RC)
	for i := range b.Requires {
		e.constraint(&b.Requires[i])
	}
}

func (e *editor) constraint(c *Constraint) {
	reset(e, &c.Message)
	for _, k := range c.Of {
		if e.here() {
			*c = k // a child stands for the whole
			return
		}
	}
	cut(e, &c.Of)
	for i := range c.Of {
		e.constraint(&c.Of[i])
	}
	if len(c.Range) > 1 {
		cut(e, (*[][]Bound)(&c.Range))
	}
	if c.Rule != nil && len(c.Rule.Of) > 0 && e.here() {
		r := c.Rule.Of[0]
		c.Rule = &r
	}
}
