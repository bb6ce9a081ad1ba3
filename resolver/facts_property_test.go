package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// checkFacts checks that the facts of a conflict cannot hold together, and that
// they can as soon as any one of them is dropped. A fact about an installed bundle
// can read like one about the catalog's bundle of the same name: one reading has
// to be right.
func (c converter) checkFacts(p *oracle.Problem, conflict *resolver.Conflict) error {
	judge, err := oracle.NewJudge(p)
	if err != nil {
		return err
	}
	_, err = c.checkReadings(p, judge, conflict)
	return err
}

// checkReadings is checkFacts with a judge, and returns the reading that is right.
func (c converter) checkReadings(p *oracle.Problem, judge *oracle.Judge, conflict *resolver.Conflict) ([]oracle.Fact, error) {
	readings, err := c.readings(p, conflict)
	if err != nil {
		return nil, err
	}
	for _, facts := range readings {
		if err = judge.Check(facts); err == nil {
			return facts, nil
		}
	}
	return nil, fmt.Errorf("%w:\n%s", err, listed(conflict))
}

// checkConflicts checks the conflicts of a problem without solution: each by itself,
// that no two have what they start from in common, and that none is missing.
func (c converter) checkConflicts(p *oracle.Problem, conflict *resolver.Conflict, broken []string) error {
	judge, err := oracle.NewJudge(p, broken...)
	if err != nil {
		return err
	}
	var all [][]oracle.Fact
	for _, one := range conflict.All() {
		facts, err := c.checkReadings(p, judge, one)
		if err != nil {
			return err
		}
		all = append(all, facts)
	}
	return judge.CheckAll(all)
}

func listed(c *resolver.Conflict) string {
	var b strings.Builder
	for _, f := range c.Facts {
		b.WriteString("- " + string(f.Kind) + " " + f.Subject + ": " + f.Text + "\n")
	}
	return b.String()
}

// readings says in the oracle's words what a conflict says, in every way in which
// it can be meant.
func (c converter) readings(p *oracle.Problem, conflict *resolver.Conflict) ([][]oracle.Fact, error) {
	all, err := oracle.Requirements(p)
	if err != nil {
		return nil, err
	}
	readings := [][]oracle.Fact{nil}
	for _, f := range conflict.Facts {
		of := oracle.Fact{Kind: string(f.Kind), Subject: f.Subject, Package: f.Package}
		if f.Kind == argument.FactSupposed { // the question forces it
			of.Kind = string(argument.FactForced)
		}
		if f.Kind == argument.FactNoCandidate {
			of.Subject = f.Subscription
		}
		if ns, name, ok := strings.Cut(f.Catalog, "/"); ok {
			of.Catalog = oracle.Key{Namespace: ns, Name: name}
		}
		meant := []oracle.Fact{of}
		if f.Kind == argument.FactConstraint {
			if meant = c.constraintFacts(all, f, of); len(meant) == 0 {
				return nil, fmt.Errorf("no bundle has the constraint of the fact %q", f.Text)
			}
		}
		var longer [][]oracle.Fact
		for _, r := range readings {
			for _, m := range meant {
				longer = append(longer, append(slices.Clone(r), m))
			}
		}
		readings = longer
	}
	return readings, nil
}

// constraintFacts finds the constraint that a fact names.
func (c converter) constraintFacts(all []oracle.Requirement, f argument.Fact, of oracle.Fact) []oracle.Fact {
	var facts []oracle.Fact
	for _, installed := range []bool{true, false} {
		of.Requirements = nil
		for i, r := range all {
			if r.Installed == installed && r.Bundle == f.Bundle && r.Catalog == of.Catalog &&
				f.Text == f.Bundle+" requires "+c.Constraint(r.Constraint).String() {
				of.Requirements = append(of.Requirements, i)
			}
		}
		if len(of.Requirements) > 0 {
			facts = append(facts, of)
		}
	}
	return facts
}

// fewestOf is the number of bundles that the plainest of the independent conflicts
// involves.
func (c converter) fewestOf(conflict *resolver.Conflict) int {
	fewest := math.MaxInt
	for _, one := range conflict.All() {
		about := map[string]bool{}
		for _, f := range one.Facts {
			switch f.Kind {
			case argument.FactInstalled, argument.FactConstraint, argument.FactDeprecated, argument.FactIncompatible:
				about[f.Catalog+":"+f.Package+":"+f.Bundle] = true
			}
		}
		fewest = min(fewest, len(about))
	}
	return fewest
}

// TestPropertyFewestBundles checks that no other set of facts would explain a
// conflict with fewer bundles.
func TestPropertyFewestBundles(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.05, func(p *oracle.Problem) error {
		p = p.Clone()
		p.Policy.Partial = false
		_, err := r.Resolve(context.Background(), c.request(p))
		var conflict *resolver.Conflict
		if !errors.As(err, &conflict) {
			return nil
		}
		fewest, err := oracle.FewestBundles(p)
		if err != nil {
			return err
		}
		if c.fewestOf(conflict) > fewest {
			return fmt.Errorf("%d bundles would be enough to explain the conflict:\n%s", fewest, listed(conflict))
		}
		return nil
	})
}
