package upgrade

import (
	"context"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
)

// walk is an upgrade path with the catalogs of one world, on which some operators move until they
// can stay in a target world.
type walk struct {
	state  resolver.Request // at its end
	rounds []round
	// solved are the operators that can stay at their bundle at the end, and released those that no
	// longer block the cluster there.
	solved, released map[*operator]bool
	// moved are the operators that moved themselves.
	moved map[*operator]bool
	view  *view // at the end; nil if nothing moved
	prior *walk // the walk before it; nil if there is none
}

type round struct {
	steps    []resolver.Step
	takes    map[*operator][]int // by operator that moved: its steps
	meets    map[string][]int    // steps, by satisfied subscription
	warnings []resolver.Warning  // warnings about resource definitions
}

// walk follows an upgrade path from a state in one world, until each mover can stay in the target
// world or cannot move further. Others move only if they must.
func (c *checker) walk(ctx context.Context, prior *walk, state resolver.Request, in, target *world, movers []*operator) (*walk, error) {
	w := &walk{prior: prior, state: state, solved: make(map[*operator]bool), released: make(map[*operator]bool), moved: make(map[*operator]bool)}
	active := slices.DeleteFunc(slices.Clone(movers), func(o *operator) bool { return o.owner() == "" || o.start == "" || c.frozen[o] })
	seen := make(map[*operator]map[string]bool)
	var moving map[*operator]string
	var steps []resolver.Step
	path := resolver.Path{Final: in.request(state, state.Policy.Goal)}
	for sol, err := range path.Follow(ctx, c.rounds+1, func(ctx context.Context, at resolver.Request) (sol *resolver.Solution, err error) {
		if len(path.Rounds) < c.rounds && len(active) > 0 {
			sol, moving, err = c.round(ctx, at, in, active, seen)
		}
		if sol != nil && err == nil {
			steps, err = c.executable(ctx, at, in, sol)
		}
		return sol, err
	}) {
		if err != nil {
			return nil, err
		}
		w.rounds = append(w.rounds, newRound(sol, steps, moving))
		w.state = path.Final
		if w.view, err = c.view(ctx, w.state, target); err != nil {
			return nil, err
		}
		active = w.arrived(moving)
	}
	if w.view != nil {
		for _, o := range movers {
			w.solved[o] = w.settled(o) // also one that moved along
			w.released[o] = !w.view.hard(o)
		}
	}
	return w, nil
}

// arrived records which operators have moved, and returns those that have to continue.
func (w *walk) arrived(moving map[*operator]string) []*operator {
	var on []*operator
	for o := range moving { // in any order; sorted below
		w.moved[o] = true
		if !w.settled(o) {
			on = append(on, o)
		}
	}
	return inOrder(on)
}

// settled reports whether an operator can stay at its bundle, together with everything that its
// path installed.
func (w *walk) settled(o *operator) bool {
	if len(w.view.needs[o]) > 0 {
		return false
	}
	for at := w; at != nil; at = at.prior {
		for _, s := range at.steps("", o) {
			if w.view.bad[s.Bundle] {
				return false
			}
		}
	}
	return true
}

// round resolves one round: each operator to move goes where it would by itself, and everything
// else stays if possible. If they cannot move together, the first that can moves alone. It returns
// the solution, nil if none moves, and the new bundles of those that move.
func (c *checker) round(ctx context.Context, state resolver.Request, in *world, active []*operator, seen map[*operator]map[string]bool) (*resolver.Solution, map[*operator]string, error) {
	sol, moving, refused, err := c.tryRound(ctx, state, in, active, seen)
	for i := 0; refused && err == nil && sol == nil && i < len(active) && len(active) > 1; i++ {
		sol, moving, _, err = c.tryRound(ctx, state, in, active[i:i+1], seen)
	}
	for o, to := range moving { // in any order
		seen[o][to] = true
	}
	return sol, moving, err
}

// tryRound resolves a round in which some operators move. It is refused if it is no solution given
// only what this world knows of the installed bundles.
func (c *checker) tryRound(ctx context.Context, state resolver.Request, in *world, active []*operator, seen map[*operator]map[string]bool) (sol *resolver.Solution, moving map[*operator]string, refused bool, err error) {
	free := in.request(state, c.goal())
	free.Subscriptions, free.Extensions = slices.Clone(free.Subscriptions), slices.Clone(free.Extensions)
	at, subs := make(map[*operator]int), make(map[string]int)
	for i, s := range demands(&free) {
		subs[s.Name] = i
	}
	for _, o := range active {
		if i, known := subs[o.owner()]; known {
			at[o] = i
			release(&free, i)
		}
	}
	movers := make(map[int]bool)
	for _, i := range at { // in any order
		movers[i] = true
	}
	stay(&free, movers)
	if sol, err = c.r.Resolve(ctx, free); err != nil {
		return nil, nil, false, ignoreConflict(err)
	}
	moving = targets(outcomeOf(sol), &free, at, seen)
	if len(moving) == 0 && len(free.Extensions) > len(at) {
		if sol, moving, err = c.together(ctx, &free, in.request(state, c.goal()), at, seen); err != nil {
			return nil, nil, false, err
		}
	}
	if len(moving) == 0 {
		return nil, nil, false, nil
	}
	pinned := in.request(state, resolver.MinimalChange)
	pinned.Subscriptions, pinned.Extensions = slices.Clone(free.Subscriptions), slices.Clone(free.Extensions)
	for o, to := range moving { // in any order
		send(&pinned, at[o], to)
	}
	if !onlyMoves(sol, moving) {
		if sol, err = c.r.Resolve(ctx, pinned); err != nil {
			return nil, nil, false, ignoreConflict(err)
		}
		found := outcomeOf(sol)
		for o, to := range moving { // in any order
			if found.met(o.owner()) != to {
				delete(moving, o)
			}
		}
	}
	if len(moving) == 0 {
		return nil, nil, false, nil
	}
	if agrees, err := c.agrees(ctx, in, pinned, sol); err != nil || !agrees {
		return nil, nil, true, err
	}
	return sol, moving, false, nil
}

