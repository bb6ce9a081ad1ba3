package resolver

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/cache"
)

// The bounds of the search for corrections.
const (
	maxCorrections     = 5
	maxCorrectionSize  = 4
	correctionTries    = 300   // of one conflict
	correctionTriesAll = 3_000 // of a conflict and all further ones
	relaxationsEach    = 12    // constraints of one conflict that are tried
)

// FindCorrections finds the smallest sets of changes to a request that has no
// solution, after each of which a conflict of it is gone, and fills them in:
// [Conflict.Corrections] of the conflict that resolving the request returned, and of
// each further one. Every correction is verified: resolving the changed request
// gives its Result, and no smaller part of it would do. There are at most five of a
// conflict, the best first: fewest changes, then what changes the request alone,
// then what removes something installed, and last what sets an author's constraint
// aside.
//
// Where other conflicts are left, Remaining says how many: further ones, or, where no
// small set of changes makes everything solvable, others that this one hides.
//
// Where a subscription gets to a solution only over several rounds, in one channel after
// another, a correction is such a road: each change of channel says from which round on
// (see [UseChannelIn]), and Result is the set of the last round.
//
// The search is bounded; where nothing is found within its bounds the list is
// empty and [Conflict.Tried] says how many sets of changes were tried. The error is
// an [*IncompleteError] if the context ended or a limit was reached; what was found
// by then is filled in.
func (r *Resolver) FindCorrections(ctx context.Context, req Request, conflict *Conflict) error {
	req = withGenerated(req)
	req.Policy.Failures = FailuresAll
	all, left := conflict.All(), correctionTriesAll
	for i, c := range all {
		s := &corrector{ctx: ctx, r: r.With(PartOf(OpCorrect)), base: req, most: min(correctionTries, left)}
		err := s.correct(c, slices.Delete(slices.Clone(all), i, i+1))
		left -= s.tries
		if err != nil {
			return err
		}
	}
	return nil
}

// corrector searches the sets of changes by size: each conflict that is left
// after some changes has to be hit by one more (the hitting set tree of Reiter).
type corrector struct {
	ctx   context.Context
	r     *Resolver
	base  Request
	found []Correction
	seen  map[string]bool
	tries int
	most  int
}

// correct fills in the corrections of one conflict. What the others start from asks
// for nothing meanwhile.
func (s *corrector) correct(c *Conflict, others []*Conflict) error {
	s.r.config.aside = asideOf(others)
	err := s.search(c)
	if err == nil && len(others) == 0 {
		err = s.roads(c)
	}
	alone := err == nil && len(s.found) == 0
	if alone {
		// What this conflict hides cannot be corrected with so few changes: look at the
		// conflict by itself.
		s.r.config.aside = s.allBut(c)
		err = s.search(c)
	}
	slices.SortStableFunc(s.found, compareCorrections)
	if len(s.found) > maxCorrections {
		s.found = s.found[:maxCorrections]
	}
	if c.Corrections = s.found; len(s.found) == 0 {
		c.Tried = s.tries
	}
	s.r.config.aside = nil
	for i := range s.found {
		k := &s.found[i]
		if k.Remaining = len(others); !alone && !slices.ContainsFunc(k.Changes, Change.reachesFar) {
			continue // no other conflict has any of what is changed
		}
		_, left, stopped := s.try(k.Changes)
		if k.Remaining = 0; left != nil {
			k.Remaining = len(left.All())
		}
		err = cmp.Or(err, stopped)
	}
	return err
}

// reachesFar reports whether a change may concern conflicts that have no
// subscription and no installed bundle in common.
func (c Change) reachesFar() bool { return c.Kind == AllowForbidden || c.Kind == RelaxConstraint }

// attempt is a set of changes, and the conflict that is left after it.
type attempt struct {
	changes []Change
	left    *Conflict
}

func (s *corrector) search(conflict *Conflict) error {
	s.seen = make(map[string]bool)
	level := []attempt{{left: conflict}}
	for size := 1; size <= maxCorrectionSize && len(level) > 0 && len(s.found) < maxCorrections; size++ {
		var next []attempt
		for _, a := range level {
			more, err := s.extend(a)
			if err != nil {
				return err
			}
			next = append(next, more...)
		}
		level = next
	}
	return nil
}

