package resolver_test

import (
	"context"
	"slices"
	"testing"

	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// TestPropertyThroughScenarios writes each problem out as the scenario that a
// failing test prints, and resolves what is read back.
func TestPropertyThroughScenarios(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.15, func(p *oracle.Problem) error {
		p = p.Clone()
		p.Force, p.Added = nil, nil // what a scenario cannot say
		p.Catalogs = slices.DeleteFunc(p.Catalogs, func(c oracle.Catalog) bool { return len(c.Packages) == 0 })
		for i := range p.Subscriptions {
			p.Subscriptions[i].Pin = ""
		}
		want, err := oracle.Solve(p)
		if err != nil {
			return err
		}
		s, err := scenario.Parse(context.Background(), "problem.yaml", []byte(p.Scenario()))
		if err != nil {
			return err
		}
		loaded, err := s.Load(context.Background())
		if err != nil {
			return err
		}
		got, err := r.Resolve(context.Background(), loaded.Request)
		return c.compare(p, want, got, err)
	})
}
