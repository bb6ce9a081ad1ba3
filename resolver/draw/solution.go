package draw

import (
	"context"
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

// Solution draws a solution: subscriptions point to the bundles that satisfy them, bundles to
// their dependencies, and each wave is a group. Subscriptions dropped by policy "Partial" are
// loose nodes. Names are escaped. The SVG folds excess bundles over 200, first those that are
// kept.
func Solution(s *resolver.Solution) Picture {
	return Picture{diagram: func(ctx context.Context) *picture.Diagram { return solution(ctx, s) }}
}

// maxConstraint is the maximum number of characters of a constraint in a picture.
const maxConstraint = 60

func solution(ctx context.Context, s *resolver.Solution) *picture.Diagram {
	d := &picture.Diagram{Name: "solution", Title: "The steps of the solution, wave by wave"}
	bundles, subscriptions := make(map[string]string, len(s.Steps)), make(map[string]string)
	for i := range s.Steps {
		bundles[s.Steps[i].Bundle] = fmt.Sprintf("b%d", i)
	}
	for _, step := range picture.Each(ctx, s.Steps) {
		for len(d.Groups) <= step.Wave {
			w := len(d.Groups)
			d.Groups = append(d.Groups, picture.Group{ID: fmt.Sprintf("w%d", w), Title: fmt.Sprintf("wave %d", w)})
		}
		n := picture.Node{ID: bundles[step.Bundle], Lines: []string{step.Bundle, string(step.Action)}}
		switch step.Action {
		case resolver.Upgrade, resolver.Downgrade:
			n.Lines[1] += " from " + text.And(step.Replaces)
		case resolver.Keep:
			n.Shape, n.Fold = picture.Dashed, 1
		}
		g := &d.Groups[step.Wave]
		g.Nodes = append(g.Nodes, n)
		for _, r := range step.Because {
			switch {
			case r.Subscription != "":
				from, known := subscriptions[r.Subscription]
				if !known {
					from = fmt.Sprintf("s%d", len(subscriptions))
					subscriptions[r.Subscription] = from
					d.Loose = append(d.Loose, picture.Node{ID: from, Lines: []string{"subscription " + r.Subscription}, Shape: picture.Round})
				}
				d.Edges = append(d.Edges, picture.Edge{From: from, To: n.ID})
			case r.Bundle != "" && bundles[r.Bundle] != "":
				d.Edges = append(d.Edges, picture.Edge{From: bundles[r.Bundle], To: n.ID, Label: text.Middle("requires "+text.Inert(r.Constraint), maxConstraint)})
			}
		}
	}
	for i, u := range picture.Each(ctx, s.Unresolved) {
		n := picture.Node{ID: fmt.Sprintf("u%d", i), Lines: []string{"unresolved: subscription " + u.Subscription}, Shape: picture.Octagon}
		if u.Installed != "" {
			n.Lines[0] = "broken: installed bundle " + u.Installed
		}
		if u.Conflict != nil {
			n.Lines = append(n.Lines, u.Conflict.Headline())
		}
		d.Loose = append(d.Loose, n)
	}
	return d
}