// extend tries each change that could resolve the conflict left after an attempt.
func (s *corrector) extend(a attempt) ([]attempt, error) {
	var next []attempt
	for _, c := range s.changesFor(a) {
		if s.tries >= s.most {
			return next, nil
		}
		changes := append(slices.Clone(a.changes), c)
		if key := setKey(changes); s.seen[key] || s.covered(changes) {
			continue
		} else {
			s.seen[key] = true
		}
		sol, left, err := s.try(changes)
		switch {
		case err != nil:
			return nil, err
		case sol == nil && left != nil:
			next = append(next, attempt{changes, left})
		case sol != nil:
			minimal, err := s.minimal(changes)
			if err != nil {
				return nil, err
			}
			if minimal {
				s.found = append(s.found, Correction{Changes: changes, Text: wordsOf(changes), Result: sol.Set()})
			}
		}
	}
	return next, nil
}

// try resolves the changed request. Both results are nil if the changes do not
// fit together.
func (s *corrector) try(changes []Change) (*Solution, *Conflict, error) {
	s.tries++
	req, err := Apply(s.base, changes...)
	if err != nil {
		s.tried(changes, OutcomeInvalid)
		return nil, nil, nil
	}
	sol, err := s.r.Resolve(s.ctx, req)
	s.tried(changes, outcomeOf(err))
	var conflict *Conflict
	var invalid *RequestError
	switch {
	case errors.As(err, &conflict):
		return nil, conflict, nil
	case errors.As(err, &invalid):
		return nil, nil, nil
	default:
		return sol, nil, err
	}
}

// minimal reports whether no proper part of a correction is one.
func (s *corrector) minimal(changes []Change) (bool, error) {
	for mask := 1; mask < 1<<len(changes)-1; mask++ {
		var part []Change
		for i, c := range changes {
			if mask>>i&1 == 1 {
				part = append(part, c)
			}
		}
		if sol, _, err := s.try(part); sol != nil || err != nil {
			return false, err
		}
	}
	return true, nil
}

// covered reports whether a set of changes has a correction inside it already.
func (s *corrector) covered(changes []Change) bool {
	return slices.ContainsFunc(s.found, func(f Correction) bool {
		for _, c := range f.Changes {
			if !slices.ContainsFunc(changes, func(d Change) bool { return d.key() == c.key() }) {
				return false
			}
		}
		return true
	})
}

// changesFor lists the changes that could take away one of the facts of a
// conflict, best first.
func (s *corrector) changesFor(a attempt) []Change {
	req, err := Apply(s.base, a.changes...)
	if err != nil {
		return nil
	}
	var out []Change
	relaxed := 0
	for i := range a.left.Facts {
		f := &a.left.Facts[i]
		if f.Kind == FactConstraint {
			if relaxed++; relaxed > relaxationsEach {
				continue
			}
		}
		out = append(out, s.changesOf(&req, a.left, f)...)
	}
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(kindRank(a.Kind), kindRank(b.Kind)) })
	return out
}

// changesOf lists the changes that could take away one fact.
func (s *corrector) changesOf(req *Request, c *Conflict, f *Fact) []Change {
	switch f.Kind {
	case FactSubscription:
		return subscriptionChanges(req, c, f.Subject)
	case FactHold:
		return []Change{LiftHold(f.Subject)}
	case FactInstalled:
		return append(adoptions(req, c, f.Subject), Remove(f.Subject))
	case FactForbidden:
		return []Change{Allow(f.Subject)}
	case FactConstraint:
		return []Change{Relax(f.ref, f.Constraint)}
	default:
		return nil
	}
}

// subscriptionChanges lists what could be changed about a subscription.
func subscriptionChanges(req *Request, c *Conflict, name string) []Change {
	out := extensionChanges(req, c, name)
	for i := range req.Subscriptions {
		s := &req.Subscriptions[i]
		if s.Name != name {
			continue
		}
		if s.StartingCSV != "" || s.Pin != "" || !s.VersionRange.IsZero() {
			out = append(out, Release(name))
		}
		if len(s.Channels) > 0 {
			for _, ch := range otherChannels(req, s) {
				out = append(out, UseChannel(name, ch))
			}
		}
	}
	for i := range req.Subscriptions {
		s := &req.Subscriptions[i]
		if s.Name != name {
			continue
		}
		owned := ownedName(req, s)
		if s.Generated && owned != "" {
			out = append(out, adoptions(req, c, owned)...)
		} else {
			out = append(out, Drop(name))
		}
		if owned != "" {
			out = append(out, Remove(owned))
		}
	}
	return out
}

