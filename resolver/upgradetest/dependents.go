package upgradetest

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
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
	req = resolver.Advance(req, sol)
	req.Subscriptions[0].StartingCSV = ""
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
		at := slices.IndexFunc(req.Subscriptions, func(r resolver.Subscription) bool { return r.Name == sub.Name })
		if at < 0 {
			continue // it came in on the way
		}
		alone, err := a.aloneAtHead(ctx, req, at)
		if err != nil {
			return nil, err
		}
		if alone {
			f.pkg, f.channel, f.rounds = sub.Package, channelOf(&sub), len(road.Rounds)
			f.want = fmt.Sprintf("with %s installed, %s gets to the head of channel %s as it does without", text.Name(s.bundle), text.Name(req.Subscriptions[at].InstalledCSV), text.Name(channelOf(&sub)))
			return f, nil
		}
	}
	return nil, nil
}

// channelOf is the first channel that a subscription asks for, or "".
func channelOf(sub *resolver.Subscription) string {
	if len(sub.Channels) == 0 {
		return ""
	}
	return sub.Channels[0]
}

// heldBack looks whether a subscription stays away from the head of its channel.
func (a *asker) heldBack(ctx context.Context, end resolver.Request, sub int) (*failure, error) {
	asked := &end.Subscriptions[sub]
	_, ch, _ := locate(end.Catalogs, &situation{catalog: asked.Catalog, pkg: asked.Package, channel: channelOf(asked)})
	if ch == nil {
		return nil, nil
	}
	return a.atHead(ctx, end, sub, ch)
}

// aloneAtHead reports whether what a subscription owns gets to the head of its channel
// where nothing else is installed but what it requires itself.
func (a *asker) aloneAtHead(ctx context.Context, req resolver.Request, sub int) (bool, error) {
	sb := req.Subscriptions[sub]
	s := &situation{catalog: sb.Catalog, pkg: sb.Package, channel: channelOf(&sb), bundle: sb.InstalledCSV}
	f, err := askHead(ctx, a, req.Catalogs, s)
	return f == nil, err
}

// roundsHold goes the road of a request and looks in each round whether everything
// that is installed then has what it requires.
func (a *asker) roundsHold(ctx context.Context, req resolver.Request) (*failure, error) {
	road, err := a.cfg.Resolver.Converge(ctx, req, resolver.ConvergeOptions{})
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
