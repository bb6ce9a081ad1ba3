package watch

import (
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// follower tells hooks of a search.
type follower struct {
	calls Calls
	p     *problem.View

	open trace.Decision // the decision that was taken up last
	said map[any]string // words of goals and requirements
}

// Follow returns an observer of a search in a problem that calls hooks.
func Follow(calls Calls, p *problem.View) search.Observer {
	w := &follower{calls: calls, p: p, said: make(map[any]string)}
	return w.observe
}

func (w *follower) tell(e trace.Event) { w.calls.Tell(w.p.Context(), e) }

func (w *follower) observe(st *search.State, what search.Happening, at, i int, o search.Option) {
	switch what {
	case search.Began:
		w.tell(trace.Event{Search: &trace.Search{Look: st.Look}})
	case search.TakenUp:
		w.takenUp(st, at)
	case search.Satisfied:
		w.takenUp(st, at)
		w.open.By = w.satisfiers(st, st.Queue[at])
		w.decided(trace.DecisionSatisfied)
	case search.Refused:
		c := w.refused(st, at, i, o)
		w.tell(trace.Event{Candidate: &c})
	case search.Chosen:
		w.open.Choice = w.option(o)
		w.tell(trace.Event{Candidate: &trace.Candidate{Index: i, Ref: w.open.Choice, Verdict: trace.Chosen}})
		w.decided(trace.DecisionChosen)
	case search.DeadEnd:
		w.decided(trace.DecisionDeadEnd)
	case search.Back:
		w.back(st, i, lexicon.RejectedByDeadEnd)
	case search.BackBySolver:
		w.back(st, i, lexicon.RejectedBySolver)
	}
}

func (w *follower) takenUp(st *search.State, at int) {
	w.open = w.decision(st, at)
	d := w.open
	w.tell(trace.Event{Decide: &d})
}

func (w *follower) decided(result trace.DecisionResult) {
	d := w.open
	d.Result = result
	w.tell(trace.Event{Decision: &d})
}

// back tells of choices that are undone.
func (w *follower) back(st *search.State, i int, why argument.Rejection) {
	bad := st.Trail[i]
	d := w.decision(st, bad.Decision)
	b := trace.Back{Index: d.Index, Subject: d.Subject, Refused: w.option(bad.Picked), Verdict: why, Undone: len(st.Trail) - i}
	for k := len(st.Trail) - 1; k >= i; k-- {
		if c := st.Trail[k]; c.Fresh {
			b.Undecided = append(b.Undecided, w.ref(c.Picked.Node))
		}
	}
	w.tell(trace.Event{Back: &b})
}

// decision describes a decision of the queue.
func (w *follower) decision(st *search.State, at int) trace.Decision {
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
func (w *follower) ref(n problem.NodeID) trace.Ref {
	out := trace.Ref{Bundle: w.p.Nodes[n].Bundle.Name}
	if cat := w.p.Nodes[n].Cat; cat != problem.NoCatalog {
		out.Catalog = w.p.Cats[cat].Key
	}
	return out
}

// option names the bundle of an option, if there is one.
func (w *follower) option(o search.Option) trace.Ref {
	if o.Node == problem.NoNode {
		return trace.Ref{}
	}
	out := w.ref(o.Node)
	out.Installed = w.p.Nodes[o.Node].Inst >= 0
	return out
}

// satisfiers are the chosen bundles that make a settled decision hold, in the
// order in which they were chosen.
func (w *follower) satisfiers(st *search.State, d search.Decision) []trace.Ref {
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
func (w *follower) matches(a *problem.Atom, n problem.NodeID) bool {
	if a.Kind == problem.AtomTested {
		return a.Memo[n]
	}
	return w.p.Matches(a, n)
}
