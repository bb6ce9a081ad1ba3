package whatif

import (
	"context"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/settings"
)

// The limits of the search for a path of corrections.
const (
	pathTries  = 120 // requests resolved for one conflict
	pathRounds = 20
)

// paths searches corrections over several rounds: a subscription of the conflict upgrades for some
// rounds in one channel, and continues in another. Meanwhile bundles that are not installed wait,
// and its pin, which is the goal, is ignored; its version range is not.
func (s *search) paths(ctx context.Context, c *resolver.Conflict) {
	for _, f := range c.Facts {
		if s.err != nil {
			return
		}
		i := slices.IndexFunc(s.base.Subscriptions, func(sub resolver.Subscription) bool { return sub.Name == f.Subscription })
		if f.Kind != argument.FactSubscription && f.Kind != argument.FactNoCandidate || i < 0 {
			continue
		}
		sub := &s.base.Subscriptions[i]
		if len(sub.Channels) == 0 || sub.Hold != "" || s.base.Owned()[sub.Name] == "" || len(otherChannels(&s.base, sub)) == 0 {
			continue
		}
		if s.opts.Allow != nil && !s.opts.Allow(resolver.FollowChannel{Subscription: sub.Name, Channel: sub.Channels[0]}) {
			continue
		}
		if slices.ContainsFunc(s.found, func(c resolver.Correction) bool {
			return len(c.Changes) == 1 && c.Changes[0].Change.Kind() == resolver.ChangeFollowChannel && c.Changes[0].Change.Subject() == sub.Name
		}) {
			continue // a single round suffices
		}
		f := &pathFinder{search: s, at: i, left: pathTries}
		if found := f.find(ctx); found != nil && s.err == nil && !s.covered(keysOf(found.List())) {
			s.add(*found)
		}
	}
}

// pathFinder searches the upgrade paths of one subscription, the shortest first.
type pathFinder struct {
	*search
	at   int // the subscription, in the base
	left int
}

// pathNode is the state of a path after some rounds.
type pathNode struct {
	path    *resolver.Path
	changes []resolver.Change
}

// find searches the states that can be reached, round by round.
func (f *pathFinder) find(ctx context.Context) *resolver.Correction {
	name := f.base.Subscriptions[f.at].Name
	channels := slices.Concat(f.base.Subscriptions[f.at].Channels[:1], otherChannels(&f.base, &f.base.Subscriptions[f.at]))
	level := []pathNode{{path: &resolver.Path{Final: f.base}}}
	for round := 1; round <= pathRounds && len(level) > 0; round++ {
		var next []pathNode
		var best *resolver.Correction
		for _, from := range level {
			for _, channel := range channels {
				to := f.follow(from, name, channel, round)
				var sol *resolver.Solution
				if round > 1 && len(to.changes) > 0 { // the search before tried those
					sol = f.take(f.search.resolve(ctx, to.path.Final, false))
				}
				if f.err != nil || f.left <= 0 {
					return best
				}
				if sol != nil && (best == nil || len(to.changes) < len(best.Changes)) {
					found := f.correctionOf(to.changes, sol)
					best = &found
				}
				if best != nil {
					continue
				}
				if sol = f.take(f.whole.Resolve(settings.WithAside(ctx, f.aside), f.moving(to.path.Final))); f.err != nil || f.left <= 0 {
					return nil
				} else if sol == nil {
					continue
				}
				if to.path.Advance(sol) {
					next = append(next, to)
				}
			}
		}
		if best != nil {
			return best
		}
		level = next
	}
	return nil
}

// follow makes the subscription follow a channel from a round on.
func (f *pathFinder) follow(from pathNode, name, channel string, round int) pathNode {
	to := pathNode{from.path.Branch(), from.changes}
	sub := &from.path.Final.Subscriptions[f.at]
	if slices.Equal(sub.Channels, []string{channel}) || len(from.changes) == 0 && slices.Contains(sub.Channels, channel) {
		return to
	}
	to.changes = append(slices.Clone(from.changes), resolver.FollowChannel{Subscription: name, Channel: channel, Round: round, Installed: from.path.Final.Owned()[name]})
	to.path.Final.Subscriptions = slices.Clone(from.path.Final.Subscriptions)
	to.path.Final.Subscriptions[f.at].Channels = []string{channel}
	return to
}

// moving returns a request with the installed bundles only, which follow their channels.
func (f *pathFinder) moving(req resolver.Request) resolver.Request {
	out := req
	out.Subscriptions, out.Force = nil, nil
	out.Policy.Goal = resolver.Newest
	owned := req.Owned()
	for i, s := range req.Subscriptions {
		if i == f.at {
			s.Pin = ""
		}
		if owned[s.Name] != "" {
			out.Subscriptions = append(out.Subscriptions, s)
		}
	}
	return out
}

// take counts one request of a path; the result is nil if it has no solution.
func (f *pathFinder) take(sol *resolver.Solution, err error) *resolver.Solution {
	f.left--
	f.tries++
	f.unsolved(err)
	return sol
}
