package search

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// happening is what happens in a search.
type happening uint8

const (
	began     happening = iota // the decisions are begun from the start, with nothing chosen
	takenUp                    // a decision is taken up
	satisfied                  // what is chosen already satisfies it
	refused                    // an option is refuted by what is chosen
	chosen                     // an option is about to be chosen
	ended                      // no option is left
)

// observer makes events of what happens.
type observer struct {
	call func(trace.Event)
	open trace.Decision          // the decision that was taken up last
	said map[fmt.Stringer]string // words of goals and requirements
}

// tell tells of a decision at a place of the queue and its i-th option, if anybody listens.
func (st *State) tell(what happening, at, i int, o Option) {
	w := st.observer
	if w == nil {
		return
	}
	var e trace.Event
	switch what {
	case began:
		e.Search = &trace.Search{Look: st.Look}
	case takenUp:
		d := st.told(at)
		w.open, e.Decide = d, &d
	case satisfied:
		st.tell(takenUp, at, 0, o)
		w.open.By = st.satisfiers(st.Queue[at])
		e.Decision = w.decided(trace.ResultSatisfied)
	case refused:
		e.Candidate = st.refused(at, i, o)
	case chosen:
		w.open.Choice = st.optionRef(o)
		w.call(trace.Event{Candidate: &trace.Candidate{Index: i, Ref: w.open.Choice, Verdict: trace.Chosen}})
		e.Decision = w.decided(trace.ResultChosen)
	case ended:
		e.Decision = w.decided(trace.ResultDeadEnd)
	}
	w.call(e)
}

// decided is the decision that was taken up last, with its result.
func (w *observer) decided(result trace.DecisionResult) *trace.Decision {
	d := w.open
	d.Result = result
	return &d
}

// tellBack tells of the choices from the i-th on that are undone, and why.
func (st *State) tellBack(i int, why argument.Rejection) {
	bad := st.Trail[i]
	d := st.told(bad.Decision)
	b := trace.Back{Index: d.Index, Subject: d.Subject, Refused: st.optionRef(bad.Picked), Verdict: why, Retaken: why == "", Undone: len(st.Trail) - i}
	for _, c := range slices.Backward(st.Trail[i:]) {
		if c.Fresh {
			b.Undecided = append(b.Undecided, st.ref(c.Picked.Node))
		}
	}
	st.observer.call(trace.Event{Back: &b})
}

// told describes a decision of the queue.
func (st *State) told(at int) trace.Decision {
	p, d := st.p, st.Queue[at]
	out := trace.Decision{Index: at}
	switch d.Kind {
	case DecideInstalled:
		out.Kind, out.Subject = trace.DecisionInstalled, p.Universe.Name(p.Universe.Inst[d.Of])
	case DecideSubscription:
		out.Kind, out.Subject = trace.DecisionSubscription, p.Demands.List[d.Of].Name
	case DecideForced:
		out.Kind, out.Subject = trace.DecisionForced, p.Demands.Forced[d.Of].Name
	default:
		from := st.ref(d.From)
		out.Kind, out.Subject, out.Catalog = trace.DecisionConstraint, from.Bundle, from.Catalog
		r := &p.Requirements(d.From)[d.Req]
		out.Constraint = st.observer.words(r)
		if d.Goal != r.Goal {
			out.Part = st.observer.words(d.Goal)
		}
	}
	return out
}

// maxWords is how many bytes of a constraint are recorded: one may have 64 KiB, and be
// decided a thousand times.
const maxWords = 4000

// words are a goal or a requirement in words, which are remembered.
func (w *observer) words(of fmt.Stringer) string {
	said, ok := w.said[of]
	if !ok {
		said = text.Clip(of.String(), maxWords)
		w.said[of] = said
	}
	return said
}

// ref names a bundle.
func (st *State) ref(n problem.NodeID) trace.Ref {
	of := st.u.Origin(n)
	return trace.Ref{Bundle: of.Name, Catalog: of.Catalog}
}

// optionRef names the bundle of an option, if there is one.
func (st *State) optionRef(o Option) (out trace.Ref) {
	if o.Node != problem.NoNode {
		out = st.ref(o.Node)
		out.Installed = st.u.Nodes[o.Node].Inst >= 0
	}
	return out
}

