package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

// TestPropertySession asks one session several what-ifs in a row. Each is answered
// as brute force answers the changed problem, and the unchanged one after them as
// before.
func TestPropertySession(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.2, func(p *oracle.Problem) error { return c.session(r, p) })
}

func (c converter) session(r *resolver.Resolver, p *oracle.Problem) error {
	ctx := context.Background()
	p = oracle.Explicit(p)
	session, err := r.Session(ctx, c.request(p))
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(7, 7)) // the same changes while a failure is cut down, as far as they fit
	for i := range 5 {
		changes, changed := c.change(rng, p, i%4)
		want, err := oracle.Solve(changed)
		if err != nil {
			continue // too big, or no problem any more
		}
		got, err := session.Resolve(ctx, changes...)
		if err := c.compare(changed, want, got, err); err != nil {
			return fmt.Errorf("what-if %d %v: %w\nthe changed problem:\n%s", i, changes, err, changed.Scenario())
		}
	}
	return nil
}

// whatIf is a change on both sides.
type whatIf struct {
	change resolver.Change
	edit   edit
}

// change draws n changes that fit the problem.
func (c converter) change(rng *rand.Rand, p *oracle.Problem, n int) ([]resolver.Change, *oracle.Problem) {
	q := p.Clone()
	var changes []resolver.Change
	for range n {
		list := c.whatIfs(q)
		if len(list) == 0 {
			break
		}
		w := list[rng.IntN(len(list))]
		w.edit(q)
		changes = append(changes, w.change)
	}
	return changes, q
}

// whatIfs lists changes of every kind that a problem allows.
func (c converter) whatIfs(p *oracle.Problem) []whatIf {
	var list []whatIf
	add := func(ch resolver.Change, e edit) { list = append(list, whatIf{ch, e}) }
	for _, ch := range singles(p) {
		add(ch, c.editOf(p, ch)[0])
	}
	for i := range p.Catalogs {
		cat := &p.Catalogs[i]
		add(resolver.SetPriority{Catalog: cat.Key, Priority: 3}, func(q *oracle.Problem) { q.Catalogs[i].Priority = 3 })
		for j := range cat.Packages {
			c.addWhatIfs(p, cat, &cat.Packages[j], add)
		}
	}
	for _, in := range p.Installed {
		for _, s := range p.Subscriptions {
			add(resolver.AdoptInstalled{Bundle: in.Bundle.Name, Subscription: s.Name}, func(q *oracle.Problem) {
				withoutGenerated(q, in.Bundle.Name, s.Name)
				subscriptionOf(q, s.Name).InstalledCSV = in.Bundle.Name
			})
		}
	}
	return list
}

// addWhatIfs lists changes that are about one package.
func (c converter) addWhatIfs(p *oracle.Problem, cat *oracle.Catalog, pkg *oracle.Package, add func(resolver.Change, edit)) {
	sub := oracle.Subscription{Name: fmt.Sprint("new", len(p.Subscriptions)), Package: pkg.Name}
	add(resolver.AddSubscription{Subscription: resolver.Subscription{Name: sub.Name, Package: sub.Package}}, func(q *oracle.Problem) {
		q.Subscriptions = append(q.Subscriptions, sub)
	})
	for _, b := range pkg.Bundles {
		r := oracle.Ref{Catalog: cat.Key, Name: b.Name}
		add(resolver.ForbidBundle{Bundle: r, Message: "no"}, func(q *oracle.Problem) {
			q.Forbid = append(q.Forbid, resolver.Forbidden{Bundle: r, Message: "no"})
		})
		add(resolver.ForceBundle{Bundle: r}, func(q *oracle.Problem) { q.Force = append(q.Force, r) })
		for _, s := range p.Subscriptions {
			if s.Package == pkg.Name {
				add(resolver.PinSubscription{Subscription: s.Name, Bundle: b.Name}, func(q *oracle.Problem) { subscriptionOf(q, s.Name).Pin = b.Name })
			}
		}
		taken := slices.ContainsFunc(p.Installed, func(in oracle.Installed) bool {
			return in.Bundle.Name == b.Name || strings.HasPrefix(in.ReplacedBy, b.Name)
		})
		if in := (oracle.Installed{Bundle: b, Package: pkg.Name, Catalog: cat.Key}); !taken && b.Defect == oracle.Sound {
			add(resolver.AddInstalled{Installed: in.Request()}, func(q *oracle.Problem) { q.Installed = append(q.Installed, in) })
		}
	}
}

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
	p.Policy.Failures = ""
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
		e, err := session.WhyNot(ctx, b)
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
