package explain

import (
	"fmt"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// BetterOption finds the decision that a bundle is an option of, where a better
// placed one was chosen, and the rule that puts that one first.
func (w Causes) BetterOption(st *search.State, n problem.NodeID) (problem.NodeID, string, bool) {
	for _, c := range st.Trail {
		d := st.Queue[c.Decision]
		opts := search.OptionsOf(w.p, d)
		for i := c.Option + 1; ; i++ {
			o, ok := opts.At(i)
			if !ok {
				break
			}
			if o.Node == n && c.Picked.Node != problem.NoNode {
				return c.Picked.Node, w.decidingRule(d, c.Picked.Node, n), true
			}
		}
	}
	return problem.NoNode, "", false
}

// Displaced finds the first choice that does not stay once another bundle is forced, and
// says why it was made.
func (w Causes) Displaced(st *search.State, stays func(*graph.Bundle) bool) (problem.NodeID, string, bool) {
	for _, c := range st.Trail {
		if c.Fresh && !stays(w.p.Nodes[c.Picked.Node].Bundle) {
			return c.Picked.Node, "it is the best for " + w.subjectOf(st.Queue[c.Decision]) + ", which is decided earlier", true
		}
	}
	return problem.NoNode, "", false
}

// subjectOf names what a decision is about.
func (w Causes) subjectOf(d search.Decision) string {
	switch d.Kind {
	case search.DecideInstalled:
		return "the installed " + w.p.Nodes[w.p.Inst[d.Of]].Bundle.Name
	case search.DecideSubscription:
		s := &w.p.Subs[d.Of]
		return lexicon.Asker(s.Offer != nil) + " " + s.Name
	case search.DecideForced:
		return "the forced " + w.p.Force[d.Of].Name
	default:
		return "what " + w.p.Nodes[d.From].Bundle.Name + " requires"
	}
}

// decidingRule names the first rule that puts one option before another.
func (w Causes) decidingRule(d search.Decision, a, b problem.NodeID) string {
	x, y := &w.p.Nodes[a], &w.p.Nodes[b]
	if d.Kind == search.DecideSubscription && x.Inst >= 0 != (y.Inst >= 0) {
		if x.Inst >= 0 {
			return "because goal MinimalChange leaves an installed operator where it is"
		}
		return "because an update comes before staying as it is"
	}
	if w.p.Rules.AvoidDeprecated && w.p.Shunned(a) != w.p.Shunned(b) {
		return "because the other one is deprecated"
	}
	if (x.Inst >= 0) != (y.Inst >= 0) {
		return "because it is installed already"
	}
	if d.Kind == search.DecideGoal {
		if own := w.p.Nodes[d.From].Cat; x.Cat != y.Cat && (x.Cat == own || y.Cat == own) {
			return fmt.Sprintf("because it is of the same catalog as %s", w.p.Nodes[d.From].Bundle.Name)
		}
	}
	if x.Cat != y.Cat && x.Cat != problem.NoCatalog && y.Cat != problem.NoCatalog {
		cx, cy := w.p.Cats[x.Cat], w.p.Cats[y.Cat]
		if cx.Priority != cy.Priority {
			return fmt.Sprintf("because catalog %s has the higher priority", cx.Key)
		}
		return fmt.Sprintf("because catalog %s comes before %s", cx.Key, cy.Key)
	}
	return w.placeRule(d, a, b)
}

// placeRule names the rule among 5 to 7 that puts one bundle of a catalog before
// another.
func (w Causes) placeRule(d search.Decision, a, b problem.NodeID) string {
	x, y := &w.p.Nodes[a], &w.p.Nodes[b]
	cx, cy := w.offeredBy(d, a), w.offeredBy(d, b)
	switch {
	case cx.isDefault != cy.isDefault:
		return "because it is in the default channel of its package"
	case x.Bundle.Package != y.Bundle.Package:
		return fmt.Sprintf("because package %s comes before %s", x.Bundle.Package, y.Bundle.Package)
	case cx.name != cy.name:
		return fmt.Sprintf("because channel %s comes before %s", cx.name, cy.name)
	case w.p.Rules.Oldest:
		return "because it is further from the head of the channel, as goal Oldest asks"
	default:
		return "because it is nearer to the head of the channel"
	}
}

// offer is the channel by which a candidate is ranked.
type offer struct {
	name      string
	isDefault bool
}

// offeredBy is the channel in which a decision sees a bundle.
func (w Causes) offeredBy(d search.Decision, n problem.NodeID) offer {
	if d.Kind == search.DecideSubscription {
		if ch, ok := w.p.Offers(&w.p.Subs[d.Of], n); ok && ch != nil {
			return offer{ch.Name, ch.Default()}
		}
	}
	if pl, ok := w.p.BestPlace(w.p.Nodes[n].Bundle); ok {
		return offer{pl.Channel.Name, pl.Channel.Default()}
	}
	return offer{}
}
