package draw

import (
	"context"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Converter makes requests of the oracle's problems. It panics on what no drawn
// problem can have. It is safe for concurrent use. Make it with
// [NewConverter].
type Converter struct {
	// Parser reads the constraints.
	Parser *constraints.Parser
}

// NewConverter returns a converter.
func NewConverter() Converter {
	return Converter{constraints.NewParser()}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Request converts a problem: it is read from the scenario that prints it, with the
// catalogs as they are read from blobs, and with what a scenario cannot say.
func (c Converter) Request(p *oracle.Problem) resolver.Request {
	said := *p
	said.Catalogs = nil
	s := must(scenario.Parse(context.Background(), "problem.yaml", []byte(said.Scenario())))
	req := must(s.Request())
	for i := range p.Catalogs {
		cat := &p.Catalogs[i]
		req.Catalogs = append(req.Catalogs, resolver.Catalog{Key: cat.Key, Priority: cat.Priority, Content: c.Catalog(cat)})
	}
	for i := range p.Installed {
		req.Installed[i].Subscription = p.Installed[i].Subscription
	}
	for i := range p.Subscriptions {
		of, sub := &p.Subscriptions[i], &req.Subscriptions[i]
		sub.InstalledCSV, sub.Generated, sub.Pin = of.InstalledCSV, of.Generated, of.Pin
	}
	for _, f := range p.Force {
		req.Force = append(req.Force, Ref(f))
	}
	req.Constraints, req.Relax = c.added(p.Added), c.added(p.Relax)
	return req
}

func (c Converter) added(list []oracle.Added) (out []resolver.BundleConstraint) {
	for _, a := range list {
		out = append(out, resolver.BundleConstraint{Bundle: Ref(a.Bundle), Constraint: c.Constraint(&a.Constraint)})
	}
	return out
}

// Ref converts the reference to a bundle.
func Ref(r oracle.Ref) resolver.BundleRef {
	return resolver.BundleRef{Catalog: r.Catalog, Name: r.Name}
}

// Constraint converts a constraint.
func (c Converter) Constraint(k *oracle.Constraint) constraints.Constraint {
	p := k.Property()
	out, ok, err := c.Parser.FromProperty(must(properties.New(p.Type, p.RawValue())))
	if !ok {
		panic(p.Type + " is no constraint")
	}
	return must(out, err)
}

// Installed converts an installed bundle.
func (c Converter) Installed(in *oracle.Installed) resolver.Installed {
	return c.Request(&oracle.Problem{Installed: []oracle.Installed{*in}}).Installed[0]
}

// Package reads a package alone.
func (c Converter) Package(p *oracle.Package) *graph.Package {
	return c.Catalog(&oracle.Catalog{Packages: []oracle.Package{*p}}).Package(p.Name)
}

// Catalog reads a catalog from its blobs.
func (c Converter) Catalog(cat *oracle.Catalog) *cache.Catalog {
	return must(fbc.FromBlobs(context.Background(), cat.Blobs(), fbc.Options{Catalog: cat.Key, Parser: c.Parser}))
}
