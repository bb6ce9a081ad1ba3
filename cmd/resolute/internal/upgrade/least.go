package upgrade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// Target is a subscription or an extension to upgrade.
type Target struct {
	// Subscription is its name.
	Subscription string
	// Version is the version to upgrade to, or the name of a bundle, any number of upgrades away;
	// empty means the best that one upgrade reaches.
	Version string
}

// Upgraded is the smallest change that upgrades some subscriptions: one round, or the shortest
// upgrade path if a version is several upgrades away. Others move only when an upgrade requires it.
type Upgraded struct {
	// Rounds has at least one round. The only round of a request without any upgrade to make
	// changes nothing.
	Rounds []Round
	// Besides are the additional steps of approving everything in the namespace, beyond those of
	// the first round; Whole is the error of resolving the whole namespace, if it has no solution.
	Besides []resolver.Step
	Whole   error
	// Blocked explains, for targets without a version that stay or move, why their best candidate
	// is not selected.
	Blocked []whatif.Blocked
}

// Round is one round of an upgrade path: the solution with the smallest change, after the rounds
// before it.
type Round struct {
	Solution *resolver.Solution
	// Companions are the bundles that have to move or be installed too, in the order of the steps.
	Companions []Companion
}

// Companion is a bundle that has to move or be installed too.
type Companion struct {
	Bundle  string            `json:"bundle"`
	Because []resolver.Reason `json:"because"`
}

// The limits of the search for a smaller change, and of the explanations of companions: for further
// ones, only the steps give the reason.
const (
	maxTries      = 200
	maxCompanions = 4
	maxQuestions  = 200
)

// Least finds the smallest change of a request that upgrades some of its subscriptions or
// extensions, even those on hold: all others stay at their bundles if possible, and those without
// an installed bundle are ignored.
//
// A target without a version goes to the best bundle that it would get if it were decided first. Of
// the changes that upgrade all targets, one with the fewest companions is chosen, within a bounded
// search. The error is a [*TargetError], or one of [resolver.Resolver.Resolve] in a
// [*RefusedError]: a conflict explains why the targets cannot be upgraded. So does one for a
// version that only other channels have.
func Least(ctx context.Context, r *resolver.Resolver, req resolver.Request, targets []Target) (*Upgraded, error) {
	req, err := req.Apply() // with the subscriptions of dependencies
	if err != nil {
		return nil, err
	}
	req = fork(req)
	u := &least{ctx: ctx, r: r, names: make(map[string]bool)}
	for _, t := range targets {
		u.names[t.Subscription] = true
	}
	if len(req.Extensions) > 0 {
		req = req.Known() // the versions at which others are kept
		for i, owned := 0, req.Owned(); i < len(req.Extensions); i++ {
			req.Extensions[i].InstalledCSV = owned[req.Extensions[i].Name]
		}
	}
	pinned, err := u.pin(req, targets)
	if err != nil {
		return nil, err
	}
	passing, stuck := u.passing(targets)
	if out, err := u.farther(req, targets, stuck); out != nil || err != nil {
		return out, err
	}
	f, path, err := u.follow(pinned)
	if err != nil {
		return nil, refused(pinned, targets, path, err)
	}
	out := &Upgraded{}
	if out.Rounds, err = u.rounds(f, path); err != nil {
		return nil, err
	}
	if len(passing) > 0 {
		if out.Blocked, err = whatif.FindBlocked(ctx, r, u.first, &resolver.Solution{Steps: passing}); err != nil {
			return nil, err
		}
	}
	return out, u.besides(req, out)
}

// refused returns the error for targets that cannot reach their pins.
func refused(pinned resolver.Request, targets []Target, far *resolver.Path, err error) *RefusedError {
	e := &RefusedError{Request: pinned, Targets: targets, Err: err, goals: make(map[string]string)}
	e.Request = fork(pinned)
	for i, s := range demands(&pinned) {
		if slices.ContainsFunc(targets, func(t Target) bool { return t.Subscription == s.Name }) {
			e.goals[s.Name], *pin(&e.Request, i) = s.Pin, ""
		}
	}
	if far != nil {
		e.Rounds = far.Rounds
	}
	return e
}

