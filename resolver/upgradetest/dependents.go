package upgradetest

import (
	"context"
	"fmt"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
)

// dependentCases lists the bundles that require something.
func dependentCases(ctx context.Context, c *check) ([]*situation, int, error) {
	audited, err := c.audit(ctx)
	if err != nil {
		return nil, 0, err
	}
	var list []*situation
	for _, f := range audited {
		s := c.situation(Dependents, f)
		if _, ch, b := locate(c.cats, s); f.Installable && ch != nil && b != nil && len(b.Constraints) > 0 {
			list = append(list, s)
		}
	}
	return list, len(list), nil
}

// askDependents installs a bundle with what it requires, subscribes to each, and
// looks who is held back.
func askDependents(ctx context.Context, a *asker, cats []resolver.Catalog, s *situation) (*failure, error) {
	if s.whole {
		return a.roundsHold(ctx, a.requestOf(cats, s))
	}
	_, ch, b := locate(cats, s)
	if ch == nil || b == nil {
		return nil, nil
	}
	req := a.requestOf(cats, s)
	sol, _, _, err := a.resolve(ctx, req)
	if err != nil || sol == nil || len(sol.Steps) < 2 {
		return nil, err
	}
	req = subscribeAll(resolver.Advance(req, sol), sol)
	if f, err := a.roundsHold(ctx, req); f != nil || err != nil {
		return f, err
	}
	road, f, err := a.follow(ctx, req)
	if err != nil || f != nil || road.Loop {
		return f, err
	}
	for i, sub := range road.Final.Subscriptions {
		f, err := a.heldBack(ctx, road.Final, i)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		alone, err := a.aloneAtHead(ctx, req, i)
		if err != nil {
			return nil, err
		}
		if alone {
			f.pkg, f.channel, f.rounds = sub.Package, sub.Channel, len(road.Rounds)
			f.want = fmt.Sprintf("with %s installed, %s gets to the head of channel %s as it does without", inert(s.bundle), inert(req.Subscriptions[i].InstalledCSV), inert(sub.Channel))
			return f, nil
		}
	}
	return nil, nil
}

// subscribeAll gives each bundle of a solution that has none a subscription to the
// channel that it came from.
func subscribeAll(req resolver.Request, sol *resolver.Solution) resolver.Request {
	req.Subscriptions[0].StartingCSV = ""
	owned := req.Subscriptions[0].InstalledCSV
	for i := range sol.Steps {
		if st := &sol.Steps[i]; st.Bundle != owned {
			req.Subscriptions = append(req.Subscriptions, resolver.Subscription{
				Name: st.Package, Package: st.Package, Catalog: st.Catalog, Channel: st.Channel, InstalledCSV: st.Bundle})
		}
	}
	for i := range req.Installed {
		req.Installed[i].Automatic = false
	}
	return req
}

// channelOf is the channel that a subscription follows, or nil.
func channelOf(cats []resolver.Catalog, sub *resolver.Subscription) *graph.Channel {
	_, ch, _ := locate(cats, &situation{catalog: sub.Catalog, pkg: sub.Package, channel: sub.Channel})
	return ch
}

// heldBack looks whether a subscription stays away from the head of its channel.
func (a *asker) heldBack(ctx context.Context, end resolver.Request, sub int) (*failure, error) {
	ch := channelOf(end.Catalogs, &end.Subscriptions[sub])
	if ch == nil {
		return nil, nil
	}
	return a.atHead(ctx, end, sub, ch)
}

// aloneAtHead tells whether what a subscription owns gets to the head of its channel
// where nothing else is installed but what it requires itself.
func (a *asker) aloneAtHead(ctx context.Context, req resolver.Request, sub int) (bool, error) {
	sb := req.Subscriptions[sub]
	s := &situation{catalog: sb.Catalog, pkg: sb.Package, channel: sb.Channel, bundle: sb.InstalledCSV}
	f, err := askHead(ctx, a, req.Catalogs, s)
	return f == nil, err
}

// roundsHold goes the road of a request and looks in each round whether everything
// that is installed then has what it requires.
func (a *asker) roundsHold(ctx context.Context, req resolver.Request) (*failure, error) {
	road, err := a.cfg.resolver.Converge(ctx, req, resolver.ConvergeOptions{})
	if _, _, err := outcome(ctx, err); err != nil {
		return nil, err
	}
	if road == nil {
		return nil, nil
	}
	at := req
	for _, sol := range road.Rounds {
		wrong, err := holds(ctx, at, sol)
		if err != nil {
			return nil, err
		}
		if wrong != "" {
			return &failure{code: "broken", request: at, verb: "resolve", got: wrong,
				want: "what is installed after each round satisfies every constraint and invariant"}, nil
		}
		at = resolver.Advance(at, sol)
	}
	return nil, nil
}
