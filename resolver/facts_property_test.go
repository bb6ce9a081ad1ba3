package resolver_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

// checkFacts checks that the facts of a conflict cannot hold together, and that
// they can as soon as any one of them is dropped.
func (c converter) checkFacts(p *oracle.Problem, conflict *resolver.Conflict) error {
	facts, err := c.facts(p, conflict)
	if err != nil {
		return err
	}
	switch ok, err := oracle.Satisfiable(p, facts); {
	case err != nil:
		return err
	case ok:
		return fmt.Errorf("these facts can hold together:\n%s", listed(conflict))
	}
	for i, f := range conflict.Facts {
		if f.Kind == resolver.FactQuarantined {
			continue // see oracle.Satisfiable
		}
		rest := slices.Delete(slices.Clone(facts), i, i+1)
		if ok, err := oracle.Satisfiable(p, rest); err != nil || !ok {
			return errors.Join(err, fmt.Errorf("%q is not needed among these facts:\n%s", f.Text, listed(conflict)))
		}
	}
	return nil
}

func listed(c *resolver.Conflict) string {
	var b strings.Builder
	for _, f := range c.Facts {
		b.WriteString("- " + string(f.Kind) + " " + f.Subject + ": " + f.Text + "\n")
	}
	return b.String()
}

// facts says in the oracle's words what a conflict says.
func (c converter) facts(p *oracle.Problem, conflict *resolver.Conflict) ([]oracle.Fact, error) {
	all, err := oracle.Requirements(p)
	if err != nil {
		return nil, err
	}
	var facts []oracle.Fact
	for _, f := range conflict.Facts {
		of := oracle.Fact{Kind: string(f.Kind), Subject: f.Subject}
		if f.Kind == resolver.FactNoCandidate {
			of.Subject = f.Subscription
		}
		if ns, name, ok := strings.Cut(f.Catalog, "/"); ok {
			of.Catalog = oracle.Key{Namespace: ns, Name: name}
		}
		if f.Kind == resolver.FactConstraint {
			for i, r := range all {
				if r.Bundle == f.Bundle && r.Catalog == of.Catalog && f.Text == f.Bundle+" requires "+c.constraint(r.Constraint).String() {
					of.Requirements = append(of.Requirements, i)
				}
			}
			if len(of.Requirements) == 0 {
				return nil, fmt.Errorf("no bundle has the constraint of the fact %q", f.Text)
			}
		}
		facts = append(facts, of)
	}
	return facts, nil
}
