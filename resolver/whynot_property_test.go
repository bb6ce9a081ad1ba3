package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

// TestPropertyWhyNot asks about every bundle of each problem. One that is in the
// result is led to by reasons that the oracle knows; one that cannot be is in
// conflict by brute force, for facts that are sufficient and minimal; one that
// could be can be forced.
func TestPropertyWhyNot(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.1, func(p *oracle.Problem) error { return c.whyNot(r, p) })
}

func (c converter) whyNot(r *resolver.Resolver, p *oracle.Problem) error {
	p = p.Clone()
	p.Policy.Partial = false
	want, err := oracle.Solve(p)
	if err != nil {
		return err
	}
	ctx := context.Background()
	session, err := r.Session(ctx, c.request(p))
	if err != nil {
		return err
	}
	for _, b := range bundlesOf(p) {
		e, err := session.WhyNot(ctx, ref(b))
		var conflict *resolver.Conflict
		switch {
		case !want.Resolved && errors.As(err, &conflict):
			return nil // so for the others
		case err != nil:
			return fmt.Errorf("why not %s: %w", b, err)
		case !want.Resolved:
			return fmt.Errorf("why not %s: an explanation of a problem without solution", b)
		}
		if err := c.checkExplanation(p, want, b, e); err != nil {
			return fmt.Errorf("why not %s: %w:\n%s", b, err, e.Text())
		}
	}
	return nil
}

// bundlesOf names every bundle of the catalogs, and the installed ones.
func bundlesOf(p *oracle.Problem) []oracle.Ref {
	var refs []oracle.Ref
	add := func(r oracle.Ref) {
		if !slices.Contains(refs, r) {
			refs = append(refs, r)
		}
	}
	for _, in := range p.Installed {
		if p.Counts(in.Bundle.Name) {
			add(oracle.Ref{Name: in.Bundle.Name})
		}
	}
	for _, cat := range p.Catalogs {
		for _, pkg := range cat.Packages {
			for _, b := range pkg.Bundles {
				add(oracle.Ref{Catalog: cat.Key, Name: b.Name})
			}
		}
	}
	return refs
}

func (c converter) checkExplanation(p *oracle.Problem, want oracle.Answer, b oracle.Ref, e *resolver.Explanation) error {
	forced := p.Clone()
	forced.Force = append(forced.Force, b)
	a, err := oracle.Solve(forced)
	if err != nil {
		return err
	}
	in, err := oracle.Means(p, want, b)
	switch {
	case err != nil:
		return err
	case e.In != in:
		return fmt.Errorf("in the result is %v, the explanation says %v", in, e.In)
	case e.In:
		return c.checkChain(want, e)
	case e.Conflict != nil && a.Resolved:
		return fmt.Errorf("a conflict, but there is the solution %v with it", a.Set)
	case e.Conflict != nil:
		return c.checkFacts(forced, e.Conflict)
	case !a.Resolved:
		return errors.New("no conflict, but there is no solution with it")
	case e.Better.Name != "" && !slices.Contains(want.Set, e.Better.Name):
		return fmt.Errorf("%s is not in the result", e.Better)
	case e.Rule == "":
		return errors.New("no reason")
	}
	return nil
}

// checkChain follows a chain link by link through the reasons of the result.
func (c converter) checkChain(want oracle.Answer, e *resolver.Explanation) error {
	because := map[string][]string{}
	for _, s := range c.fromOracle(want).Steps {
		because[s.Bundle] = s.Because
	}
	if len(e.Chain) == 0 {
		return errors.New("no chain")
	}
	for i, l := range e.Chain {
		next := e.Bundle.Name
		if i+1 < len(e.Chain) {
			next = e.Chain[i+1].Bundle
		}
		text := reason(l.Subscription, l.Installed, l.Forced, l.Bundle, l.Constraint)
		if !slices.Contains(because[next], text) {
			return fmt.Errorf("%q is no reason of %s; its reasons are %q", text, next, because[next])
		}
		if (i == 0) != (l.Bundle == "") {
			return fmt.Errorf("%q cannot be link %d of the chain", text, i)
		}
	}
	return nil
}
