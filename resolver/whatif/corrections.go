package whatif

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/settings"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// The bounds of the search for corrections.
const (
	maxCorrections  = 5
	maxSize         = 4
	tries           = 300     // of one conflict
	triesLong       = 60      // with a Resolve of its own
	triesAll        = 3_000   // of a conflict and all further ones
	workAll         = 500_000 // the same, times the subscriptions and installed bundles that each resolves
	relaxationsEach = 12      // constraints of one conflict that are tried
)

// FindOptions are the options of [FindCorrections]; the zero value is the default.
type FindOptions struct {
	// Tried, if not nil, is called after each set of changes that was tried, with the result of
	// resolving the changed request, or a [*resolver.RequestError] if the changes do not fit
	// together. It must not modify the changes.
	Tried func(changes []resolver.Change, sol *resolver.Solution, err error)
	// Allow reports whether a change may be made; nil allows all.
	Allow func(resolver.Change) bool
	// Commands, if not nil, returns the commands that make a change on a cluster, in order and
	// quoted for a shell; olm.Commands returns those for kubectl.
	Commands func(*Edit) []string
	// Resolve resolves a changed request; nil means [resolver.Resolver.Resolve]. It is called
	// for at most 60 sets of changes, and further conflicts are then ignored.
	Resolve func(context.Context, resolver.Request) (*resolver.Solution, error)
}

// FindCorrections finds minimal correction sets of an unsatisfiable request and stores them in
// the Corrections of the conflict that resolving it returned, and of each further conflict.
// Every correction is verified: resolving the changed request gives its Result, and no proper
// subset of its changes is a correction.
//
// Each conflict gets at most five corrections, best first: those without downgrades and
// removals; of these, renames; then changes by an administrator before changes by the author of
// a bundle; then fewer changes; then changes of the request before removals. Each change has the
// role that can make it, and its commands if opts has Commands.
//
// Result is the result set of the whole request. If other conflicts remain, it omits their
// bundles, and Remaining is their number.
//
// If a subscription reaches a solution only over several rounds, in one channel after another,
// the correction is an upgrade path: each change of channel has its round, and Result is the set
// of the last round.
//
// The search is bounded. If it finds nothing, Corrections is empty and Tried of the conflict is
// the number of sets tried. The error is a [*resolver.IncompleteError] if the context ended or a
// limit was exhausted; corrections found by then are stored. The conflict need not be Minimal.
func FindCorrections(ctx context.Context, r *resolver.Resolver, req resolver.Request, conflict *resolver.Conflict, opts FindOptions) error {
	given := demandNames(&req)
	req, err := req.Apply() // with the subscriptions of dependencies
	if err != nil {
		return err
	}
	req.Policy.Failures = resolver.FailuresAll
	r = r.With(resolver.PartOf(trace.OperationCorrect))
	all := conflict.All()
	each, left := tries, triesAll
	if maxTries := workAll / max(1, len(req.Subscriptions)+len(req.Installed)); maxTries < triesAll {
		left = max(maxTries, 10) // each try of such a request takes long
		each = max(1, min(tries, left/len(all)))
	}
	if opts.Resolve != nil {
		each, all = min(each, triesLong), all[:1]
	}
	// One that is not minimal was cut short, and says that there is more in any case.
	more := conflict.MoreFurther && !slices.ContainsFunc(all, func(c *resolver.Conflict) bool { return !c.Minimal })
	for i, c := range all {
		s := &search{opts: opts, whole: r, base: req, given: given, maxTries: min(each, left)}
		s.correct(ctx, c, slices.Delete(slices.Clone(all), i, i+1), more)
		if left -= s.tries; s.err != nil {
			return s.err
		}
	}
	return nil
}

// search goes through the sets of changes by size: each conflict that is left after
// some changes has to be hit by one more (the hitting set tree of Reiter).
type search struct {
	opts     FindOptions
	whole    *resolver.Resolver
	aside    settings.Aside // demands to ignore
	base     resolver.Request
	given    map[string]bool // what the request asks for, without what is generated for it
	found    []resolver.Correction
	keys     [][]string // of the changes of each correction found
	seen     map[string]bool
	tries    int
	maxTries int
	err      error
}

