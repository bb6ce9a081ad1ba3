package upgradetest

import (
	"context"
	"fmt"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// audited lists situations of the bundles that an audit looked at: those that look says
// are wrong, of those that it says the property is about.
func (c *check) audited(ctx context.Context, look func(f *audit.Bundle, ch *graph.Channel, b *graph.Bundle) (about, wrong bool)) (list []*situation, of int, _ error) {
	all, err := c.audit(ctx)
	for _, f := range all {
		s := c.situation(f)
		_, ch, b := s.locate(c.cats)
		about, wrong := look(f, ch, b)
		if about {
			of++
		}
		if about && wrong {
			list = append(list, s)
		}
	}
	return list, of, err
}

// installableCases lists the candidates that an audit could not install.
func installableCases(ctx context.Context, c *check) ([]*situation, int, error) {
	return c.audited(ctx, func(f *audit.Bundle, ch *graph.Channel, b *graph.Bundle) (about, wrong bool) {
		return shouldInstall(ch, b), !f.Installable
	})
}

// shouldInstall reports whether a bundle is a candidate of a channel that nothing bars,
// or its head all the same.
func shouldInstall(ch *graph.Channel, b *graph.Bundle) bool {
	if ch == nil || b == nil {
		return false
	}
	e := ch.Entry(b.Name)
	return e != nil && e.Candidate() && (!b.Barred || e.Position == 0)
}

// askInstallable installs the bundle on an empty cluster.
func askInstallable(ctx context.Context, q *question) *failure {
	_, ch, b := q.s.locate(q.cats)
	if !shouldInstall(ch, b) {
		return nil
	}
	req := q.request()
	_, conflict, limit := q.resolve(ctx, req)
	if conflict == nil {
		return limit
	}
	return unsolvable(req, conflict, fmt.Sprintf("%s can be installed from channel %s on an empty cluster", text.Name(b.Name), text.Name(ch.Name)))
}
