package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// maxCorrections is how many corrections are given at most.
const maxCorrections = 5

// TestPropertyCorrections checks the corrections of each conflict by brute force:
// the changed problem has exactly the result that is promised, no proper part of
// the changes would do, and no single change that would do is missing.
func TestPropertyCorrections(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.2, func(p *oracle.Problem) error { return c.corrections(r, p) })
}

func (c converter) corrections(r *resolver.Resolver, p *oracle.Problem) error {
	p = oracle.Explicit(p)
	p.Policy.Failures = ""
	req := c.request(p)
	_, err := r.Resolve(context.Background(), req)
	var conflict *resolver.Conflict
	if !errors.As(err, &conflict) {
		return nil
	}
	if err := whatif.FindCorrections(context.Background(), r, req, conflict, whatif.FindOptions{}); err != nil {
		return err
	}
	if len(conflict.Further) > 0 {
		return c.correctEach(r, req, conflict)
	}
	list := conflict.Corrections
	for i, k := range list {
		if k.Remaining > 0 {
			continue // of a conflict that is looked at by itself
		}
		if err := c.checkCorrection(p, k); err != nil {
			return err
		}
		if i > 0 {
			if before := list[i-1]; rank(before) > rank(k) {
				return fmt.Errorf("%q, which only an author can do, or is no rename, comes before %q", before.Text, k.Text)
			} else if rank(before) == rank(k) && len(before.Changes) > len(k.Changes) {
				return fmt.Errorf("the larger correction %q comes before %q", before.Text, k.Text)
			}
		}
	}
	return c.checkSingles(p, list, conflict)
}

// rank is 0 for a correction of names alone, 1 for others that an administrator can make,
// and 2 where an author has to change something.
func rank(k resolver.Correction) int {
	out := 0
	for _, ch := range k.Changes {
		switch {
		case ch.Who == "author":
			out = 2
		case ch.Kind != "useName":
			out = max(out, 1)
		}
	}
	return out
}

// correctEach makes one correction of each conflict: after them there is a solution,
// or what is told next was not there before.
func (c converter) correctEach(r *resolver.Resolver, req resolver.Request, conflict *resolver.Conflict) error {
	before := make(map[string]bool)
	var changes []resolver.Change
	for _, one := range conflict.All() {
		before[factsOf(one)] = true
		if len(one.Corrections) == 0 {
			return nil
		}
		for _, ch := range one.Corrections[0].Changes {
			if !slices.ContainsFunc(changes, func(c resolver.Change) bool { return c.String() == ch.String() }) {
				changes = append(changes, ch)
			}
		}
	}
	req, err := req.Apply(changes...)
	if err != nil {
		return fmt.Errorf("one correction of each conflict cannot be made together: %w", err)
	}
	_, err = r.Resolve(context.Background(), req)
	var left *resolver.Conflict
	if !errors.As(err, &left) {
		return err
	}
	for _, one := range left.All() {
		if before[factsOf(one)] {
			return fmt.Errorf("the conflict is still there after a correction of it: %s", one.Text())
		}
	}
	return nil
}

// factsOf identifies a conflict by its facts.
func factsOf(c *resolver.Conflict) string {
	var keys []string
	for _, f := range c.Facts {
		keys = append(keys, fmt.Sprintf("%s %q %q", f.Kind, f.Subject, f.Text))
	}
	slices.Sort(keys)
	return strings.Join(keys, "\n")
}

// checkCorrection checks one correction. What a relaxation is about can be read in
// several ways; one of them has to be right.
func (c converter) checkCorrection(p *oracle.Problem, k resolver.Correction) error {
	var err error
	for _, edits := range c.editsOf(p, k.Changes) {
		if err = checkEdits(p, k, edits); err == nil {
			return nil
		}
	}
	return err
}

type edit func(*oracle.Problem)

func checkEdits(p *oracle.Problem, k resolver.Correction, edits []edit) error {
	for mask := range 1 << len(edits) {
		q := p.Clone()
		for i, e := range edits {
			if mask>>i&1 == 1 {
				e(q)
			}
		}
		a, err := oracle.Solve(q)
		whole := mask == 1<<len(edits)-1
		switch {
		case err != nil:
			return err
		case whole && !a.Resolved:
			return fmt.Errorf("the correction %q does not help", k.Text)
		case whole && !slices.Equal(a.Set, k.Result):
			return fmt.Errorf("the correction %q gives %v, not %v", k.Text, a.Set, k.Result)
		case !whole && a.Resolved:
			return fmt.Errorf("a part of the correction %q would do", k.Text)
		}
	}
	return nil
}

// editsOf makes the changes on the oracle's side, in every way in which they can
// be meant.
func (c converter) editsOf(p *oracle.Problem, changes []resolver.Change) [][]edit {
	readings := [][]edit{nil}
	for _, ch := range changes {
		var longer [][]edit
		for _, r := range readings {
			for _, e := range c.editOf(p, ch) {
				longer = append(longer, append(slices.Clone(r), e))
			}
		}
		readings = longer
	}
	return readings
}

