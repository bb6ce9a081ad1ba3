package upgradetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// dependentCases lists the bundles that require something.
func dependentCases(ctx context.Context, c *check) ([]*situation, int, error) {
	return c.audited(ctx, func(f *audit.Bundle, ch *graph.Channel, b *graph.Bundle) (about, wrong bool) {
		return f.Installable && ch != nil && b != nil && len(b.Constraints) > 0, true
	})
}

// askDependents installs a bundle with what it requires, subscribes to each, and
// looks who is held back.
func askDependents(ctx context.Context, q *question) *failure {
	_, ch, b := q.s.locate(q.cats)
	if ch == nil || b == nil {
		return nil
	}
	req := q.request()
	sol, _, _ := q.resolve(ctx, req)
	if sol == nil || len(sol.Steps) < 2 {
		return nil
	}
	req = req.Advance(sol)
	req.Subscriptions[0].StartingCSV = ""
	path, f := q.follow(ctx, req)
	if path == nil || path.Loop {
		return f
	}
	for i, sub := range path.Final.Subscriptions {
		f := q.heldBack(ctx, path.Final, i)
		if f == nil {
			continue
		}
		at := slices.IndexFunc(req.Subscriptions, func(r resolver.Subscription) bool { return r.Name == sub.Name })
		if at < 0 {
			continue // it came in on the way
		}
		if q.aloneAtHead(ctx, req, at) {
			f.pkg, f.channel, f.rounds = sub.Package, channelOf(&sub), len(path.Rounds)
			f.want = fmt.Sprintf("with %s installed, %s gets to the head of channel %s as it does without", text.Name(b.Name), text.Name(req.Subscriptions[at].InstalledCSV), text.Name(channelOf(&sub)))
			return f
		}
	}
	return nil
}

// channelOf is the first channel that a subscription asks for, or "".
func channelOf(sub *resolver.Subscription) string {
	if len(sub.Channels) == 0 {
		return ""
	}
	return sub.Channels[0]
}

// heldBack looks whether a subscription stays away from the head of its channel.
func (q *question) heldBack(ctx context.Context, end resolver.Request, sub int) *failure {
	asked := &end.Subscriptions[sub]
	s := situation{packageOf: packageOf{asked.Catalog, asked.Package}, channel: channelOf(asked)}
	if _, ch, _ := s.locate(end.Catalogs); ch != nil {
		return q.atHead(ctx, end, sub, ch)
	}
	return nil
}

// aloneAtHead reports whether what a subscription owns gets to the head of its channel
// where nothing else is installed but what it requires itself.
func (q *question) aloneAtHead(ctx context.Context, req resolver.Request, sub int) bool {
	sb := req.Subscriptions[sub]
	alone := &situation{packageOf: packageOf{sb.Catalog, sb.Package}, channel: channelOf(&sb), bundle: sb.InstalledCSV, property: ReachesHead}
	f, err := q.ask(ctx, req.Catalogs, alone)
	q.err = cmp.Or(q.err, err)
	return f == nil
}
