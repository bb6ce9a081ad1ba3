package upgradetest

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// convergeCases lists the bundles whose roads an audit saw end before the head:
// those that repeat forever are among them. The audit went all roads.
func convergeCases(ctx context.Context, c *check) ([]*situation, int, error) {
	list, of, err := headCases(ctx, c)
	for _, s := range list {
		s.property = Converges
	}
	return list, of, err
}

// askConverges goes the road of one installed bundle, or of a request.
func askConverges(ctx context.Context, a *asker, cats []resolver.Catalog, s *situation) (*failure, error) {
	req := a.requestOf(cats, s)
	if !s.whole {
		_, ch, b := locate(cats, s)
		if ch == nil || b == nil {
			return nil, nil
		}
		var f *failure
		var err error
		if req, f, err = a.installed(ctx, cats, s); f != nil || err != nil {
			return nil, err // what could not be answered is for others to find
		}
	}
	road, err := a.cfg.Resolver.Converge(ctx, req, resolver.ConvergeOptions{})
	conflict, stopped, err := outcome(ctx, err)
	switch {
	case err != nil:
		return nil, err
	case stopped != "":
		return limited(req, stopped), nil
	case conflict != nil || !road.Loop:
		return nil, nil
	}
	return goesRound(req, road), nil
}

// goesRound is the failure of a road that comes back to where it has been.
func goesRound(req resolver.Request, road *resolver.Road) *failure {
	var rounds []string
	for _, sol := range road.Rounds[road.LoopStart:] {
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
		want: "the upgrade road ends",
		got:  fmt.Sprintf("after %s it repeats forever: %s", text.Count(road.LoopStart, "round", "rounds"), few(rounds)),
	}
}
