package lazy

import (
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// plain reports whether foresee can follow a request: it has one catalog, whose order decides alone.
func (s *Session) plain(req *resolver.Request) bool {
	p := &req.Policy
	if len(s.catalogs) != 1 || len(req.Catalogs)+len(req.Installed)+len(req.Extensions)+len(req.Forbid)+len(req.Force)+
		len(req.Constraints)+len(req.Relax)+len(p.Veto) > 0 || req.Veto != nil ||
		p.Goal == resolver.Oldest || p.Deprecations == resolver.DeprecationsAvoid || p.Compatibility == resolver.CompatibilityRequire {
		return false
	}
	for i := range req.Subscriptions {
		d := &req.Subscriptions[i]
		if len(d.Channels) > 0 || d.StartingCSV != "" || d.Pin != "" || !d.Catalog.IsZero() && d.Catalog != s.catalogs[0].Key {
			return false
		}
	}
	return true
}

// foresee lists the versions to read before the next round: those that its answer would have, if what
// was read since the last one leaves that as it is, and every further decision can take its first
// candidate. If it cannot tell, or nothing is left to read, it returns none, and the round decides. A
// round costs far more than that.
func (s *Session) foresee(req *resolver.Request, last *resolver.Solution) []version {
	f := foresight{of: s.catalogs[0], picked: make(map[string]*graph.Bundle), apis: make(map[properties.GVK]bool)}
	if last != nil {
		for i := range last.Steps {
			step := &last.Steps[i]
			p := f.of.packages[step.Package]
			if p == nil || !f.take(p.built.Bundle(step.Bundle)) {
				return nil
			}
		}
	}
	for i := range req.Subscriptions {
		f.wanted = append(f.wanted, wanted{req.Subscriptions[i].Package, req.Subscriptions[i].VersionRange})
	}
	for i := 0; i < len(f.wanted); i++ {
		if !f.pick(f.wanted[i]) {
			return nil
		}
	}
	return f.unread
}

// foresight follows a problem without alternatives.
type foresight struct {
	of     *known
	wanted []wanted
	picked map[string]*graph.Bundle // by package
	apis   map[properties.GVK]bool  // that the picked bundles provide
	unread []version
}

// wanted is a package that an answer needs. A zero range contains every version.
type wanted struct {
	name   string
	within properties.Range
}

// pick picks the first candidate, and reports whether that may be right.
func (f *foresight) pick(w wanted) bool {
	holds := func(b *graph.Bundle) bool { return w.within.IsZero() || w.within.Contains(*b.Version) }
	if b := f.picked[w.name]; b != nil {
		return holds(b)
	}
	return f.take(f.first(w.name, holds))
}

// take adds a bundle, and reports whether that may be right.
func (f *foresight) take(b *graph.Bundle) bool {
	if b == nil {
		return false
	}
	f.picked[b.Package] = b
	if b.Unread {
		f.unread = append(f.unread, version{f.of, Ref{b.Package, b.Name}})
		return true
	}
	for g := range b.Properties.GVKs() {
		if f.apis[g] {
			return false
		}
		f.apis[g] = true
	}
	for _, r := range b.Constraints {
		c, ok := r.Constraint.(*constraints.Package)
		if !ok {
			return false
		}
		f.wanted = append(f.wanted, wanted{c.Name, c.Range})
	}
	return true
}

// first returns the first candidate of a package; nil if there is none.
func (f *foresight) first(name string, holds func(*graph.Bundle) bool) *graph.Bundle {
	p := f.of.packages[name]
	if p == nil {
		return nil
	}
	for _, ch := range p.built.Channels {
		for _, b := range ch.Candidates() {
			if !b.Barred && holds(b) {
				return b
			}
		}
	}
	return nil
}
