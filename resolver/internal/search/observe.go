package search

import (
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// eventKind is the kind of an event of a search.
type eventKind uint8

const (
	searchStarted     eventKind = iota // the search starts with an empty trail
	decisionStarted                    // a decision starts
	decisionSatisfied                  // the selected bundles already satisfy it
	optionRejected                     // an option is false
	optionSelected                     // an option is about to be selected
	decisionFailed                     // no option is left
)

// observer builds and emits events.
type observer struct {
	call func(trace.Event)
	open trace.Decision    // the latest decision that started
	said map[worded]string // cached words of goals and requirements
}

// worded is a goal or a requirement.
type worded interface{ Words(operator string) string }

// emit emits an event about the decision at an index of the queue and its i-th option, if there is
// an observer.
func (st *State) emit(kind eventKind, at, i int, o Option) {
	w := st.observer
	if w == nil {
		return
	}
	var e trace.Event
	switch kind {
	case searchStarted:
		e.Search = &trace.Search{Look: st.lookDepth}
	case decisionStarted:
		d := st.describe(at)
		w.open, e.Decide = d, &d
	case decisionSatisfied:
		st.emit(decisionStarted, at, 0, o)
		w.open.By = st.satisfiers(st.Queue[at])
		e.Decision = w.decided(trace.ResultSatisfied)
	case optionRejected:
		e.Candidate = st.rejected(at, i, o)
	case optionSelected:
		w.open.Choice = st.optionRef(o)
		w.call(trace.Event{Candidate: &trace.Candidate{Index: i, Ref: w.open.Choice, Verdict: trace.Chosen}})
		e.Decision = w.decided(trace.ResultChosen)
	case decisionFailed:
		e.Decision = w.decided(trace.ResultDeadEnd)
	}
	w.call(e)
}

// decided returns the latest decision with its result.
func (w *observer) decided(result trace.DecisionResult) *trace.Decision {
	d := w.open
	d.Result = result
	return &d
}

// emitBacktrack emits that the choices from the i-th on are undone, and why.
func (st *State) emitBacktrack(i int, why argument.Rejection) {
	bad := st.Trail[i]
	d := st.describe(bad.Decision)
	b := trace.Back{Index: d.Index, Subject: d.Subject, Refused: st.optionRef(bad.Picked), Verdict: why, Retaken: why == "", Undone: len(st.Trail) - i}
	for _, c := range slices.Backward(st.Trail[i:]) {
		if c.Fresh {
			b.Undecided = append(b.Undecided, st.ref(c.Picked.Node))
		}
	}
	st.observer.call(trace.Event{Back: &b})
}

// describe describes a decision of the queue.
func (st *State) describe(at int) trace.Decision {
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
		out.Constraint = st.words(r)
		if d.Goal != r.Goal {
			out.Part = st.words(d.Goal)
		}
	}
	return out
}

// maxWords is the maximum number of bytes of a constraint in an event: a constraint may have 64 KiB
// and be decided a thousand times.
const maxWords = 4000

// words renders a goal or a requirement, with a cache.
func (st *State) words(of worded) string {
	w := st.observer
	said, ok := w.said[of]
	if !ok {
		said = text.Clip(of.Words(st.u.Terms.Operator), maxWords)
		w.said[of] = said
	}
	return said
}

// ref returns a reference to a bundle.
func (st *State) ref(n problem.NodeID) trace.Ref {
	of := st.u.Origin(n)
	return trace.Ref{Bundle: of.Name, Catalog: of.Catalog}
}

// optionRef returns a reference to the bundle of an option, if it has one.
func (st *State) optionRef(o Option) (out trace.Ref) {
	if o.Node != problem.NoNode {
		out = st.ref(o.Node)
		out.Installed = st.u.Nodes[o.Node].Inst >= 0
	}
	return out
}

