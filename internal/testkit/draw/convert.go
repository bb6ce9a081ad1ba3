package draw

import (
	"context"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

// Converter converts the oracle's problems to requests with a shared parser,
// so that each rule is compiled once. It panics on invalid problems, which are
// never drawn. It is safe for concurrent use. Make it with [NewConverter].
type Converter struct {
	// Parser parses the constraints.
	Parser *constraints.Parser
}

// NewConverter returns a converter.
func NewConverter() Converter { return Converter{constraints.NewParser()} }

// Request converts a problem.
func (c Converter) Request(p *oracle.Problem) resolver.Request { return p.Request(c.Parser) }

// Constraint converts a constraint.
func (c Converter) Constraint(k *oracle.Constraint) constraints.Constraint { return k.Parsed(c.Parser) }

// Package parses a single package.
func (c Converter) Package(p *oracle.Package) *graph.Package {
	return c.Catalog(&oracle.Catalog{Packages: []oracle.Package{*p}}).Package(p.Name)
}

// Catalog parses a catalog from its blobs.
func (c Converter) Catalog(cat *oracle.Catalog) *cache.Catalog {
	out, err := fbc.FromBlobs(context.Background(), cat.Blobs(), fbc.Options{Catalog: cat.Key, Parser: c.Parser})
	if err != nil {
		panic(err)
	}
	return out
}