// ownedName is the name of the installed bundle that a subscription owns, behind
// those that it is taking over from; empty if it owns none.
func ownedName(req *Request, s *Subscription) string {
	find := func(name string) *Installed {
		for i := range req.Installed {
			if in := &req.Installed[i]; name != "" && in.Name == name {
				return in
			}
		}
		return nil
	}
	in := find(s.InstalledCSV)
	for i := range req.Installed {
		if in == nil && req.Installed[i].Subscription == s.Name {
			in = &req.Installed[i]
		}
	}
	if in == nil {
		return ""
	}
	for range req.Installed {
		if next := find(in.ReplacedBy); next != nil {
			in = next
		}
	}
	return in.Name
}

// otherChannels lists the channels that a subscription could follow instead of
// its own, the default channel first.
func otherChannels(req *Request, s *Subscription) []string {
	var names []string
	seen := make(map[string]bool, len(s.Channels))
	for _, name := range s.Channels {
		seen[name] = true
	}
	for _, c := range req.Catalogs {
		if c.Content == nil || s.Catalog != (cache.Key{}) && c.Key != s.Catalog {
			continue
		}
		pkg := c.Content.Package(s.Package)
		if pkg == nil {
			continue
		}
		for _, ch := range pkg.Channels {
			if !seen[ch.Name] && ch.Quarantined() == nil {
				names, seen[ch.Name] = append(names, ch.Name), true
			}
		}
	}
	return names
}

// adoptions lists the subscriptions of a conflict that could own an installed
// bundle: those to its package that own nothing yet.
func adoptions(req *Request, c *Conflict, bundle string) []Change {
	var out []Change
	for _, f := range c.Facts {
		if f.Kind != FactSubscription {
			continue
		}
		for i := range req.Extensions {
			if e := &req.Extensions[i]; e.Name == f.Subject && e.InstalledCSV == "" {
				out = append(out, Adopt(bundle, e.Name))
			}
		}
		for i := range req.Subscriptions {
			s := &req.Subscriptions[i]
			if s.Name == f.Subject && !ownsInstalled(req, s) {
				out = append(out, Adopt(bundle, s.Name))
			}
		}
	}
	return out
}

func ownsInstalled(req *Request, s *Subscription) bool {
	return slices.ContainsFunc(req.Installed, func(in Installed) bool {
		return in.Name == s.InstalledCSV || in.Subscription == s.Name
	})
}

// kindRank orders changes by how much they ask for.
func kindRank(k ChangeKind) int {
	return slices.Index([]ChangeKind{AdoptInstalled, ReleasePin, ChangeChannel, AllowForbidden,
		DropSubscription, RemoveInstalled, RelaxConstraint}, k)
}

// classRank tells a change of the request from one of the cluster and one of an
// author's constraint.
func classRank(k ChangeKind) int {
	switch k {
	case RelaxConstraint:
		return 2
	case RemoveInstalled:
		return 1
	default:
		return 0
	}
}

// compareCorrections orders corrections, the best first.
func compareCorrections(a, b Correction) int {
	worst := func(c Correction, rank func(ChangeKind) int) int {
		n := 0
		for _, ch := range c.Changes {
			n = max(n, rank(ch.Kind))
		}
		return n
	}
	return cmp.Or(
		cmp.Compare(len(a.Changes), len(b.Changes)),
		cmp.Compare(worst(a, classRank), worst(b, classRank)),
		cmp.Compare(worst(a, kindRank), worst(b, kindRank)))
}

// wordsOf says a set of changes as one sentence.
func wordsOf(changes []Change) string {
	words := make([]string, len(changes))
	for i, c := range changes {
		words[i] = c.String()
	}
	return strings.Join(words, ", and ")
}

// key identifies a change.
func (c Change) key() string {
	k := strings.Join([]string{string(c.Kind), c.Subject, c.Value, c.bundle.String(), strconv.Itoa(c.Round)}, "\x00")
	if c.constraint != nil {
		k += "\x00" + c.constraint.Key()
	}
	return k
}

func setKey(changes []Change) string {
	keys := make([]string, len(changes))
	for i, c := range changes {
		keys[i] = c.key()
	}
	slices.Sort(keys)
	return strings.Join(keys, "\x01")
}
