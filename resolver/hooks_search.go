package resolver

import "slices"

// watcher tells the hooks of a resolution what its search does.
type watcher struct{ p *resolution }

// Began tells that the decisions are begun.
func (w watcher) Began(st *state) {
	for _, h := range w.p.config.hooks {
		if h.SearchBegan != nil {
			h.SearchBegan(w.p.Context(), SearchBegan{Look: st.look})
		}
	}
}

// Satisfied tells that a decision is satisfied already.
func (w watcher) Satisfied(st *state, at int) {
	w.TakenUp(st, at)
	if slices.ContainsFunc(w.p.config.hooks, func(h *Hooks) bool { return h.Decided != nil }) {
		w.decided(st, at, Decided{Result: DecisionSatisfied, By: w.satisfiers(st, st.queue[at])})
	}
}

// TakenUp tells that a decision is taken up.
func (w watcher) TakenUp(st *state, at int) {
	d := w.decisionAt(st, at)
	for _, h := range w.p.config.hooks {
		if h.Decide != nil {
			h.Decide(w.p.Context(), d)
		}
	}
}

// DeadEnd tells that a decision has no option left.
func (w watcher) DeadEnd(st *state, at int) {
	w.decided(st, at, Decided{Result: DecisionDeadEnd})
}

func (w watcher) decided(st *state, at int, result Decided) {
	d := w.decisionAt(st, at)
	for _, h := range w.p.config.hooks {
		if h.Decided != nil {
			h.Decided(w.p.Context(), d, result)
		}
	}
}

func (w watcher) candidate(st *state, at int, c Candidate) {
	d := w.decisionAt(st, at)
	for _, h := range w.p.config.hooks {
		if h.Candidate != nil {
			h.Candidate(w.p.Context(), d, c)
		}
	}
}

// Refused tells which option is refused, and why.
func (w watcher) Refused(st *state, at, i int, o option) {
	w.candidate(st, at, w.refused(st, at, i, o))
}

// Chosen tells which option is chosen.
func (w watcher) Chosen(st *state, at, i int, o option) {
	c := w.p.candidateOf(i, o)
	c.Chosen = true
	w.candidate(st, at, c)
	w.decided(st, at, Decided{Result: DecisionChosen, Choice: c})
}

// Back tells which choices are undone.
func (w watcher) Back(st *state, i int, solver bool) {
	bad := st.trail[i]
	b := Back{Decision: w.decisionAt(st, bad.decision), Refused: w.p.candidateOf(bad.option, bad.opt), Undone: len(st.trail) - i}
	if b.Refused.Reason = RejectedByDeadEnd; solver {
		b.Refused.Reason = RejectedBySolver
	}
	for k := len(st.trail) - 1; k >= i; k-- {
		if c := st.trail[k]; c.fresh {
			b.Undecided = append(b.Undecided, w.p.refOf(c.opt.node))
		}
	}
	for _, h := range w.p.config.hooks {
		if h.Back != nil {
			h.Back(w.p.Context(), b)
		}
	}
}

// decisionAt describes a decision of the queue.
func (w watcher) decisionAt(st *state, at int) Decision {
	p, d := w.p, st.queue[at]
	out := Decision{Index: at}
	switch d.kind {
	case decideInstalled:
		out.Kind, out.Subject = DecisionInstalled, p.req.Installed[d.sub].Name
	case decideSubscription:
		out.Kind, out.Subject = DecisionSubscription, p.asked[d.sub].Name
	case decideForced:
		out.Kind, out.Subject = DecisionForced, p.req.Force[d.sub].Name
	default:
		out.Kind, out.Bundle = DecisionConstraint, p.refOf(d.from)
		out.Subject = out.Bundle.Name
		r := p.requirements(d.from)[d.req]
		out.Constraint = r.constraint
		if d.goal != r.goal {
			goal := d.goal
			out.Part = func() string { return wordsOfGoal(goal) }
		}
	}
	return out
}

// candidateOf describes an option.
func (p *resolution) candidateOf(i int, o option) Candidate {
	c := Candidate{Index: i}
	if o.node != noNode {
		c.Bundle, c.Installed = p.refOf(o.node), p.nodes[o.node].inst >= 0
	}
	return c
}

// satisfiers are the chosen bundles that make a settled decision hold, in the
// order in which they were chosen.
func (w watcher) satisfiers(st *state, d decision) []BundleRef {
	p := w.p
	var atoms []*atom
	if d.kind == decideGoal {
		atoms = wanted(d.goal, nil)
	}
	var by []BundleRef
	for _, n := range st.chosen {
		meets := false
		switch d.kind {
		case decideInstalled:
			meets = n == p.inst[d.sub]
		case decideSubscription:
			_, meets = p.offers(&p.subs[d.sub], n)
		case decideForced:
			meets = p.isForced(d.sub, n)
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
func (p *resolution) matchesPlainly(a *atom, n nodeID) bool {
	if a.kind == atomTested {
		return a.tests.memo[n]
	}
	return p.matches(a, n)
}
