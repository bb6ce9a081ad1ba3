package upgradetest

import (
	"context"
	"fmt"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/change"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// headCases lists the bundles whose roads an audit saw end before the head.
func headCases(ctx context.Context, c *check) ([]*situation, int, error) {
	audited, err := c.audit(ctx)
	if err != nil {
		return nil, 0, err
	}
	var list []*situation
	of := 0
	for _, f := range audited {
		if f.ReachesHead == nil {
			continue
		}
		s := c.situation(ReachesHead, f)
		of++
		if !f.ReachesHead.Reaches {
			list = append(list, s)
		}
	}
	return list, of, nil
}

// askHead goes the road of one installed bundle.
func askHead(ctx context.Context, a *asker, cats []resolver.Catalog, s *situation) (*failure, error) {
	_, ch, b := locate(cats, s)
	if ch == nil || b == nil {
		return nil, nil
	}
	req, f, err := a.installed(ctx, cats, s)
	if f != nil || err != nil {
		return f, err
	}
	road, f, err := a.follow(ctx, req)
	if f != nil || err != nil || road.Loop {
		return f, err
	}
	f, err = a.atHead(ctx, road.Final, 0, ch)
	if f != nil {
		f.rounds = len(road.Rounds)
		if f.at == s.bundle {
			f.at = "" // versions that do not move at all are one finding
			if ch.Entry(s.bundle) == nil {
				f.code += "+unlisted"
			}
		}
		f.want = fmt.Sprintf("%s gets to %s, the head of channel %s", text.Name(s.bundle), headName(ch), text.Name(ch.Name))
	}
	return f, err
}

// headName is the name of a channel's head, in words if it has none.
func headName(ch *graph.Channel) string {
	if h := ch.Head(); h != nil {
		return text.Name(h.Name)
	}
	return "none"
}

// installed is the cluster on which the bundle of a situation was installed: with
// what it requires, or alone where it cannot be newly installed, as
// [audit.Run] has it.
func (a *asker) installed(ctx context.Context, cats []resolver.Catalog, s *situation) (resolver.Request, *failure, error) {
	req := a.requestOf(cats, s)
	sol, conflict, stopped, err := a.resolve(ctx, req)
	switch {
	case err != nil:
		return req, nil, err
	case stopped != "":
		return req, limited(req, stopped), nil
	case conflict == nil:
		req = req.Advance(sol)
		req.Subscriptions[0].StartingCSV = ""
		return req, nil, nil
	}
	_, ch, b := locate(cats, s)
	req.Installed = []resolver.Installed{{Name: b.Name, Package: b.Package, Version: b.Version, Properties: &b.Properties, Catalog: s.catalog, Channel: ch.Name}}
	req.Subscriptions[0].StartingCSV, req.Subscriptions[0].InstalledCSV = "", b.Name
	return req, nil, nil
}

// follow goes a road to its end. A round without solution is a failure.
func (a *asker) follow(ctx context.Context, req resolver.Request) (*resolver.Road, *failure, error) {
	road, err := a.cfg.Resolver.Converge(ctx, req, resolver.ConvergeOptions{})
	conflict, stopped, err := outcome(ctx, err)
	switch {
	case err != nil:
		return nil, nil, err
	case stopped != "":
		return nil, limited(req, stopped), nil
	case conflict != nil:
		return nil, &failure{code: "conflict+" + codeOf(conflict), got: reason(conflict), cause: reason(conflict), request: road.Final, verb: "resolve",
			expect: &expected{Status: scenario.Resolved}}, nil
	}
	return road, nil, nil
}

// atHead looks whether a subscription owns the head of its channel, and what is in
// the way if it does not. Nothing changes any more on the cluster of the request.
func (a *asker) atHead(ctx context.Context, end resolver.Request, sub int, ch *graph.Channel) (*failure, error) {
	at := end.Subscriptions[sub].InstalledCSV
	head := ch.Head()
	if head != nil && head.Name == at {
		return nil, nil
	}
	f := &failure{at: at, request: end, verb: "resolve"}
	ways := waysOn(ch, end.Installed, at)
	if len(ways) == 0 {
		f.deadEnd(ch, at)
		return f, nil
	}
	pinned, err := end.Apply(change.PinSubscription(end.Subscriptions[sub].Name, ways[0]))
	if err != nil {
		return nil, err
	}
	_, conflict, stopped, err := a.resolve(ctx, pinned)
	switch {
	case err != nil:
		return nil, err
	case stopped != "":
		return limited(pinned, stopped), nil
	case conflict == nil: // the policy keeps it where it is
		f.code, f.got = "kept", fmt.Sprintf("the policy keeps %s, though %s could be had", text.Name(at), text.Name(ways[0]))
		return f, nil
	}
	f.code, f.cause = "stuck+"+codeOf(conflict), reason(conflict)
	f.got = fmt.Sprintf("it is stuck at %s, for the way on to %s is closed: %s", text.Name(at), text.Name(ways[0]), f.cause)
	name := "on to " + ways[0]
	f.verb = "whatif"
	f.tries = []scenario.WhatIf{{Name: name, Pin: map[string]string{end.Subscriptions[sub].Name: ways[0]}}}
	f.expect = &expected{WhatIf: []expectedTry{{name, scenario.Resolved}}}
	return f, nil
}

// waysOn are the bundles that a channel offers instead of an installed one, nearest
// to the head first.
func waysOn(ch *graph.Channel, installed []resolver.Installed, name string) []string {
	var names []string
	for _, in := range installed {
		if in.Name == name && in.Version != nil {
			for _, e := range ch.Successors(in.Name, *in.Version) {
				names = append(names, e.Name)
			}
		}
	}
	return names
}

// deadEnd says why nothing leads away from a bundle.
func (f *failure) deadEnd(ch *graph.Channel, at string) {
	head := ch.Head()
	switch q := ch.Quarantined(); {
	case q != nil:
		f.code = "quarantined+" + string(q.Code)
		f.got = fmt.Sprintf("it stays at %s, for channel %s is set aside: %s", text.Name(at), text.Name(ch.Name), q.Message)
		return
	case head == nil:
		f.code, f.got = "noHead", fmt.Sprintf("channel %s has no head", text.Name(ch.Name))
		return
	case head.Bundle == nil:
		f.code = "noEdge+headMissing"
		f.got = fmt.Sprintf("it is stuck at %s, and the catalog has no bundle %s", text.Name(at), text.Name(head.Name))
		return
	case head.Bundle.Quarantine != nil:
		f.code = "noEdge+headQuarantined"
		f.got = fmt.Sprintf("it is stuck at %s, and the head is set aside: %s", text.Name(at), head.Bundle.Quarantine.Message)
		return
	}
	f.code = "noEdge"
	f.got = fmt.Sprintf("it is stuck at %s, which no replaces, skips or skipRange of channel %s leads away from", text.Name(at), text.Name(ch.Name))
	if len(f.request.Installed) == 1 && !head.Bundle.Barred {
		f.expect = &expected{Status: scenario.Resolved, Set: []string{head.Name}}
	}
}
