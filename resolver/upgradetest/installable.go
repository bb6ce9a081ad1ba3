package upgradetest

import (
	"context"
	"fmt"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// installableCases lists the candidates that an audit could not install.
func installableCases(ctx context.Context, c *check) ([]*situation, int, error) {
	audited, err := c.audit(ctx)
	if err != nil {
		return nil, 0, err
	}
	var list []*situation
	of := 0
	for _, f := range audited {
		s := c.situation(Installable, f)
		pkg, ch, b := locate(c.cats, s)
		if pkg == nil || ch == nil || !shouldInstall(ch, b) {
			continue
		}
		of++
		if !f.Installable {
			list = append(list, s)
		}
	}
	return list, of, nil
}

// shouldInstall reports whether a bundle is a candidate of a channel that nothing bars,
// or its head all the same.
func shouldInstall(ch *graph.Channel, b *graph.Bundle) bool {
	if b == nil {
		return false
	}
	e := ch.Entry(b.Name)
	return e != nil && e.Candidate() && (!b.Barred || e.Position == 0)
}

// askInstallable installs the bundle on an empty cluster.
func askInstallable(ctx context.Context, a *asker, cats []resolver.Catalog, s *situation) (*failure, error) {
	_, ch, b := locate(cats, s)
	if ch == nil || !shouldInstall(ch, b) {
		return nil, nil
	}
	req := a.requestOf(cats, s)
	_, conflict, stopped, err := a.resolve(ctx, req)
	switch {
	case err != nil:
		return nil, err
	case stopped != "":
		return limited(req, stopped), nil
	case conflict == nil:
		return nil, nil
	}
	return &failure{
		code: codeOf(conflict), cause: reason(conflict), request: req, verb: "resolve", expect: &expected{Status: scenario.Resolved},
		want: fmt.Sprintf("%s can be installed from channel %s on an empty cluster", text.Name(s.bundle), text.Name(s.channel)),
		got:  reason(conflict),
	}, nil
}