// satisfiers are the chosen bundles that make a settled decision hold, in the
// order in which they were chosen.
func (st *State) satisfiers(d Decision) []trace.Ref {
	p := st.p
	var by []trace.Ref
	for _, n := range st.Chosen {
		meets := false
		switch d.Kind {
		case DecideInstalled:
			meets = n == p.Universe.Inst[d.Of]
		case DecideSubscription:
			_, meets = p.Demands.List[d.Of].Offers(p.Universe, n)
		case DecideForced:
			meets = p.Universe.Means(p.Demands.Forced[d.Of], n)
		default:
			for a, banned := range d.Goal.Atoms() {
				if a.Kind == problem.AtomTested { // what is not known is not evaluated to be told
					meets = meets || !banned && a.Tested.Memo[n]
				} else {
					meets = meets || !banned && p.Universe.Matches(a, n)
				}
			}
		}
		if meets {
			by = append(by, st.ref(n))
		}
	}
	return by
}

// refusal is what refutes an option.
type refusal struct {
	// reason is a code of package lexicon: RejectedByPackage, RejectedByGVK,
	// RejectedBySubscription, RejectedByProhibition, RejectedByConstraint (something that
	// comes with it cannot hold) or RejectedByDeadEnd (it was found not to go together with
	// what is chosen); empty for what can never be newly chosen.
	reason argument.Rejection
	by     problem.NodeID // the chosen bundle in the way, NoNode if it is not one
	about  fmt.Stringer   // the goal, or the whole requirement, that cannot hold or is prohibited; nil for other reasons
}

// refuse notes why what is looked at is refused: the option itself comes last.
func (st *State) refuse(reason argument.Rejection, by problem.NodeID, about fmt.Stringer) bool {
	st.refusal = refusal{reason, by, about}
	return true
}

// refuseFor is the refusal by a goal that comes with an option: something that it
// prohibits is chosen, or something that it needs cannot be. It may be the goal of a
// whole requirement.
func (st *State) refuseFor(g *problem.Goal, whole fmt.Stringer) bool {
	if g.Kind == problem.GoalBan {
		return st.refuse(argument.RejectedByProhibition, problem.NoNode, g.Kids[0])
	}
	return st.refuse(argument.RejectedByConstraint, problem.NoNode, whole)
}

// whyRefused finds out why an option is false: what has its place, or the clause that was
// generated for it. Of any other clause it follows with what is chosen.
func (st *State) whyRefused(d Decision, i int, o Option) refusal {
	l := st.optionLiteral(d, i, o)
	if a := st.assignmentOf(l); a.by != noLiteral && st.vars[l.variable()].option {
		l = st.literal(o.Node) // the bundle is
	}
	if !st.vars[l.variable()].option {
		if reason, by, clashes := st.clash(o.Node); clashes && (by == problem.NoNode || st.Has(by)) {
			return refusal{reason, by, nil}
		}
	}
	if c := st.assignmentOf(l).clause; c != nil && c.about == l && c.refusal != nil &&
		(c.refusal.by == problem.NoNode || c.refusal.by == o.Node || st.Has(c.refusal.by)) {
		return *c.refusal
	}
	return refusal{argument.RejectedByDeadEnd, problem.NoNode, nil}
}

// refused describes an option that was refused just now.
func (st *State) refused(at, i int, o Option) *trace.Candidate {
	why := st.whyRefused(st.Queue[at], i, o)
	c := &trace.Candidate{Index: i, Ref: st.optionRef(o), Verdict: why.reason}
	if why.by != problem.NoNode {
		c.By = st.ref(why.by)
	}
	switch {
	case why.about != nil:
		c.Subject = st.observer.words(why.about)
	case why.reason == "" && o.Node != problem.NoNode:
		c.Verdict = rejectedByBan[st.u.Nodes[o.Node].Ban]
	case why.reason == argument.RejectedByPackage:
		c.Subject = st.u.Nodes[o.Node].Bundle.Package
	case why.reason == argument.RejectedByGVK:
		apis := st.u.Nodes[o.Node].GVKs
		both := slices.IndexFunc(apis, func(g int32) bool { return slices.Contains(st.u.Nodes[why.by].GVKs, g) })
		c.Subject = st.u.GVKOf(apis[both]).String()
	}
	return c
}

// rejectedByBan is the code of each ban.
var rejectedByBan = [...]argument.Rejection{problem.BanForbidden: argument.RejectedForbidden, problem.BanDeprecated: argument.RejectedDeprecated,
	problem.BanIncompatible: argument.RejectedIncompatible, problem.BanQuarantined: argument.RejectedQuarantined}
