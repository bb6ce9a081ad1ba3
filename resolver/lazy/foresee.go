package lazy

import (
	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// foresight tells what the next rounds will read, without resolving, as long as no decision has an
// alternative: each requirement is one of a package, which the last answer has in the required range,
// or of which it has no version, so that the first candidate in the range is next. It gives up where
// a round has to decide; a round costs far more.
type foresight struct {
	of     *known
	picked map[string]*semver.Version // by package
}

// foreseeable reports whether a request has one catalog, whose order alone decides among dependencies.
func (s *Session) foreseeable(req *resolver.Request) bool {
	p := &req.Policy
	return len(s.catalogs) == 1 && len(req.Catalogs)+len(req.Extensions)+len(req.Forbid)+len(req.Constraints)+len(req.Relax)+len(p.Veto) == 0 &&
		req.Veto == nil && p.Goal != resolver.Oldest && p.Deprecations != resolver.DeprecationsAvoid && p.Compatibility != resolver.CompatibilityRequire
}

// foresee starts with a request; nil if a round has to decide what it begins with.
func (s *Session) foresee(req *resolver.Request) (*foresight, []version) {
	f := &foresight{of: s.catalogs[0], picked: make(map[string]*semver.Version)}
	if len(req.Installed)+len(req.Force) > 0 {
		return nil, nil
	}
	var batch []version
	for i := range req.Subscriptions {
		d := &req.Subscriptions[i]
		if len(d.Channels) > 0 || d.StartingCSV != "" || d.Pin != "" || !d.Catalog.IsZero() && d.Catalog != f.of.Key || !f.pick(d.Package, d.VersionRange, &batch) {
			return nil, nil
		}
	}
	return f, batch
}

// after starts with the solution of a round; nil if it cannot.
func (s *Session) after(found []*resolver.Solution) *foresight {
	if len(found) != 1 {
		return nil
	}
	f := &foresight{of: s.catalogs[0], picked: make(map[string]*semver.Version)}
	for i := range found[0].Steps {
		if step := &found[0].Steps[i]; step.Package != "" {
			f.picked[step.Package] = step.Version
		}
	}
	return f
}

// next lists the versions to read after some were read. It reports whether it can tell.
func (f *foresight) next(read []version) ([]version, bool) {
	var batch []version
	for _, v := range read {
		b := f.of.packages[v.ref.Package].built.Bundle(v.ref.Name)
		if b.Barred || b.Quarantine != nil {
			return nil, false
		}
		for range b.Properties.GVKs() { // of which there is one provider
			return nil, false
		}
		for _, r := range b.Constraints {
			c, ok := r.Constraint.(*constraints.Package)
			if !ok || !f.pick(c.Name, c.Range, &batch) {
				return nil, false
			}
		}
	}
	return batch, true
}

// pick adds the first candidate of a package in a range to the batch, unless a version in the range
// is picked already. It reports whether that is what a round does. A zero range contains all versions.
func (f *foresight) pick(name string, within properties.Range, batch *[]version) bool {
	holds := func(v *semver.Version) bool { return v != nil && (within.IsZero() || within.Contains(*v)) }
	if v, ok := f.picked[name]; ok {
		return holds(v)
	}
	b := f.first(name, holds)
	if b == nil {
		return false
	}
	if f.picked[name] = b.Version; b.Unread {
		*batch = append(*batch, version{f.of, Ref{name, b.Name}})
		return true
	}
	more, ok := f.next([]version{{f.of, Ref{name, b.Name}}})
	*batch = append(*batch, more...)
	return ok
}

// first returns the first candidate of a package; nil if there is none.
func (f *foresight) first(name string, holds func(*semver.Version) bool) *graph.Bundle {
	p := f.of.packages[name]
	if p == nil {
		return nil
	}
	for _, ch := range p.built.Channels {
		for _, b := range ch.Candidates() {
			if !b.Barred && holds(b.Version) {
				return b
			}
		}
	}
	return nil
}
