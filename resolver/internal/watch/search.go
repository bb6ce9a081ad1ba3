package watch

import (
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Search is a [search.Observer] that calls hooks. Make it with [NewSearch].
type Search struct {
	hooks Hooks
	p     *problem.View

	open trace.Decision // the decision that was taken up last
	said map[any]string // words of goals and requirements
}

// NewSearch returns an observer of a search in a problem.
func NewSearch(hooks Hooks, p *problem.View) *Search {
	return &Search{hooks: hooks, p: p, said: make(map[any]string)}
}

// Began implements [search.Observer], as the other methods do.
func (w *Search) Began(st *search.State) {
	for _, h := range w.hooks {
		call(w.p.Context(), h.SearchBegan, trace.Search{Look: st.Look})
	}
}

// TakenUp is called when a decision is taken up.
func (w *Search) TakenUp(st *search.State, at int) {
	w.open = w.decision(st, at)
	for _, h := range w.hooks {
		call(w.p.Context(), h.Decide, w.open)
	}
}

// Satisfied is called when a decision is satisfied already.
func (w *Search) Satisfied(st *search.State, at int) {
	w.TakenUp(st, at)
	w.open.By = w.satisfiers(st, st.Queue[at])
	w.decided(trace.DecisionSatisfied)
}

// DeadEnd is called when a decision has no option left.
func (w *Search) DeadEnd(*search.State, int) { w.decided(trace.DecisionDeadEnd) }

// Refused is called with an option that is refused.
func (w *Search) Refused(st *search.State, at, i int, o search.Option) {
	w.candidate(w.refused(st, at, i, o))
}

// Chosen is called with the option that is chosen.
func (w *Search) Chosen(_ *search.State, _, i int, o search.Option) {
	c := trace.Candidate{Index: i, Ref: w.option(o), Verdict: trace.Chosen}
	w.candidate(c)
	w.open.Choice = c.Ref
	w.decided(trace.DecisionChosen)
}

// Back is called with the choices that are undone.
func (w *Search) Back(st *search.State, i int, solver bool) {
	bad := st.Trail[i]
	d := w.decision(st, bad.Decision)
	b := trace.Back{Index: d.Index, Subject: d.Subject, Refused: w.option(bad.Picked), Undone: len(st.Trail) - i}
	if b.Verdict = lexicon.RejectedByDeadEnd; solver {
		b.Verdict = lexicon.RejectedBySolver
	}
	for k := len(st.Trail) - 1; k >= i; k-- {
		if c := st.Trail[k]; c.Fresh {
			b.Undecided = append(b.Undecided, w.ref(c.Picked.Node))
		}
	}
	for _, h := range w.hooks {
		call(w.p.Context(), h.Back, b)
	}
}

func (w *Search) decided(result trace.DecisionResult) {
	w.open.Result = result
	for _, h := range w.hooks {
		call(w.p.Context(), h.Decided, w.open)
	}
}

func (w *Search) candidate(c trace.Candidate) {
	for _, h := range w.hooks {
		if h.Candidate != nil {
			h.Candidate(w.p.Context(), w.open, c)
		}
	}
}

// decision describes a decision of the queue.
func (w *Search) decision(st *search.State, at int) trace.Decision {
	d := st.Queue[at]
	out := trace.Decision{Index: at}
	switch d.Kind {
	case search.DecideInstalled:
		out.Kind, out.Subject = trace.DecisionInstalled, w.p.Nodes[w.p.Inst[d.Of]].Bundle.Name
	case search.DecideSubscription:
		out.Kind, out.Subject = trace.DecisionSubscription, w.p.Subs[d.Of].Name
	case search.DecideForced:
		out.Kind, out.Subject = trace.DecisionForced, w.p.Force[d.Of].Name
	default:
		from := w.ref(d.From)
		out.Kind, out.Subject, out.Catalog = trace.DecisionConstraint, from.Bundle, from.Catalog
		r := &w.p.Requirements(d.From)[d.Req]
		out.Constraint = w.requirement(r)
		if d.Goal != r.Goal {
			out.Part = w.goal(d.Goal)
		}
	}
	return out
}

// ref names a bundle.
func (w *Search) ref(n problem.NodeID) trace.Ref {
	out := trace.Ref{Bundle: w.p.Nodes[n].Bundle.Name}
	if cat := w.p.Nodes[n].Cat; cat != problem.NoCatalog {
		out.Catalog = w.p.Cats[cat].Key
	}
	return out
}

// option names the bundle of an option, if there is one.
func (w *Search) option(o search.Option) trace.Ref {
	if o.Node == problem.NoNode {
		return trace.Ref{}
	}
	out := w.ref(o.Node)
	out.Installed = w.p.Nodes[o.Node].Inst >= 0
	return out
}

// satisfiers are the chosen bundles that make a settled decision hold, in the
// order in which they were chosen.
func (w *Search) satisfiers(st *search.State, d search.Decision) []trace.Ref {
	p := w.p
	var atoms []*problem.Atom
	if d.Kind == search.DecideGoal {
		atoms = d.Goal.Wanted(nil)
	}
	var by []trace.Ref
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
				meets = meets || w.matches(a, n)
			}
		}
		if meets {
			by = append(by, w.ref(n))
		}
	}
	return by
}

// matches is Matches of the problem for what is known without evaluating a rule, so that
// being watched costs no rule more.
func (w *Search) matches(a *problem.Atom, n problem.NodeID) bool {
	if a.Kind == problem.AtomTested {
		return a.Memo[n]
	}
	return w.p.Matches(a, n)
}
