package upgrade

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// The limits of the search for an upgrade path to a version.
const (
	pathRounds = 100
	pathTries  = 200 // requests resolved
)

// limitResolutions is the limit that pathTries sets.
const limitResolutions resolver.Limit = "resolutions of an upgrade path"

// guide has the upgrade edges of a subscription, and the distance of each bundle to its goal.
type guide struct {
	next map[string][]string
	away map[string]int // 0 for the goal; unreachable ones are missing
}

// newGuide returns the guide of a subscription from its installed bundle.
func newGuide(ctx context.Context, req *resolver.Request, target, from string) (*guide, error) {
	s, err := find(req, Target{Subscription: target})
	if err != nil {
		return nil, err
	}
	if s.extension != nil {
		return extensionGuide(ctx, req, s, from)
	}
	g := &guide{next: make(map[string][]string)}
	var installed []graph.Installed
	for _, in := range req.Installed {
		if in.Name == from && in.Version != nil {
			installed = append(installed, graph.Installed{Name: in.Name, Version: *in.Version})
		}
	}
	todo := []string{from}
	var updates []*graph.Updates
	for _, pkg := range req.Packages(s.Catalog, s.Package) {
		channels := slices.DeleteFunc(slices.Clone(s.Channels), func(ch string) bool { return pkg.Channel(ch) == nil })
		if len(channels) == 0 && len(s.Channels) > 0 {
			continue
		}
		u, err := graph.NewUpdates(ctx, pkg, graph.UpdateOptions{Channels: channels, Installed: installed})
		if err != nil {
			return nil, err
		}
		updates = append(updates, u)
	}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if _, known := g.next[at]; known {
			continue
		}
		g.next[at] = nil
		for _, u := range updates {
			for to := range u.Targets(at) {
				if to != at && !slices.Contains(g.next[at], to) {
					g.next[at] = append(g.next[at], to)
					todo = append(todo, to)
				}
			}
		}
	}
	return g, nil
}

// setGoal computes the distance of each bundle to a goal, in upgrades.
func (g *guide) setGoal(to string) {
	before := make(map[string][]string)
	for from, list := range g.next { // in any order; only numbers result
		for _, n := range list {
			before[n] = append(before[n], from)
		}
	}
	g.away = map[string]int{to: 0}
	for todo := []string{to}; len(todo) > 0; todo = todo[1:] {
		for _, from := range before[todo[0]] {
			if _, known := g.away[from]; !known {
				g.away[from] = g.away[todo[0]] + 1
				todo = append(todo, from)
			}
		}
	}
}

// remaining returns the distance of a bundle, in upgrades; a large number if it cannot reach the
// goal.
func (g *guide) remaining(at string) int {
	if n, ok := g.away[at]; ok {
		return n
	}
	return math.MaxInt32
}

// stage is a round to try: where targets go from the end of a path.
type stage struct {
	from *resolver.Path
	pins []string        // of each target
	free map[string]bool // others that are free to move because the targets need it
	cost int             // rounds, and a lower bound of the remaining upgrades
	left int
}

// pathFinder finds the shortest upgrade path of some subscriptions to their pins, on which others
// stay as long as possible.
type pathFinder struct {
	r       *resolver.Resolver
	targets []string // names of subscriptions
	goals   []string // bundles
	guides  []*guide
	tries   int
	queue   []stage
	stages  map[*resolver.Solution]stage

	// far is the best path so far; also its remaining upgrades, and the error that ends it.
	far  *resolver.Path
	left int
	end  error
}

// follow searches for an upgrade path in a request whose targets are pinned to their goals, and
// returns it with the task of each round: a single round if that suffices, which needs no edge. If
// there is none, the error is a conflict, and the path is the longest one.
func (u *least) follow(pinned resolver.Request) (*pathFinder, *resolver.Path, error) {
	f := &pathFinder{r: u.r, left: math.MaxInt, stages: make(map[*resolver.Solution]stage)}
	start := &resolver.Path{Final: pinned}
	direct := stage{from: start}
	start.Final = fork(pinned)
	for i, s := range demands(&pinned) {
		if s.Pin != "" && u.names[s.Name] {
			f.targets, f.goals = append(f.targets, s.Name), append(f.goals, s.Pin)
			*pin(&start.Final, i) = ""
		}
	}
	direct.pins = f.goals
	sol, err := f.round(u.ctx, direct)
	var conflict *resolver.Conflict
	switch {
	case err == nil:
		f.stages[sol] = direct
		return f, &resolver.Path{Rounds: []*resolver.Solution{sol}}, nil
	case !errors.As(err, &conflict):
		return nil, nil, err
	}
	for k, at := range f.at(start) {
		g, err := newGuide(u.ctx, &start.Final, f.targets[k], at)
		if err != nil {
			return nil, nil, &resolver.IncompleteError{Limit: resolver.LimitContext, Err: err}
		}
		g.setGoal(f.goals[k])
		f.guides = append(f.guides, g)
	}
	find := f.find
	if f.ahead(start) == math.MaxInt32 {
		find = f.farthest
	}
	path, err := find(u.ctx, start)
	return f, path, err
}

