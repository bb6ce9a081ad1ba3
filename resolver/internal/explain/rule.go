package explain

import (
	"fmt"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// BetterOption finds a decision that selected another bundle in preference to the given one. It
// returns the selected bundle and the rule that ranks it first.
func BetterOption(p *problem.Problem, st *search.State, n problem.NodeID) (problem.NodeID, string, bool) {
	for _, c := range st.Trail {
		d := st.Queue[c.Decision]
		opts := st.OptionsOf(d)
		for i := c.Option + 1; ; i++ {
			o, ok := opts.At(i)
			if !ok {
				break
			}
			if o.Node == n && c.Picked.Node != problem.NoNode {
				return c.Picked.Node, decidingRule(p, d, c.Picked.Node, n), true
			}
		}
	}
	return problem.NoNode, "", false
}

// Displaced finds the first choice that is undone once another bundle is forced, and returns why
// it was made.
func Displaced(p *problem.Problem, st *search.State, stays func(*graph.Bundle) bool) (problem.NodeID, string, bool) {
	for _, c := range st.Trail {
		if c.Fresh && !stays(p.Universe.Nodes[c.Picked.Node].Bundle) {
			return c.Picked.Node, "it is the best for " + subjectOf(p, st.Queue[c.Decision]) + ", which is decided earlier", true
		}
	}
	return problem.NoNode, "", false
}

// subjectOf names the subject of a decision.
func subjectOf(p *problem.Problem, d search.Decision) string {
	switch d.Kind {
	case search.DecideInstalled:
		return "the installed " + p.Universe.Name(p.Universe.Inst[d.Of])
	case search.DecideSubscription:
		s := &p.Demands.List[d.Of]
		return noun(p.Universe, s) + " " + s.Name
	case search.DecideForced:
		return "the forced " + p.Demands.Forced[d.Of].Name
	default:
		return "what " + p.Universe.Name(d.From) + " requires"
	}
}

// decidingRule words the first rule that ranks option a before option b.
func decidingRule(p *problem.Problem, d search.Decision, a, b problem.NodeID) string {
	x, y := &p.Universe.Nodes[a], &p.Universe.Nodes[b]
	if d.Kind == search.DecideSubscription && x.Inst >= 0 != (y.Inst >= 0) {
		switch {
		case x.Inst < 0:
			return "because an update comes before staying as it is"
		case p.Universe.Rules.Stay:
			goal := "MinimalChange"
			if p.Universe.Rules.Nearest {
				goal = "Nearest"
			}
			return "because goal " + goal + " leaves an installed " + lexicon.Operator(p.Universe.Terms) + " where it is"
		}
	}
	if p.Universe.Rules.AvoidDeprecated && p.Universe.AvoidedAsDeprecated(a) != p.Universe.AvoidedAsDeprecated(b) {
		return "because the other one is deprecated"
	}
	if (x.Inst >= 0) != (y.Inst >= 0) {
		return "because it is installed already"
	}
	if d.Kind == search.DecideGoal {
		if own := p.Universe.Nodes[d.From].Cat; x.Cat != y.Cat && (x.Cat == own || y.Cat == own) {
			return fmt.Sprintf("because it is of the same catalog as %s", p.Universe.Name(d.From))
		}
	}
	if x.Cat != y.Cat && x.Cat != problem.NoCatalog && y.Cat != problem.NoCatalog {
		cx, cy := p.Universe.Cats[x.Cat], p.Universe.Cats[y.Cat]
		if cx.Priority != cy.Priority {
			return fmt.Sprintf("because catalog %s has the higher priority", cx.Key)
		}
		return fmt.Sprintf("because catalog %s comes before %s", cx.Key, cy.Key)
	}
	return placeRule(p, d, a, b)
}

// placeRule words the rule among 5 to 7 that ranks one bundle of a catalog before another.
func placeRule(p *problem.Problem, d search.Decision, a, b problem.NodeID) string {
	x, y := &p.Universe.Nodes[a], &p.Universe.Nodes[b]
	cx, cy := offeredBy(p, d, a), offeredBy(p, d, b)
	switch {
	case cx.isDefault != cy.isDefault:
		return "because it is in the default channel of its package"
	case x.Bundle.Package != y.Bundle.Package:
		return fmt.Sprintf("because package %s comes before %s", x.Bundle.Package, y.Bundle.Package)
	case cx.name != cy.name:
		return fmt.Sprintf("because channel %s comes before %s", cx.name, cy.name)
	case p.Universe.Rules.Nearest && d.Kind == search.DecideSubscription && p.Demands.List[d.Of].Owned != problem.NoNode:
		return "because it is nearer to the installed version, as goal Nearest asks"
	case p.Universe.Rules.Oldest:
		return "because it is further from the head of the channel, as goal Oldest asks"
	default:
		return "because it is nearer to the head of the channel"
	}
}

// offer is the channel that ranks a candidate.
type offer struct {
	name      string
	isDefault bool
}

// offeredBy returns the channel that ranks a bundle in a decision.
func offeredBy(p *problem.Problem, d search.Decision, n problem.NodeID) offer {
	if d.Kind == search.DecideSubscription {
		if ch, ok := p.Demands.List[d.Of].Offers(p.Universe, n); ok && ch != nil {
			return offer{ch.Name, ch.Default()}
		}
	}
	if pl, ok := p.Universe.BestPlace(p.Universe.Nodes[n].Bundle); ok {
		return offer{pl.Channel.Name, pl.Channel.Default()}
	}
	return offer{}
}