type least struct {
	ctx   context.Context
	r     *resolver.Resolver
	names map[string]bool // of the targets
	req   resolver.Request
	best  *resolver.Solution
	tries int

	// first is the request with targets without a version left open, and newest its solution; nil
	// if all have one.
	first  resolver.Request
	newest *resolver.Solution
}

// pin returns the request in which every target is pinned to its goal and the others prefer to
// stay.
func (u *least) pin(req resolver.Request, targets []Target) (resolver.Request, error) {
	for _, t := range targets {
		if _, err := find(&req, t); err != nil {
			return req, err
		}
	}
	var first, rest []int
	owned := req.Owned()
	for i, s := range demands(&req) {
		if u.names[s.Name] {
			release(&req, i)
			first = append(first, i)
		} else if owned[s.Name] != "" {
			rest = append(rest, i)
		}
	}
	wanted := make(map[string]Target, len(targets))
	for _, t := range slices.Backward(targets) {
		wanted[t.Subscription] = t
	}
	out := choose(req, slices.Concat(first, rest))
	open := false // whether a target has no version
	for i, s := range demands(&out)[:len(first)] {
		t := wanted[s.Name]
		if t.Version == "" {
			open = true
			continue
		}
		var err error
		if *pin(&out, i), err = bundleOf(&req, &s, t); err != nil {
			return req, err
		}
	}
	out.Policy.Failures = resolver.FailuresAll
	if open {
		out.Policy.Goal = resolver.Newest
		sol, err := u.r.Resolve(u.ctx, out)
		if err != nil {
			return req, err
		}
		u.first, u.newest = fork(out), sol
		found := outcomeOf(sol)
		for i, s := range demands(&out)[:len(first)] {
			if s.Pin == "" {
				*pin(&out, i) = found.met(s.Name)
			}
		}
	}
	out.Policy.Goal = resolver.MinimalChange
	return out, nil
}

// bundleOf returns the bundle of a version among the candidates of a subscription, otherwise among
// those of other channels, which an upgrade path may reach.
func bundleOf(req *resolver.Request, s *demand, t Target) (string, error) {
	if s.extension != nil {
		return bundleOfExtension(req, s, t)
	}
	var offered []*graph.Bundle
	elsewhere := ""
	for _, pkg := range req.Packages(s.Catalog, s.Package) {
		for _, ch := range pkg.Channels {
			own := len(s.Channels) == 0 || slices.Contains(s.Channels, ch.Name)
			for _, b := range ch.Candidates() {
				wanted := b.Name == t.Version || b.Version.String() == t.Version
				switch {
				case wanted && own:
					return b.Name, nil
				case wanted:
					elsewhere = cmp.Or(elsewhere, b.Name)
				case own:
					offered = append(offered, b)
				}
			}
		}
	}
	if in := req.Owned()[s.Name]; in == t.Version && in != "" {
		return in, nil
	}
	if elsewhere != "" {
		return elsewhere, nil
	}
	reason := fmt.Sprintf("no candidate has version %s", t.Version)
	if len(offered) > 0 {
		slices.SortFunc(offered, func(a, b *graph.Bundle) int { return b.Version.Compare(*a.Version) })
		versions := text.Each(offered, func(b *graph.Bundle) string { return b.Version.String() })
		reason += "; candidates: " + text.Short(slices.Compact(versions), 8)
	}
	return "", targetError(req, t, reason)
}

// shrink searches for a change with fewer companions, by keeping all others at their bundles except
// a few.
func (u *least) shrink() error {
	most := len(u.moved(u.best))
	var free []int // subscriptions or extensions that may move
	for i, s := range demands(&u.req) {
		if !u.names[s.Name] && s.Hold == "" {
			free = append(free, i)
		}
	}
	for size := 0; size < min(most, maxCompanions+1, len(free)+1); size++ {
		for picked := range subsets(len(free), size) {
			if u.tries++; u.tries > maxTries {
				break
			}
			sol, err := u.holding(free, picked)
			var conflict *resolver.Conflict
			if errors.As(err, &conflict) {
				continue
			}
			if err != nil {
				return err
			}
			if n := len(u.moved(sol)); n < most {
				u.best, most = sol, n
			}
		}
	}
	return u.vary(most)
}

