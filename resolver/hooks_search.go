package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// watcher tells the hooks of a resolution what its search does.
type watcher struct{ p *resolution }

// Began tells that the decisions are begun.
func (w watcher) Began(st *search.State) {
	for _, h := range w.p.config.hooks {
		if h.SearchBegan != nil {
			h.SearchBegan(w.p.Context(), SearchBegan{Look: st.Look})
		}
	}
}

// Satisfied tells that a decision is satisfied already.
func (w watcher) Satisfied(st *search.State, at int) {
	w.TakenUp(st, at)
	if slices.ContainsFunc(w.p.config.hooks, func(h *Hooks) bool { return h.Decided != nil }) {
		w.decided(st, at, Decided{Result: DecisionSatisfied, By: w.satisfiers(st, st.Queue[at])})
	}
}

// TakenUp tells that a decision is taken up.
func (w watcher) TakenUp(st *search.State, at int) {
	d := w.decisionAt(st, at)
	for _, h := range w.p.config.hooks {
		if h.Decide != nil {
			h.Decide(w.p.Context(), d)
		}
	}
}

// DeadEnd tells that a decision has no option left.
func (w watcher) DeadEnd(st *search.State, at int) {
	w.decided(st, at, Decided{Result: DecisionDeadEnd})
}

func (w watcher) decided(st *search.State, at int, result Decided) {
	d := w.decisionAt(st, at)
	for _, h := range w.p.config.hooks {
		if h.Decided != nil {
			h.Decided(w.p.Context(), d, result)
		}
	}
}

func (w watcher) candidate(st *search.State, at int, c Candidate) {
	d := w.decisionAt(st, at)
	for _, h := range w.p.config.hooks {
		if h.Candidate != nil {
			h.Candidate(w.p.Context(), d, c)
		}
	}
}

// Refused tells which option is refused, and why.
func (w watcher) Refused(st *search.State, at, i int, o search.Option) {
	w.candidate(st, at, w.refused(st, at, i, o))
}

// Chosen tells which option is chosen.
func (w watcher) Chosen(st *search.State, at, i int, o search.Option) {
	c := w.p.candidateOf(i, o)
	c.Chosen = true
	w.candidate(st, at, c)
	w.decided(st, at, Decided{Result: DecisionChosen, Choice: c})
}

// Back tells which choices are undone.
func (w watcher) Back(st *search.State, i int, solver bool) {
	bad := st.Trail[i]
	b := Back{Decision: w.decisionAt(st, bad.Decision), Refused: w.p.candidateOf(bad.Option, bad.Picked), Undone: len(st.Trail) - i}
	if b.Refused.Reason = argument.RejectedByDeadEnd; solver {
		b.Refused.Reason = argument.RejectedBySolver
	}
	for k := len(st.Trail) - 1; k >= i; k-- {
		if c := st.Trail[k]; c.Fresh {
			b.Undecided = append(b.Undecided, w.p.refOf(c.Picked.Node))
		}
	}
	for _, h := range w.p.config.hooks {
		if h.Back != nil {
			h.Back(w.p.Context(), b)
		}
	}
}

// decisionAt describes a decision of the queue.
func (w watcher) decisionAt(st *search.State, at int) Decision {
	p, d := w.p, st.Queue[at]
	out := Decision{Index: at}
	switch d.Kind {
	case search.DecideInstalled:
		out.Kind, out.Subject = DecisionInstalled, p.req.Installed[d.Of].Name
	case search.DecideSubscription:
		out.Kind, out.Subject = DecisionSubscription, p.asked[d.Of].Name
	case search.DecideForced:
		out.Kind, out.Subject = DecisionForced, p.req.Force[d.Of].Name
	default:
		out.Kind, out.Bundle = DecisionConstraint, p.refOf(d.From)
		out.Subject = out.Bundle.Name
		r := p.Requirements(d.From)[d.Req]
		out.Constraint = r.Constraint
		if d.Goal != r.Goal {
			goal := d.Goal
			out.Part = func() string { return wordsOfGoal(goal) }
		}
	}
	return out
}

// candidateOf describes an option.
func (p *resolution) candidateOf(i int, o search.Option) Candidate {
	c := Candidate{Index: i}
	if o.Node != problem.NoNode {
		c.Bundle, c.Installed = p.refOf(o.Node), p.Nodes[o.Node].Inst >= 0
	}
	return c
}

// satisfiers are the chosen bundles that make a settled decision hold, in the
// order in which they were chosen.
func (w watcher) satisfiers(st *search.State, d search.Decision) []BundleRef {
	p := w.p
	var atoms []*problem.Atom
	if d.Kind == search.DecideGoal {
		atoms = d.Goal.Wanted(nil)
	}
	var by []BundleRef
	for _, n := range st.Chosen {
		meets := false
		switch d.Kind {
		case search.DecideInstalled:
			meets = n == p.Inst[d.Of]
		case search.DecideSubscription:
			_, meets = p.Offers(&p.Subs[d.Of], n)
		case search.DecideForced:
			meets = p.IsForced(d.Of, n)
		default:
			for _, a := range atoms {
				meets = meets || p.matchesPlainly(a, n)
			}
		}
		if meets {
			by = append(by, p.refOf(n))
		}
	}
	return by
}

// matchesPlainly is matches for what is known without evaluating a rule, so that
// being watched costs no rule more.
func (p *resolution) matchesPlainly(a *problem.Atom, n problem.NodeID) bool {
	if a.Kind == problem.AtomTested {
		return a.Tests.Memo[n]
	}
	return p.Matches(a, n)
}
