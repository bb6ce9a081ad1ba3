package draw

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

// Solution draws the steps of a solution from left to right: a frame for each wave, "first" and
// "then", with an arrow to the next one. A box names the operator, its versions before and after and
// why it is there. Bundles that stay are counted in a box of their own, subscriptions dropped by policy
// "Partial" and broken bundles have a frame below. Names are escaped. The SVG folds excess bundles
// over 200.
func Solution(s *resolver.Solution) Picture {
	return Picture{diagram: func(ctx context.Context) *picture.Diagram { return solution(ctx, s) }}
}

// maxReason is the maximum number of characters of a reason in a box.
const maxReason = 80

// sign returns the sign of an action: + ~ =.
func sign(a resolver.Action) string {
	switch a {
	case resolver.Install:
		return "+"
	case resolver.Keep:
		return "="
	}
	return "~"
}

func solution(ctx context.Context, s *resolver.Solution) *picture.Diagram {
	d := &picture.Diagram{Name: "solution", Title: "The steps of the solution, first to last", Way: picture.Across}
	byWave := make(map[int]int) // the group of each wave with changes
	var kept []string
	for i, step := range picture.Each(ctx, s.Steps) {
		if step.Action == resolver.Keep {
			kept = append(kept, labelOf(step.Bundle))
			continue
		}
		g, known := byWave[step.Wave]
		if !known {
			g = len(d.Groups)
			byWave[step.Wave] = g
			d.Groups = append(d.Groups, picture.Group{ID: fmt.Sprintf("w%d", g), Title: turn(g)})
			if g > 0 {
				d.Edges = append(d.Edges, picture.Edge{From: fmt.Sprintf("w%d", g-1), To: fmt.Sprintf("w%d", g)})
			}
		}
		d.Groups[g].Nodes = append(d.Groups[g].Nodes, changed(fmt.Sprintf("b%d", i), step))
	}
	if len(kept) > 0 {
		d.Groups = append(d.Groups, picture.Group{ID: "kept", Title: "unchanged", Nodes: []picture.Node{{ID: "stay", Shape: picture.Dashed, Fold: 1, Tip: text.Short(kept, maxFolded),
			Lines: []string{"= " + text.Count(len(kept), "stays", "stay"), text.Short(kept, maxNamed)}}}})
	}
	var open []picture.Node
	for i, u := range picture.Each(ctx, s.Unresolved) {
		n := picture.Node{ID: fmt.Sprintf("u%d", i), Lines: []string{"✕ subscription " + u.Subscription}, Shape: picture.Octagon}
		if u.Installed != "" {
			n.Lines[0] = "✕ broken: installed bundle " + u.Installed
		}
		if u.Conflict != nil {
			n.Lines = append(n.Lines, text.Middle(u.Conflict.Headline(), maxSentence))
		}
		open = append(open, n)
	}
	if len(open) > 0 {
		d.Groups = append(d.Groups, picture.Group{ID: "open", Title: "unresolved", Nodes: open})
	}
	return d
}

// turn returns the title of the n-th frame, from 0.
func turn(n int) string {
	if n == 0 {
		return "first"
	}
	return "then"
}

// changed draws a step with a change.
func changed(id string, s *resolver.Step) picture.Node {
	shape := map[resolver.Action]picture.Shape{resolver.Install: picture.Added, resolver.Upgrade: picture.Upgraded, resolver.Downgrade: picture.Downgraded}
	n := picture.Node{ID: id, Lines: []string{sign(s.Action) + " " + move(s.Replaces, s.Bundle)}, Shape: shape[s.Action]}
	said, full := make([]string, 0, len(s.Because)), []string{string(s.Action) + " " + s.Bundle}
	for _, r := range s.Because {
		said = append(said, reason(r))
		full = append(full, strings.TrimSuffix(reason(r)+": "+r.Constraint, ": "))
	}
	if s.Action == resolver.Downgrade {
		n.Lines = append(n.Lines, "downgrade")
	}
	if len(said) > 0 {
		first := text.Middle(said[0], maxReason)
		if more := len(said) - 1; more > 0 {
			first += fmt.Sprintf(", and %d more", more)
		}
		n.Lines = append(n.Lines, first)
	}
	n.Tip = text.Middle(strings.Join(full, "; "), maxSentence)
	return n
}

// move names a bundle after those that it replaces: "etcd 0.9.0 → 0.9.2".
func move(from []string, to string) string {
	if len(from) == 0 {
		return labelOf(to)
	}
	base, version := text.SplitVersion(to)
	if was, old := text.SplitVersion(from[0]); len(from) == 1 && was == base && old != "" && version != "" {
		return short(base) + " " + old + " → " + version
	}
	return text.Middle(text.And(from), maxLabel) + " → " + labelOf(to)
}

// labelOf returns the operator and the version of a bundle.
func labelOf(bundle string) string {
	base, version := text.SplitVersion(bundle)
	return strings.TrimSpace(short(base) + " " + version)
}

// short cuts the middle of a long name.
func short(name string) string { return text.Middle(name, maxLabel) }

// reason says why a bundle is there.
func reason(r resolver.Reason) string {
	switch {
	case r.Subscription != "":
		return "for subscription " + r.Subscription
	case r.Installed:
		return "installed, no owner"
	case r.Forced:
		return "requested by name"
	}
	return "required by " + labelOf(r.Bundle)
}
