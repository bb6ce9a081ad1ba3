package whatif

import (
	"context"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// The bounds of the search for a road of corrections.
const (
	roadTries  = 120 // requests resolved for one conflict
	roadRounds = 20
)

// roads looks for what no change of one step does: a subscription of the conflict
// upgrades for some rounds in one channel, and goes on in another. Meanwhile what is
// not installed yet waits, and its pin, which is where it shall end, does not count; its
// range of versions does.
func (s *search) roads(ctx context.Context, c *resolver.Conflict) {
	for _, f := range c.Facts {
		if s.err != nil {
			return
		}
		i := slices.IndexFunc(s.base.Subscriptions, func(sub resolver.Subscription) bool { return sub.Name == f.Subscription })
		if f.Kind != argument.FactSubscription && f.Kind != argument.FactNoCandidate || i < 0 {
			continue
		}
		sub := &s.base.Subscriptions[i]
		if len(sub.Channels) == 0 || sub.Hold != "" || ownedName(&s.base, sub) == "" || len(otherChannels(&s.base, sub)) == 0 {
			continue
		}
		if s.opts.Allow != nil && !s.opts.Allow(FollowChannel(sub.Name, sub.Channels[0])) {
			continue
		}
		if slices.ContainsFunc(s.found, func(c resolver.Correction) bool {
			return len(c.Changes) == 1 && c.Changes[0].Kind == "changeChannel" && c.Changes[0].Subject == sub.Name
		}) {
			continue // one step does
		}
		f := &roadFinder{search: s, at: i, left: roadTries}
		if found := f.find(ctx); found != nil && s.err == nil && !s.covered(found.Changes) {
			s.found = append(s.found, *found)
		}
	}
}

// roadFinder searches the roads of one subscription, the shortest first.
type roadFinder struct {
	*search
	at   int // the subscription, in the base
	left int
}

// stop is where a road has come to after some rounds.
type stop struct {
	req     resolver.Request // what is installed has moved, the rest waits
	changes []resolver.Change
}

// find goes through the places that can be reached round by round.
func (f *roadFinder) find(ctx context.Context) *resolver.Correction {
	name := f.base.Subscriptions[f.at].Name
	channels := slices.Concat(f.base.Subscriptions[f.at].Channels[:1], otherChannels(&f.base, &f.base.Subscriptions[f.at]))
	level := []stop{{req: f.base}}
	seen := map[string]bool{placeOf(&f.base): true}
	for round := 1; round <= roadRounds && len(level) > 0; round++ {
		var next []stop
		var best *resolver.Correction
		for _, from := range level {
			for _, channel := range channels {
				to := f.follow(from, name, channel, round)
				var sol *resolver.Solution
				if round > 1 && len(to.changes) > 0 { // the search before this one did those
					sol = f.resolve(ctx, to.req)
				}
				if f.err != nil || f.left <= 0 {
					return best
				}
				if sol != nil && (best == nil || len(to.changes) < len(best.Changes)) {
					best = &resolver.Correction{Changes: to.changes, Text: words(to.changes), Result: sol.Set()}
				}
				if best != nil {
					continue
				}
				if sol = f.resolve(ctx, f.moving(to.req)); f.err != nil || f.left <= 0 {
					return nil
				} else if sol == nil {
					continue
				}
				to.req = f.waiting(f.moving(to.req).Advance(sol))
				if key := placeOf(&to.req); !seen[key] {
					seen[key] = true
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

// placeOf identifies what is installed and who owns it; all else is the same on all paths.
func placeOf(req *resolver.Request) string {
	keys := make([]string, 0, len(req.Installed)+len(req.Subscriptions))
	for i := range req.Installed {
		in := &req.Installed[i]
		keys = append(keys, string(text.AppendParts(nil, "i", in.Catalog.Namespace, in.Catalog.Name, in.Package, in.Name)))
	}
	for i := range req.Subscriptions {
		keys = append(keys, string(text.AppendParts(nil, "s", req.Subscriptions[i].Name, req.Subscriptions[i].InstalledCSV)))
	}
	slices.Sort(keys)
	return strings.Join(keys, "")
}

// follow has the subscription follow a channel in a round.
func (f *roadFinder) follow(from stop, name, channel string, round int) stop {
	to := stop{req: from.req, changes: from.changes}
	sub := &from.req.Subscriptions[f.at]
	if slices.Equal(sub.Channels, []string{channel}) || len(from.changes) == 0 && slices.Contains(sub.Channels, channel) {
		return to
	}
	to.changes = append(slices.Clone(from.changes), FollowChannelFrom(name, channel, round, ownedName(&from.req, sub)))
	to.req.Subscriptions = slices.Clone(from.req.Subscriptions)
	to.req.Subscriptions[f.at].Channels = []string{channel}
	return to
}

// moving is a request for what is installed alone, which follows its channels.
func (f *roadFinder) moving(req resolver.Request) resolver.Request {
	out := req
	out.Subscriptions, out.Force = nil, nil
	out.Policy.Goal = "Newest"
	for i := range req.Subscriptions {
		s := req.Subscriptions[i]
		if i == f.at {
			s.Pin = ""
		}
		if ownedName(&req, &s) != "" {
			out.Subscriptions = append(out.Subscriptions, s)
		}
	}
	return out
}

// waiting is the request as it was asked, with what has moved meanwhile.
func (f *roadFinder) waiting(moved resolver.Request) resolver.Request {
	out := moved
	out.Subscriptions, out.Force, out.Policy = slices.Clone(f.base.Subscriptions), f.base.Force, f.base.Policy
	for _, s := range moved.Subscriptions {
		i := slices.IndexFunc(out.Subscriptions, func(o resolver.Subscription) bool { return o.Name == s.Name })
		if i < 0 {
			out.Subscriptions = append(out.Subscriptions, s)
			continue
		}
		out.Subscriptions[i].Channels, out.Subscriptions[i].InstalledCSV = s.Channels, s.InstalledCSV
	}
	return out
}

// resolve resolves one request of a road; the result is nil if it has no solution.
func (f *roadFinder) resolve(ctx context.Context, req resolver.Request) *resolver.Solution {
	f.left--
	f.tries++
	sol, err := f.resolver.Resolve(ctx, req)
	f.unsolved(err)
	return sol
}