// rounds returns the rounds of a path, each with as few companions as possible without more in the
// rounds after it.
func (u *least) rounds(f *pathFinder, path *resolver.Path) ([]Round, error) {
	at := &resolver.Path{Final: f.stages[path.Rounds[0]].from.Final}
	var out []Round
	for _, sol := range path.Rounds {
		next := f.stages[sol]
		next.from = at
		least, err := f.round(u.ctx, next)
		var conflict *resolver.Conflict
		if errors.As(err, &conflict) {
			return u.asFound(f, path)
		} else if err != nil {
			return nil, err
		}
		u.req, u.best = f.request(next), least
		if err := u.shrink(); err != nil {
			return nil, err
		}
		companions, err := u.companions()
		if err != nil {
			return nil, err
		}
		out = append(out, newRoundOf(u.best, companions))
		at.Advance(u.best)
	}
	if f.ahead(at) > 0 {
		return u.asFound(f, path)
	}
	return out, nil
}

// asFound returns the rounds of a path as they were found.
func (u *least) asFound(f *pathFinder, path *resolver.Path) ([]Round, error) {
	var out []Round
	for _, sol := range path.Rounds {
		u.req, u.best = f.request(f.stages[sol]), sol
		companions, err := u.companions()
		if err != nil {
			return nil, err
		}
		out = append(out, newRoundOf(sol, companions))
	}
	return out, nil
}

// at returns the bundle of each target at the end of a path.
func (f *pathFinder) at(p *resolver.Path) []string {
	owned := p.Final.Owned()
	return text.Each(f.targets, func(name string) string { return owned[name] })
}

// ahead returns a lower bound of the rounds from the end of a path, by the guides.
func (f *pathFinder) ahead(p *resolver.Path) int {
	most, at := 0, f.at(p)
	for k, g := range f.guides {
		most = max(most, g.remaining(at[k]))
	}
	return most
}

// find tries rounds, most promising first.
func (f *pathFinder) find(ctx context.Context, start *resolver.Path) (*resolver.Path, error) {
	f.far, f.left = start, f.ahead(start)
	f.push(start)
	for len(f.queue) > 0 {
		next := slices.MinFunc(f.queue, func(a, b stage) int { return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.left, b.left)) })
		at := slices.IndexFunc(f.queue, func(s stage) bool { return s.cost == next.cost && s.left == next.left })
		next = f.queue[at]
		f.queue = slices.Delete(f.queue, at, at+1)
		if f.tries++; f.tries > pathTries {
			return f.far, &resolver.IncompleteError{Limit: limitResolutions, Allowed: pathTries}
		}
		sol, err := f.round(ctx, next)
		var conflict *resolver.Conflict
		switch {
		case errors.As(err, &conflict):
			f.noteEnd(next, err)
			f.relax(next, conflict)
			continue
		case err != nil:
			return f.far, err
		}
		f.stages[sol] = next
		if sol.Unchanged() && next.free != nil {
			if err := f.widen(ctx, next, sol); err != nil {
				return f.far, err
			}
			continue
		}
		path := next.from.Branch()
		if sol.Unchanged() || !path.Advance(sol) {
			continue
		}
		left := f.ahead(path)
		if left < f.left {
			f.far, f.left, f.end = path, left, nil
		}
		if left == 0 {
			return path, nil
		}
		if len(path.Rounds) < pathRounds {
			f.push(path)
		}
	}
	if f.end != nil {
		return f.far, f.end
	}
	_, err := f.round(ctx, stage{from: f.far, pins: f.goals})
	return f.far, err
}

// noteEnd records the error that ends the longest path.
func (f *pathFinder) noteEnd(s stage, err error) {
	if s.from == f.far && f.end == nil {
		f.end = err
	}
}