// holding resolves with everything on hold except the targets and the picked demands.
func (u *least) holding(free, picked []int) (*resolver.Solution, error) {
	req := fork(u.req)
	for k, i := range free {
		if !slices.Contains(picked, k) { // picked is short
			wait(&req, i)
		}
	}
	return u.r.Resolve(u.ctx, req)
}

// notNow is the reason for a hold of a demand that is not a target.
const notNow = "is not to be upgraded"

// newRoundOf returns a round without the artificial holds.
func newRoundOf(sol *resolver.Solution, companions []Companion) Round {
	for i := range sol.Steps {
		if s := &sol.Steps[i]; s.Hold == notNow {
			s.Hold = ""
		}
	}
	return Round{sol, companions}
}

// subsets yields the subsets of a size of n elements, in order. Each is valid until the next one.
func subsets(n, size int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		picked := make([]int, size)
		var from func(at, next int) bool
		from = func(at, next int) bool {
			if at == size {
				return yield(picked)
			}
			for picked[at] = next; picked[at] < n; picked[at]++ {
				if !from(at+1, picked[at]+1) {
					return false
				}
			}
			return true
		}
		from(0, 0)
	}
}

// moved returns the steps of a solution that change something, without the targets.
func (u *least) moved(sol *resolver.Solution) []*resolver.Step {
	var out []*resolver.Step
	for i := range sol.Steps {
		s := &sol.Steps[i]
		target := slices.ContainsFunc(s.Because, func(r resolver.Reason) bool { return u.names[r.Subscription] })
		if s.Action != resolver.Keep && !target {
			out = append(out, s)
		}
	}
	return out
}

// companions explains why each companion has to move: the bundle that requires it, or the conflict
// if it stays.
func (u *least) companions() ([]Companion, error) {
	out := []Companion{}
	for i, step := range u.moved(u.best) {
		c := Companion{Bundle: step.Bundle}
		var err error
		if len(step.Replaces) > 0 && i < maxQuestions {
			if c.Because, err = u.whyNotStay(step); err != nil {
				return nil, err
			}
		}
		if len(c.Because) == 0 {
			c.Because = slices.DeleteFunc(append([]resolver.Reason{}, step.Because...), func(r resolver.Reason) bool { return r.Subscription != "" })
		}
		out = append(out, c)
	}
	return out, nil
}

// whyNotStay keeps a companion at its bundle and returns the constraints that then conflict, or
// else the conflict over an API or a package.
func (u *least) whyNotStay(step *resolver.Step) ([]resolver.Reason, error) {
	req := fork(u.req)
	for i, s := range demands(&req) {
		if meets(step, s.Name) {
			wait(&req, i)
		}
	}
	_, err := u.r.Resolve(u.ctx, req)
	var conflict *resolver.Conflict
	switch {
	case err == nil:
		return nil, nil // another choice would also do, with more companions
	case !errors.As(err, &conflict):
		return nil, err
	}
	var out, clashes []resolver.Reason
	for _, f := range conflict.Facts {
		switch f.Kind {
		case argument.FactConstraint:
			why := resolver.Reason{Bundle: f.Subject, Constraint: f.Text}
			for _, r := range step.Because { // in the words of the solution, if it has the constraint
				if r.Bundle == f.Subject {
					why = r
				}
			}
			out = append(out, why)
		case argument.FactGVK, argument.FactPackage:
			clashes = append(clashes, resolver.Reason{Constraint: f.Text})
		}
	}
	if len(out) == 0 {
		return clashes, nil
	}
	return out, nil
}

func (u *least) besides(req resolver.Request, out *Upgraded) error {
	whole, err := u.r.Resolve(u.ctx, req)
	var conflict *resolver.Conflict
	switch {
	case errors.As(err, &conflict):
		out.Whole = err
		return nil
	case err != nil:
		return err
	}
	least := out.Rounds[0].Solution.Set()
	out.Besides = slices.DeleteFunc(slices.Clone(whole.Steps), func(s resolver.Step) bool {
		_, there := slices.BinarySearch(least, s.Bundle)
		return there || s.Action == resolver.Keep
	})
	return nil
}