// agrees reports whether a request has the same result given only what a world knows of the
// installed bundles.
func (c *checker) agrees(ctx context.Context, in *world, req resolver.Request, sol *resolver.Solution) (bool, error) {
	less, differs := c.knownIn(in, req)
	if !differs {
		return true, nil
	}
	other, err := c.r.Resolve(ctx, less)
	if err != nil {
		return false, ignoreConflict(err)
	}
	return slices.Equal(other.Set(), sol.Set()), nil
}

// goal returns the goal of operators that move.
func (c *checker) goal() resolver.Goal {
	if c.policy.Goal == resolver.MinimalChange || c.policy.Goal == resolver.Nearest {
		return resolver.Newest
	}
	return c.policy.Goal
}

// targets returns the bundles to which operators move in a solution. One that returns to an earlier
// bundle does not count.
func targets(found *outcome, req *resolver.Request, at map[*operator]int, seen map[*operator]map[string]bool) map[*operator]string {
	moving := make(map[*operator]string)
	subs := demands(req)
	for o, i := range at { // in any order
		now, to := subs[i].InstalledCSV, found.met(o.owner())
		if seen[o] == nil {
			seen[o] = map[string]bool{now: true}
		}
		if to == "" || to == now || seen[o][to] {
			continue
		}
		moving[o] = to
	}
	return moving
}

// onlyMoves reports whether only the operators to move change.
func onlyMoves(sol *resolver.Solution, moving map[*operator]string) bool {
	changes, targets := 0, make(map[string]bool)
	for i := range sol.Steps {
		if sol.Steps[i].Action != resolver.Keep {
			changes++
		}
	}
	for _, to := range moving { // in any order
		targets[to] = true
	}
	return changes == len(targets)
}

// newRound assigns the steps of a solution to operators: its own, its dependencies, and those that
// move only because another does. The steps are the changes of the solution.
func newRound(sol *resolver.Solution, steps []resolver.Step, moving map[*operator]string) round {
	r := round{steps: steps, takes: make(map[*operator][]int), meets: make(map[string][]int)}
	for _, w := range sol.Warnings {
		if w.Code != "" {
			r.warnings = append(r.warnings, w)
		}
	}
	at := make(map[string]int)
	for i := range steps {
		at[steps[i].Bundle] = i
	}
	needs := make([][]int, len(r.steps)) // what moves because of each step
	for i := range r.steps {
		for _, why := range r.steps[i].Because {
			if k, moves := at[why.Bundle]; moves {
				needs[k] = append(needs[k], i)
			}
			if why.Subscription != "" {
				r.meets[why.Subscription] = append(r.meets[why.Subscription], i)
			}
		}
	}
	mine, claimed := make(map[*operator]map[int]bool), make(map[int]bool)
	for o, to := range moving { // in any order
		own, ok := at[to]
		if !ok {
			continue
		}
		mine[o] = map[int]bool{own: true}
		for todo := []int{own}; len(todo) > 0; todo = todo[1:] {
			claimed[todo[0]] = true
			for _, i := range needs[todo[0]] {
				if !mine[o][i] {
					mine[o][i] = true
					todo = append(todo, i)
				}
			}
		}
	}
	for o, own := range mine { // in any order
		for i := range r.steps {
			if own[i] || !claimed[i] {
				r.takes[o] = append(r.takes[o], i)
			}
		}
	}
	return r
}

// steps returns the steps of a walk, of one operator or all.
func (w *walk) steps(when string, of *operator) []Step {
	var out []Step
	for i := range w.rounds {
		r := &w.rounds[i]
		if of == nil {
			for k := range r.steps {
				out = append(out, newStep(when, &r.steps[k]))
			}
			continue
		}
		mine, moves := r.takes[of]
		if !moves {
			mine = r.meets[of.owner()] // it moved along
		}
		for _, k := range mine {
			out = append(out, newStep(when, &r.steps[k]))
		}
	}
	return out
}

func newStep(when string, s *resolver.Step) Step {
	step := Step{When: when, Action: string(s.Action), Bundle: s.Bundle, Package: s.Package, Channel: s.Channel}
	if len(s.Replaces) > 0 {
		step.Replaces = s.Replaces[0]
	}
	if s.Version != nil {
		step.Version = s.Version.String()
	}
	if s.Catalog != (cache.Key{}) {
		step.Catalog = s.Catalog.String()
	}
	return step
}
