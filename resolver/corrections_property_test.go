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
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/olm"
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
	if err := whatif.FindCorrections(context.Background(), r, req, conflict, whatif.FindOptions{Commands: olm.Commands}); err != nil {
		return err
	}
	for _, one := range conflict.All() {
		if err := c.checkList(p, req, one); err != nil {
			return err
		}
	}
	if len(conflict.Further) > 0 {
		return c.correctEach(r, req, conflict)
	}
	return nil
}

// checkList checks the corrections of one conflict.
func (c converter) checkList(p *oracle.Problem, req resolver.Request, conflict *resolver.Conflict) error {
	list := conflict.Corrections
	for i, k := range list {
		if slices.ContainsFunc(k.List(), func(c resolver.Change) bool { follow, ok := c.(resolver.FollowChannel); return ok && follow.Round > 0 }) {
			continue // a path takes several rounds
		}
		if err := c.checkCorrection(p, k); err != nil {
			return err
		}
		if err := runCommands(&req, k); err != nil {
			return fmt.Errorf("the commands of %q: %w", k.Text, err)
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
// and 2 where an author has to change something; 3 more where something installed is
// downgraded or removed.
func rank(k resolver.Correction) int {
	out := 0
	for _, ch := range k.Changes {
		switch ch.Change.Kind() {
		case resolver.ChangeRelaxConstraint:
			out = 2
		case resolver.ChangeUseName:
		default:
			out = max(out, 1)
		}
	}
	if k.Downgrade {
		out += 3
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
		for _, ch := range one.Corrections[0].List() {
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
	for _, edits := range c.editsOf(p, k.List()) {
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
		case k.Remaining > 0 && a.Resolved:
			return fmt.Errorf("after a part of the correction %q, or all of it, no conflict remains, and not %d", k.Text, k.Remaining)
		case k.Remaining > 0: // the result is without what the others are about
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
	if relax, ok := ch.(resolver.RelaxConstraint); ok {
		return c.relaxations(p, relax, false)
	}
	return []edit{func(q *oracle.Problem) {
		switch ch := ch.(type) {
		case resolver.DropSubscription:
			at := slices.IndexFunc(q.Subscriptions, func(s oracle.Subscription) bool { return s.Name == ch.Subscription })
			for i := range q.Installed {
				if q.Subscriptions[at].Generated && q.Installed[i].Bundle.Name == q.Subscriptions[at].InstalledCSV {
					q.Installed[i].Automatic = false
				}
			}
			q.Drop(at)
		case resolver.ReleaseHold:
			subscriptionOf(q, ch.Subscription).Hold = ""
		case resolver.ReleasePin:
			s := subscriptionOf(q, ch.Subscription)
			s.StartingCSV, s.Pin, s.VersionRange = "", "", properties.Range{}
		case resolver.UseName:
			switch s := subscriptionOf(q, ch.Subscription); ch.Of {
			case resolver.NamePackage:
				s.Package = ch.To
			case resolver.NameChannel:
				s.Channels = slices.Clone(s.Channels)
				s.Channels[slices.Index(s.Channels, ch.From)] = ch.To
			default:
				namespace, name, _ := strings.Cut(ch.To, "/")
				s.Catalog = oracle.Key{Namespace: namespace, Name: name}
			}
		case resolver.FollowChannel:
			subscriptionOf(q, ch.Subscription).Channels = []string{ch.Channel}
		case resolver.AllowForbidden:
			q.Forbid = slices.DeleteFunc(q.Forbid, func(f resolver.Forbidden) bool { return f.Bundle.Name == ch.Bundle })
		case resolver.AdoptInstalled:
			withoutGenerated(q, ch.Bundle, ch.Subscription)
			subscriptionOf(q, ch.Subscription).InstalledCSV = ch.Bundle
		case resolver.RemoveInstalled:
			withoutGenerated(q, ch.Bundle, "")
			q.Installed = slices.DeleteFunc(q.Installed, func(in oracle.Installed) bool { return in.Bundle.Name == ch.Bundle })
		case resolver.MigrateStorage:
			q.Migrate(ch.CRD)
		default:
			panic("no correction is made of " + string(ch.Kind()))
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
func (c converter) relaxations(p *oracle.Problem, ch resolver.RelaxConstraint, exact bool) []edit {
	all, err := oracle.Requirements(p)
	if err != nil {
		return nil
	}
	var edits []edit
	for _, r := range all {
		if r.Bundle != ch.Bundle.Name || ch.Constraint.String() != c.Constraint(r.Constraint).String() {
			continue
		}
		for _, cat := range []oracle.Key{{}, r.Catalog} {
			if exact && cat != ch.Bundle.Catalog {
				continue
			}
			relax := oracle.Added{Bundle: oracle.Ref{Catalog: cat, Name: r.Bundle}, Constraint: *r.Constraint}
			edits = append(edits, func(q *oracle.Problem) { q.Relax = append(q.Relax, relax) })
		}
	}
	return edits
}

// checkSingles looks for a single change that would do and is not in the list, unless the
// list is full.
func (c converter) checkSingles(p *oracle.Problem, list []resolver.Correction, conflict *resolver.Conflict) error {
	if len(list) >= maxCorrections {
		return nil // there is no room for all of them
	}
	for _, ch := range append(singles(p), c.relaxed(conflict)...) {
		edits := c.editOf(p, ch)
		if relax, ok := ch.(resolver.RelaxConstraint); ok {
			edits = c.relaxations(p, relax, true)
		}
		for _, e := range edits {
			q := p.Clone()
			e(q)
			a, err := oracle.Solve(q)
			if err != nil || !a.Resolved {
				continue
			}
			if !slices.ContainsFunc(list, func(k resolver.Correction) bool { return len(k.Changes) == 1 && sameChange(k.Changes[0].Change, ch) }) {
				return fmt.Errorf("the correction %q is missing; result %v; given are %v; the facts are\n%s", ch, a.Set, texts(list), listed(conflict))
			}
		}
	}
	return nil
}

// sameChange reports whether a change that is given is one that was looked for, or does the
// same under another name: a channel that is followed instead of one that there is not.
func sameChange(given, c resolver.Change) bool {
	switch given := given.(type) {
	case resolver.UseName:
		return given.Of == resolver.NameChannel && c == resolver.FollowChannel{Subscription: given.Subscription, Channel: given.To}
	case resolver.ReleasePin:
		_, pin := c.(resolver.ReleasePin)
		return pin && given.Subject() == c.Subject()
	case resolver.RelaxConstraint:
		relax, ok := c.(resolver.RelaxConstraint)
		return ok && given.Subject() == relax.Subject() && given.Constraint.String() == relax.Constraint.String()
	}
	return given == c
}

func texts(list []resolver.Correction) []string {
	var out []string
	for _, k := range list {
		out = append(out, k.Text)
	}
	return out
}

// singles lists the changes that a correction can be made of, but for relaxations and names.
func singles(p *oracle.Problem) []resolver.Change {
	var out []resolver.Change
	packages, owned := oracle.Packages(p), oracle.Owned(p)
	for _, s := range p.Subscriptions {
		if !s.Generated { // to drop one would hold what it owns where it is
			out = append(out, resolver.DropSubscription{Subscription: s.Name})
		}
		if s.StartingCSV != "" || s.Pin != "" || !s.VersionRange.IsZero() {
			out = append(out, resolver.ReleasePin{Subscription: s.Name})
		}
		if s.Hold != "" {
			out = append(out, resolver.ReleaseHold{Subscription: s.Name})
		}
		out = append(out, follows(p, &s)...)
		if owned[s.Name] != "" {
			continue
		}
		for bundle, pkg := range packages {
			if pkg == s.Package && !slices.ContainsFunc(p.Subscriptions, func(o oracle.Subscription) bool { return !o.Generated && owned[o.Name] == bundle }) {
				out = append(out, resolver.AdoptInstalled{Bundle: bundle, Subscription: s.Name})
			}
		}
	}
	for _, d := range p.Cluster.CRDs {
		out = append(out, resolver.MigrateStorage{CRD: d.Name()})
	}
	for _, f := range p.Forbid {
		out = append(out, resolver.AllowForbidden{Bundle: f.Bundle.Name})
	}
	for _, in := range p.Installed {
		// To remove what took over from another one would bring that one back, and what
		// another one is taking over from counts for nothing any more.
		if p.Counts(in.Bundle.Name) && !slices.ContainsFunc(p.Installed, func(old oracle.Installed) bool { return old.ReplacedBy == in.Bundle.Name }) {
			out = append(out, resolver.RemoveInstalled{Bundle: in.Bundle.Name})
		}
	}
	return out
}

// follows lists the other channels that a subscription which names some can follow.
func follows(p *oracle.Problem, s *oracle.Subscription) []resolver.Change {
	if len(s.Channels) == 0 {
		return nil
	}
	var out []resolver.Change
	for _, cat := range p.Catalogs {
		if s.Catalog != (oracle.Key{}) && s.Catalog != cat.Key {
			continue
		}
		for _, pkg := range cat.Packages {
			for _, ch := range pkg.Channels {
				if pkg.Name == s.Package && !slices.Contains(s.Channels, ch.Name) && oracle.Healthy(&pkg, ch.Name) {
					out = append(out, resolver.FollowChannel{Subscription: s.Name, Channel: ch.Name})
				}
			}
		}
	}
	return out
}

// relaxed lists the relaxations of the constraints that a conflict names.
func (c converter) relaxed(conflict *resolver.Conflict) []resolver.Change {
	var out []resolver.Change
	for _, f := range conflict.Facts {
		if f.Kind == argument.FactConstraint {
			out = append(out, resolver.RelaxConstraint{Bundle: f.Ref, Constraint: f.Constraint})
		}
	}
	return out
}