func (c converter) editOf(p *oracle.Problem, ch resolver.Change) []edit {
	if ch.Kind == "relaxConstraint" {
		return c.relaxations(p, ch)
	}
	return []edit{func(q *oracle.Problem) {
		switch ch.Kind {
		case "dropSubscription":
			at := slices.IndexFunc(q.Subscriptions, func(s oracle.Subscription) bool { return s.Name == ch.Subject })
			for i := range q.Installed {
				if q.Subscriptions[at].Generated && q.Installed[i].Bundle.Name == q.Subscriptions[at].InstalledCSV {
					q.Installed[i].Automatic = false
				}
			}
			q.Drop(at)
		case "releasePin":
			s := subscriptionOf(q, ch.Subject)
			if ch.Hold {
				s.Hold = ""
				return
			}
			s.StartingCSV, s.Pin, s.VersionRange = "", "", properties.Range{}
		case "useName":
			switch s := subscriptionOf(q, ch.Subject); ch.Of {
			case "package":
				s.Package = ch.To
			case "channel":
				s.Channels = slices.Clone(s.Channels)
				s.Channels[slices.Index(s.Channels, ch.From)] = ch.To
			default:
				namespace, name, _ := strings.Cut(ch.To, "/")
				s.Catalog = oracle.Key{Namespace: namespace, Name: name}
			}
		case "changeChannel":
			subscriptionOf(q, ch.Subject).Channels = []string{ch.Channel}
		case "allowForbidden":
			q.Forbid = slices.DeleteFunc(q.Forbid, func(f resolver.Forbidden) bool { return f.Bundle.Name == ch.Subject })
		case "adoptInstalled":
			withoutGenerated(q, ch.Subject, ch.Subscription)
			subscriptionOf(q, ch.Subscription).InstalledCSV = ch.Subject
		case "removeInstalled":
			withoutGenerated(q, ch.Subject, "")
			q.Installed = slices.DeleteFunc(q.Installed, func(in oracle.Installed) bool { return in.Bundle.Name == ch.Subject })
		default:
			panic("no correction is made of " + ch.Kind)
		}
	}}
}

// withoutGenerated drops the subscription that came with an installed bundle, but for
// one of that name.
func withoutGenerated(p *oracle.Problem, bundle, but string) {
	p.Subscriptions = slices.DeleteFunc(p.Subscriptions, func(s oracle.Subscription) bool {
		return s.Generated && s.InstalledCSV == bundle && s.Name != but
	})
}

func subscriptionOf(p *oracle.Problem, name string) *oracle.Subscription {
	return &p.Subscriptions[slices.IndexFunc(p.Subscriptions, func(s oracle.Subscription) bool { return s.Name == name })]
}

// relaxations finds the constraint that a change relaxes by its text, and the
// bundles of that name that it can be about.
func (c converter) relaxations(p *oracle.Problem, ch resolver.Change) []edit {
	all, err := oracle.Requirements(p)
	if err != nil {
		return nil
	}
	var edits []edit
	for _, r := range all {
		if r.Bundle != ch.Subject || ch.Constraint != c.Constraint(r.Constraint).String() {
			continue
		}
		for _, cat := range []oracle.Key{{}, r.Catalog} {
			relax := oracle.Added{Bundle: oracle.Ref{Catalog: cat, Name: r.Bundle}, Constraint: *r.Constraint}
			edits = append(edits, func(q *oracle.Problem) { q.Relax = append(q.Relax, relax) })
		}
	}
	return edits
}

// checkSingles looks for a single change that would do and is not in the list.
func (c converter) checkSingles(p *oracle.Problem, list []resolver.Correction, conflict *resolver.Conflict) error {
	if len(list) >= maxCorrections {
		return nil // there is no room for all of them
	}
	for _, ch := range singles(p) {
		q := p.Clone()
		c.editOf(p, ch)[0](q)
		a, err := oracle.Solve(q)
		if err != nil || !a.Resolved {
			continue
		}
		if !slices.ContainsFunc(list, func(k resolver.Correction) bool {
			return len(k.Changes) == 1 && k.Changes[0].Kind == ch.Kind && k.Changes[0].Subject == ch.Subject && k.Changes[0].Hold == ch.Hold
		}) {
			return fmt.Errorf("the correction %q is missing; result %v; given are %v; the facts are\n%s", ch, a.Set, texts(list), listed(conflict))
		}
	}
	return nil
}

func texts(list []resolver.Correction) []string {
	var out []string
	for _, k := range list {
		out = append(out, k.Text)
	}
	return out
}

// singles lists the changes that a correction can be made of, but for relaxations.
func singles(p *oracle.Problem) []resolver.Change {
	var out []resolver.Change
	for _, s := range p.Subscriptions {
		if !s.Generated { // to drop one would hold what it owns where it is
			out = append(out, whatif.DropSubscription(s.Name))
		}
		if s.StartingCSV != "" || s.Pin != "" || !s.VersionRange.IsZero() {
			out = append(out, whatif.ReleasePin(s.Name))
		}
		if s.Hold != "" {
			out = append(out, whatif.ReleaseHold(s.Name))
		}
	}
	for _, f := range p.Forbid {
		out = append(out, whatif.AllowForbidden(f.Bundle.Name))
	}
	for _, in := range p.Installed {
		// To remove what took over from another one would bring that one back.
		if !slices.ContainsFunc(p.Installed, func(old oracle.Installed) bool { return old.ReplacedBy == in.Bundle.Name }) {
			out = append(out, whatif.RemoveInstalled(in.Bundle.Name))
		}
	}
	return out
}
