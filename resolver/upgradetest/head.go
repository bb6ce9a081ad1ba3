package upgradetest

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// headCases lists the bundles whose paths an audit saw end before the head. Paths that
// repeat forever are among them, so these are the cases of Converges too.
func headCases(ctx context.Context, c *check) ([]*situation, int, error) {
	return c.audited(ctx, func(f *audit.Bundle, _ *graph.Channel, _ *graph.Bundle) (about, wrong bool) {
		return f.ReachesHead != nil, f.ReachesHead != nil && !f.ReachesHead.Reaches
	})
}

// askHead goes the path of one installed bundle.
func askHead(ctx context.Context, q *question) *failure {
	_, ch, b := q.s.locate(q.cats)
	if ch == nil || b == nil {
		return nil
	}
	req, f := q.installed(ctx)
	if f != nil {
		return f
	}
	path, f := q.follow(ctx, req)
	if path == nil || path.Loop {
		return f
	}
	if f = q.atHead(ctx, path.Final, 0, ch); f == nil {
		return nil
	}
	f.rounds = len(path.Rounds)
	if f.at == b.Name {
		f.at = "" // versions that do not move at all are one finding
		if ch.Entry(b.Name) == nil {
			f.code += "+unlisted"
		}
	}
	head := "none"
	if h := ch.Head(); h != nil {
		head = text.Name(h.Name)
	}
	f.want = fmt.Sprintf("%s gets to %s, the head of channel %s", text.Name(b.Name), head, text.Name(ch.Name))
	return f
}

// askConverges goes the path of one installed bundle.
func askConverges(ctx context.Context, q *question) *failure {
	_, ch, b := q.s.locate(q.cats)
	if ch == nil || b == nil {
		return nil
	}
	req, limit := q.installed(ctx)
	if limit != nil {
		return nil // what could not be answered is for others to find
	}
	path, conflict, limit := q.converge(ctx, req)
	if limit != nil || conflict != nil || path == nil || !path.Loop {
		return limit
	}
	var rounds []string
	for _, sol := range path.Rounds[path.LoopStart:] {
		var moved []string
		for i := range sol.Steps {
			if sol.Steps[i].Action != resolver.Keep {
				moved = append(moved, text.Name(sol.Steps[i].Bundle))
			}
		}
		rounds = append(rounds, strings.Join(moved, " and "))
	}
	return &failure{
		code: "loop", request: req, verb: "converge",
		want: "the upgrade path ends",
		got:  fmt.Sprintf("after %s it repeats forever: %s", text.Count(path.LoopStart, "round", "rounds"), few(rounds)),
	}
}

// installed is the cluster on which the bundle of the situation was installed: with
// what it requires, or alone where it cannot be newly installed, as
// [audit.Run] has it.
func (q *question) installed(ctx context.Context) (resolver.Request, *failure) {
	req := q.request()
	sol, conflict, limit := q.resolve(ctx, req)
	switch {
	case q.err != nil || limit != nil:
		return req, limit
	case conflict == nil:
		req = req.Advance(sol)
		req.Subscriptions[0].StartingCSV = ""
		return req, nil
	}
	_, ch, b := q.s.locate(q.cats)
	req.Installed = []resolver.Installed{{Name: b.Name, Package: b.Package, Version: b.Version, Properties: &b.Properties, Catalog: q.s.catalog, Channel: ch.Name}}
	req.Subscriptions[0].StartingCSV, req.Subscriptions[0].InstalledCSV = "", b.Name
	return req, nil
}

// follow goes a path to its end. A round without solution is a failure.
func (q *question) follow(ctx context.Context, req resolver.Request) (*resolver.Path, *failure) {
	path, conflict, limit := q.converge(ctx, req)
	switch {
	case q.err != nil || limit != nil:
		return nil, limit
	case conflict != nil:
		f := unsolvable(path.Final, conflict, "")
		f.code = "conflict+" + f.code
		return nil, f
	}
	return path, nil
}

// atHead looks whether a subscription owns the head of its channel, and what is in
// the way if it does not. Nothing changes any more on the cluster of the request.
func (q *question) atHead(ctx context.Context, end resolver.Request, sub int, ch *graph.Channel) *failure {
	name, at := end.Subscriptions[sub].Name, end.Subscriptions[sub].InstalledCSV
	if head := ch.Head(); head != nil && head.Name == at {
		return nil
	}
	f := &failure{at: at, request: end}
	ways := waysOn(ch, end.Installed, at)
	if len(ways) == 0 {
		f.deadEnd(ch, at)
		return f
	}
	pinned, err := end.Apply(whatif.PinSubscription(name, ways[0]))
	if err != nil {
		q.err = err
		return nil
	}
	_, conflict, limit := q.resolve(ctx, pinned)
	switch {
	case q.err != nil || limit != nil:
		return limit
	case conflict == nil: // the policy keeps it where it is
		f.code, f.got = "kept", fmt.Sprintf("the policy keeps %s, though %s could be installed", text.Name(at), text.Name(ways[0]))
		return f
	}
	f.code, f.cause = "stuck+"+codeOf(conflict), audit.Reason(conflict)
	f.got = fmt.Sprintf("it is stuck at %s, because it cannot be upgraded to %s: %s", text.Name(at), text.Name(ways[0]), f.cause)
	f.verb = "whatif"
	f.tries = []scenario.WhatIf{{Name: "on to " + ways[0], Pin: map[string]string{name: ways[0]}}}
	f.expect = &expected{WhatIf: []expectedTry{{f.tries[0].Name, scenario.Resolved}}}
	return f
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

func (f *failure) deadEnd(ch *graph.Channel, at string) {
	head := ch.Head()
	switch q := ch.Quarantined(); {
	case q != nil:
		f.code = "quarantined+" + string(q.Code)
		f.got = fmt.Sprintf("it stays at %s: channel %s is ignored, because it is broken: %s", text.Name(at), text.Name(ch.Name), q.Message)
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
		f.got = fmt.Sprintf("it is stuck at %s, and the head is ignored, because it is broken: %s", text.Name(at), head.Bundle.Quarantine.Message)
		return
	}
	f.code = "noEdge"
	f.got = fmt.Sprintf("it is stuck at %s, which no replaces, skips or skipRange of channel %s leads away from", text.Name(at), text.Name(ch.Name))
	if len(f.request.Installed) == 1 && !head.Bundle.Barred {
		f.expect = &expected{Status: scenario.Resolved, Set: []string{head.Name}}
	}
}