// satisfiers lists the selected bundles that satisfy a decision, in the order of their selection.
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
				if a.Kind == problem.AtomTested { // rules are not evaluated just for an event
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

// rejection is the reason why an option is rejected.
type rejection struct {
	// reason is RejectedByPackage, RejectedByGVK, RejectedBySubscription, RejectedByProhibition,
	// RejectedByConstraint (a requirement of the option is unsatisfiable) or RejectedByDeadEnd (it
	// conflicts with the selected bundles); empty for an excluded bundle.
	reason argument.Rejection
	by     problem.NodeID // the selected bundle that it conflicts with, NoNode for none
	about  worded         // the unsatisfiable or prohibited goal, or the whole requirement; nil for other reasons
}

// reject records the latest reason of a look. That of the option itself is recorded last.
func (st *State) reject(reason argument.Rejection, by problem.NodeID, about worded) bool {
	st.rejection = rejection{reason, by, about}
	return true
}

// rejectFor records that a goal of an option fails: it prohibits a selected bundle, or no bundle
// can satisfy it. whole is what to report, the goal or its whole requirement.
func (st *State) rejectFor(g *problem.Goal, whole worded) bool {
	if g.Kind == problem.GoalBan {
		return st.reject(argument.RejectedByProhibition, problem.NoNode, g.Kids[0])
	}
	return st.reject(argument.RejectedByConstraint, problem.NoNode, whole)
}

// whyRejected returns why an option is false: a bundle that has its place, or the reason of the
// clause that was generated for it. Any other clause makes it a dead end.
func (st *State) whyRejected(d Decision, i int, o Option) rejection {
	l := st.optionLiteral(d, i, o)
	if a := st.assignmentOf(l); a.by != noLiteral && st.vars[l.variable()].option {
		l = st.literal(o.Node) // the bundle is
	}
	if !st.vars[l.variable()].option {
		if reason, by, clashes := st.clash(o.Node); clashes && (by == problem.NoNode || st.Has(by)) {
			return rejection{reason, by, nil}
		}
	}
	if c := st.assignmentOf(l).clause; c != nil && c.about == l && c.rejection != nil &&
		(c.rejection.by == problem.NoNode || c.rejection.by == o.Node || st.Has(c.rejection.by)) {
		return *c.rejection
	}
	return rejection{argument.RejectedByDeadEnd, problem.NoNode, nil}
}

// rejected describes an option that was just rejected.
func (st *State) rejected(at, i int, o Option) *trace.Candidate {
	why := st.whyRejected(st.Queue[at], i, o)
	c := &trace.Candidate{Index: i, Ref: st.optionRef(o), Verdict: why.reason}
	if why.by != problem.NoNode {
		c.By = st.ref(why.by)
	}
	switch {
	case why.about != nil:
		c.Subject = st.words(why.about)
	case why.reason == "" && o.Node != problem.NoNode:
		nd := &st.u.Nodes[o.Node]
		c.Verdict = rejectedByBan[nd.Ban]
		for _, by := range st.u.ForbiddenBy(nd) {
			f := &st.u.Forbid[by]
			if c.Subject = f.Rule; f.Failed != "" {
				c.Subject += " (which failed: " + f.Failed + ")"
			}
		}
	case why.reason == argument.RejectedByPackage:
		c.Subject = st.u.Nodes[o.Node].Bundle.Package
	case why.reason == argument.RejectedByGVK:
		apis := st.u.Nodes[o.Node].GVKs
		both := slices.IndexFunc(apis, func(g int32) bool { return slices.Contains(st.u.Nodes[why.by].GVKs, g) })
		c.Subject = st.u.GVKOf(apis[both]).String()
	}
	return c
}

// rejectedByBan has the code of each ban.
var rejectedByBan = [...]argument.Rejection{problem.BanForbidden: argument.RejectedForbidden, problem.BanDeprecated: argument.RejectedDeprecated,
	problem.BanIncompatible: argument.RejectedIncompatible, problem.BanQuarantined: argument.RejectedQuarantined}
