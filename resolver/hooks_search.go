package resolver

import "slices"

// The see functions tell the hooks what the search does. Each returns at once
// when there are none, and is small enough to be inlined for that.

func (st *state) seeStart() {
	if st.p.watched() {
		st.tellStart()
	}
}

// seeSettled: the decision at a place of the queue is satisfied already.
func (st *state) seeSettled(at int) {
	if st.p.watched() {
		st.tellSettled(at)
	}
}

// seeDecide: it is taken up.
func (st *state) seeDecide(at int) {
	if st.p.watched() {
		st.tellDecide(at)
	}
}

// seeRefused: its i-th option is refuted by what is chosen.
func (st *state) seeRefused(at, i int, o option) {
	if st.p.watched() {
		st.tellRefused(at, i, o)
	}
}

// seeChoice: its i-th option is about to be chosen.
func (st *state) seeChoice(at, i int, o option) {
	if st.p.watched() {
		st.tellChoice(at, i, o)
	}
}

// seeDeadEnd: it has no option left.
func (st *state) seeDeadEnd(at int) {
	if st.p.watched() {
		st.tellDecided(at, Decided{Result: DecisionDeadEnd})
	}
}

// seeBack: the choices from the i-th on are about to be undone.
func (st *state) seeBack(i int, why Rejection) {
	if st.p.watched() {
		st.tellBack(i, why)
	}
}

func (st *state) tellStart() {
	for _, h := range st.p.config.hooks {
		if h.SearchBegan != nil {
			h.SearchBegan(st.p.ctx, SearchBegan{Look: st.look})
		}
	}
}

func (st *state) tellSettled(at int) {
	st.tellDecide(at)
	if slices.ContainsFunc(st.p.config.hooks, func(h *Hooks) bool { return h.Decided != nil }) {
		st.tellDecided(at, Decided{Result: DecisionSatisfied, By: st.satisfiers(st.queue[at])})
	}
}

func (st *state) tellDecide(at int) {
	d := st.decisionAt(at)
	for _, h := range st.p.config.hooks {
		if h.Decide != nil {
			h.Decide(st.p.ctx, d)
		}
	}
}

func (st *state) tellDecided(at int, result Decided) {
	d := st.decisionAt(at)
	for _, h := range st.p.config.hooks {
		if h.Decided != nil {
			h.Decided(st.p.ctx, d, result)
		}
	}
}

func (st *state) tellCandidate(at int, c Candidate) {
	d := st.decisionAt(at)
	for _, h := range st.p.config.hooks {
		if h.Candidate != nil {
			h.Candidate(st.p.ctx, d, c)
		}
	}
}

func (st *state) tellRefused(at, i int, o option) {
	st.tellCandidate(at, st.whyRefuted(st.queue[at], i, o))
}

func (st *state) tellChoice(at, i int, o option) {
	c := st.p.candidateOf(i, o)
	c.Chosen = true
	st.tellCandidate(at, c)
	st.tellDecided(at, Decided{Result: DecisionChosen, Choice: c})
}

func (st *state) tellBack(i int, why Rejection) {
	bad := st.trail[i]
	b := Back{Decision: st.decisionAt(bad.decision), Refused: st.p.candidateOf(bad.option, bad.opt), Undone: len(st.trail) - i}
	b.Refused.Reason = why
	for k := len(st.trail) - 1; k >= i; k-- {
		if c := st.trail[k]; c.fresh {
			b.Undecided = append(b.Undecided, st.p.refOf(c.opt.node))
		}
	}
	for _, h := range st.p.config.hooks {
		if h.Back != nil {
			h.Back(st.p.ctx, b)
		}
	}
}

// decisionAt describes a decision of the queue.
func (st *state) decisionAt(at int) Decision {
	p, d := st.p, st.queue[at]
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
			out.Part = func() string { return p.wordsOfGoal(goal) }
		}
	}
	return out
}

// candidateOf describes an option.
func (p *problem) candidateOf(i int, o option) Candidate {
	c := Candidate{Index: i}
	if o.node != noNode {
		c.Bundle, c.Installed = p.refOf(o.node), p.nodes[o.node].inst >= 0
	}
	return c
}

// satisfiers are the chosen bundles that make a settled decision hold, in the
// order in which they were chosen.
func (st *state) satisfiers(d decision) []BundleRef {
	p := st.p
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
func (p *problem) matchesPlainly(a *atom, n nodeID) bool {
	if a.kind == atomTested {
		return a.tests.memo[n]
	}
	return p.matches(a, n)
}