// correct fills in the corrections of one conflict. What the others start from asks
// for nothing meanwhile. More says that there are conflicts beside the others, of which it
// is not known what they start from: no change would leave nothing of them.
func (s *search) correct(ctx context.Context, c *resolver.Conflict, others []*resolver.Conflict, more bool) {
	remaining := len(others)
	if more {
		remaining++
	} else {
		s.aside = rootsOf(others...)
		s.sets(ctx, c)
	}
	if s.err == nil && remaining == 0 {
		s.paths(ctx, c)
	}
	alone := s.err == nil && len(s.found) == 0
	if alone {
		// What this conflict hides cannot be corrected with so few changes: look at the
		// conflict by itself.
		s.aside = s.otherRoots(c)
		s.sets(ctx, c)
	}
	slices.SortStableFunc(s.found, compare)
	if len(s.found) > maxCorrections {
		s.found = s.found[:maxCorrections]
	}
	if c.Corrections = s.found; len(s.found) == 0 && s.err == nil {
		c.Tried = s.tries
	}
	s.aside = nil
	stopped := s.err
	for i := range s.found {
		k := &s.found[i]
		k.Remaining = remaining
		if (!alone || more) && !slices.ContainsFunc(k.List(), func(c resolver.Change) bool { return reaches(c, others) }) {
			continue
		}
		s.err = nil
		s.applyToWhole(ctx, k)
		stopped = cmp.Or(stopped, s.err)
	}
	slices.SortStableFunc(s.found, compare) // the whole can lose more
	s.err = stopped
}

// reaches reports whether a change can correct other conflicts too: it is about a bundle
// that one of their facts is about. All others cannot hold together whatever becomes of it.
func reaches(c resolver.Change, others []*resolver.Conflict) bool {
	switch c.Kind() {
	case resolver.ChangeMigrateStorage:
		return len(others) > 0
	case resolver.ChangeRelaxPolicy:
		return slices.ContainsFunc(others, func(other *resolver.Conflict) bool {
			return slices.ContainsFunc(other.Facts, func(f argument.Fact) bool { return f.Rule == c.Subject() })
		})
	case resolver.ChangeAllowForbidden, resolver.ChangeRelaxConstraint, resolver.ChangeAdoptInstalled, resolver.ChangeRemoveInstalled:
		return slices.ContainsFunc(others, func(other *resolver.Conflict) bool {
			return slices.ContainsFunc(other.Facts, func(f argument.Fact) bool { return f.Subject == c.Subject() || f.Owns == c.Subject() })
		})
	default:
		return false
	}
}

// applyToWhole applies a correction of one conflict to the whole request. It sets the number of
// remaining conflicts, or the result if none remains.
func (s *search) applyToWhole(ctx context.Context, k *resolver.Correction) {
	changes := k.List()
	sol, left := s.try(ctx, changes)
	switch {
	case left != nil:
		k.Remaining = len(left.All())
	case sol != nil:
		*k = s.correctionOf(changes, sol)
	}
}

// demandNames returns the names of the subscriptions and extensions of a request.
func demandNames(req *resolver.Request) map[string]bool {
	out := make(map[string]bool)
	for i := range req.Subscriptions {
		out[req.Subscriptions[i].Name] = true
	}
	for i := range req.Extensions {
		out[req.Extensions[i].Name] = true
	}
	return out
}

// attempt is a set of changes, and the conflict that is left after it.
type attempt struct {
	changes []resolver.Change
	left    *resolver.Conflict
}

// sets looks for sets of changes after which a conflict is gone.
func (s *search) sets(ctx context.Context, conflict *resolver.Conflict) {
	s.seen = make(map[string]bool)
	level := []attempt{{left: conflict}}
	for size := 1; size <= maxSize && s.err == nil && len(level) > 0 && len(s.found) < maxCorrections; size++ {
		var next []attempt
		for _, a := range level {
			if s.err != nil || s.tries >= s.maxTries {
				return
			}
			next = append(next, s.extend(ctx, a)...)
		}
		level = next
	}
}