// push adds the rounds that may follow a path: each target moves by one upgrade, or stays once it
// has reached its goal.
func (f *pathFinder) push(p *resolver.Path) {
	choices := [][]string{nil}
	for k, at := range f.at(p) {
		g := f.guides[k]
		options := slices.DeleteFunc(slices.Clone(g.next[at]), func(n string) bool { return g.remaining(n) == math.MaxInt32 })
		slices.SortStableFunc(options, func(a, b string) int { return cmp.Compare(g.remaining(a), g.remaining(b)) })
		if g.remaining(at) == 0 {
			options = []string{at}
		} else if len(f.targets) > 1 {
			options = append(options, at)
		}
		var longer [][]string
		for _, c := range choices {
			for _, o := range options {
				if len(longer) < pathTries {
					longer = append(longer, append(slices.Clone(c), o))
				}
			}
		}
		choices = longer
	}
	for _, pins := range choices {
		left := 0
		for k, to := range pins {
			left = max(left, f.guides[k].remaining(to))
		}
		f.queue = append(f.queue, stage{from: p, pins: pins, cost: len(p.Rounds) + 1 + left, left: left})
	}
}

// relax adds a round in which the targets wait and the blocking demands are free to move.
func (f *pathFinder) relax(s stage, c *resolver.Conflict) {
	if s.free != nil {
		return
	}
	free := make(map[string]bool)
	f.inTheWay(c, free)
	if at := f.at(s.from); len(free) > 0 {
		left := f.ahead(s.from)
		f.queue = append(f.queue, stage{from: s.from, pins: at, free: free, cost: len(s.from.Rounds) + 1 + left, left: left})
	}
}

// request returns the request of a round.
func (f *pathFinder) request(s stage) resolver.Request {
	req := fork(s.from.Final)
	for i, a := range demands(&req) {
		if k := slices.Index(f.targets, a.Name); k >= 0 {
			send(&req, i, s.pins[k])
		} else if s.free != nil && !s.free[a.Name] {
			wait(&req, i)
		}
	}
	if req.Policy.Goal = resolver.MinimalChange; s.free != nil {
		req.Policy.Goal = resolver.Newest
	}
	return req
}

// round resolves a round. No policy keeps extensions at their bundles, so as many of them as
// possible are kept, one after the other.
func (f *pathFinder) round(ctx context.Context, s stage) (*resolver.Solution, error) {
	loose := f.request(s)
	if len(loose.Extensions) == 0 || s.free != nil {
		return f.r.Resolve(ctx, loose)
	}
	moving := make(map[int]bool)
	for i, a := range demands(&loose) {
		moving[i] = slices.Contains(f.targets, a.Name)
	}
	still := loose
	stay(&still, moving)
	sol, err := f.r.Resolve(ctx, still)
	var conflict *resolver.Conflict
	if !errors.As(err, &conflict) {
		return sol, err
	}
	if sol, err = f.r.Resolve(ctx, loose); err != nil {
		return nil, err
	}
	_, fewer, err := tighten(ctx, f.r, loose, others(&loose, moving), func(*resolver.Solution) bool { return true })
	if fewer != nil {
		sol = fewer
	}
	return sol, err
}

// farthest follows the targets as far as upgrades lead towards their goals, and returns the error
// that ends the path.
func (f *pathFinder) farthest(ctx context.Context, start *resolver.Path) (*resolver.Path, error) {
	goals := slices.Clone(f.goals)
	before := f.at(start)
	for k, g := range f.guides {
		if g.remaining(before[k]) == math.MaxInt32 {
			f.goals[k] = highestBelow(&start.Final, f.targets[k], g, before[k], goals[k])
			g.setGoal(f.goals[k])
		}
	}
	path := start
	if f.ahead(start) > 0 {
		found, err := f.find(ctx, start)
		var conflict *resolver.Conflict
		if err != nil && !errors.As(err, &conflict) {
			return found, err
		}
		path = found
	}
	last := stage{from: path, pins: goals}
	sol, err := f.round(ctx, last)
	if err == nil { // without an edge
		f.stages[sol], path = last, path.Branch()
		path.Advance(sol)
	}
	return path, err
}

// highestBelow returns the bundle with the highest version below the goal among the reachable ones;
// the current one if there is none.
func highestBelow(req *resolver.Request, target string, g *guide, at, wanted string) string {
	s, _ := find(req, Target{Subscription: target})
	var most *graph.Bundle
	in := world{Request: *req}
	for _, pkg := range in.packages(s) {
		limit, from := pkg.Bundle(wanted), pkg.Bundle(at)
		if limit == nil || limit.Version == nil {
			continue
		}
		for name := range g.next { // in any order; one is the highest
			b := pkg.Bundle(name)
			if b == nil || b.Version == nil || b.Version.GTE(*limit.Version) || from != nil && from.Version != nil && b.Version.LTE(*from.Version) {
				continue
			}
			if most == nil || cmp.Or(b.Version.Compare(*most.Version), cmp.Compare(b.Name, most.Name)) > 0 {
				most = b
			}
		}
	}
	if most == nil {
		return at
	}
	return most.Name
}