// extend tries each change that could resolve the conflict left after an attempt.
func (s *search) extend(ctx context.Context, a attempt) (next []attempt) {
	for _, c := range s.changesFor(a) {
		if s.err != nil || s.tries >= s.maxTries {
			break
		}
		changes := append(slices.Clone(a.changes), c)
		keys := keysOf(changes)
		set := strings.Join(keys, "\x01")
		if s.seen[set] || s.covered(keys) {
			continue
		}
		s.seen[set] = true
		sol, left := s.try(ctx, changes)
		switch {
		case left != nil && s.crosses(changes): // what is left may be another conflict
		case sol == nil && left != nil:
			next = append(next, attempt{changes, left})
		case sol != nil && s.minimal(ctx, changes):
			s.add(s.correctionOf(changes, sol))
		}
	}
	return next
}

// try resolves the changed request. Both results are nil if the changes do not fit
// together.
func (s *search) try(ctx context.Context, changes []resolver.Change) (*resolver.Solution, *resolver.Conflict) {
	s.tries++
	var sol *resolver.Solution
	req, err := s.base.Apply(changes...)
	if err == nil {
		sol, err = s.resolve(ctx, req, s.crosses(changes))
	}
	if s.opts.Tried != nil {
		s.opts.Tried(changes, sol, err)
	}
	return sol, s.unsolved(err)
}

// crosses reports whether changes adopt something of another conflict, or for a subscription of
// one: they have to clear all conflicts, or corrections of several would contradict each other.
func (s *search) crosses(changes []resolver.Change) bool {
	return slices.ContainsFunc(changes, func(c resolver.Change) bool {
		adopt, ok := c.(resolver.AdoptInstalled)
		return ok && (s.aside[settings.Root{Kind: argument.FactSubscription, Name: adopt.Subscription}] || s.others()[adopt.Bundle])
	})
}

// others are the installed bundles that ask for nothing, by themselves or through their owners.
func (s *search) others() map[string]bool {
	if len(s.aside) == 0 {
		return nil
	}
	out, owned := make(map[string]bool), s.base.Owned()
	for root, aside := range s.aside {
		switch {
		case aside && root.Kind == argument.FactInstalled:
			out[root.Name] = true
		case aside && root.Kind == argument.FactSubscription:
			out[owned[root.Name]] = true
		}
	}
	return out
}

// resolve answers a changed request, or the whole of it.
func (s *search) resolve(ctx context.Context, req resolver.Request, whole bool) (*resolver.Solution, error) {
	switch {
	case s.opts.Resolve != nil:
		return s.opts.Resolve(ctx, req)
	case whole:
		return s.whole.Resolve(ctx, req)
	default:
		return s.whole.Resolve(settings.WithAside(ctx, s.aside), req)
	}
}

// unsolved takes the conflict out of an error; of a request that is not well-formed
// there is nothing to say. Other errors stop the search.
func (s *search) unsolved(err error) (conflict *resolver.Conflict) {
	var invalid *resolver.RequestError
	if !errors.As(err, &conflict) && !errors.As(err, &invalid) {
		s.err = err
	}
	return conflict
}

// minimal reports whether no proper part of a correction is one.
func (s *search) minimal(ctx context.Context, changes []resolver.Change) bool {
	for mask := 1; mask < 1<<len(changes)-1; mask++ {
		var part []resolver.Change
		for i, c := range changes {
			if mask>>i&1 == 1 {
				part = append(part, c)
			}
		}
		if sol, _ := s.try(ctx, part); sol != nil || s.err != nil {
			return false
		}
	}
	return true
}

// add adds a correction that was found.
func (s *search) add(c resolver.Correction) {
	s.found, s.keys = append(s.found, c), append(s.keys, keysOf(c.List()))
}

// covered reports whether a correction was found whose changes are all among those with the keys.
func (s *search) covered(keys []string) bool {
	return slices.ContainsFunc(s.keys, func(found []string) bool {
		return !slices.ContainsFunc(found, func(key string) bool { return !slices.Contains(keys, key) })
	})
}
