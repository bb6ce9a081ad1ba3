package resolver

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/explain"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Prove resolves a request as [Resolver.Resolve] does and returns a proof of the answer. A
// request without a solution is not an error: the proof shows that it is unsatisfiable. Package
// certificate makes certificates from proofs. The search learns from every conflict and never
// calls the solver.
//
// The error is [ErrNotProven] if a deadline stopped the minimization of a conflict. Otherwise it is a [*RequestError] or an [*IncompleteError] as for Resolve.
func (r *Resolver) Prove(ctx context.Context, req Request) (*Proof, error) {
	ctx, w := r.settings().start(ctx, trace.OperationProve, &req)
	cfg := *r.settings()
	cfg.DeadEnds = math.MaxInt
	p, err := prepare(ctx, &req, &cfg)
	if err != nil {
		w.done(ctx, nil, nil, err)
		return nil, err
	}
	proof, err := p.prove()
	w.done(ctx, p, nil, err)
	return proof, err
}

func (p *resolution) prove() (*Proof, error) {
	proof, err := p.proveSolved()
	switch {
	case proof != nil || err != nil:
		return proof, err
	case p.req.Policy.Failures == FailuresPartial:
		return p.provePartial()
	}
	return p.unsatisfiable(p.whole())
}

// proveSolved proves that the result set is the best; nil if there is none.
func (p *resolution) proveSolved() (*Proof, error) {
	opts := search.Settings{DeadEnds: p.config.DeadEnds, Proof: true, Memory: p.config.searches, Observer: p.observer(p.config.watch.Search)}
	st, out := search.DecideAll(p.problem, opts)
	if p.search = st; p.budget.Stopped() || out != search.Complete {
		return nil, p.failed()
	}
	b := newProofBuilder(p)
	b.resolved(st)
	return &b.proof, p.failed()
}

// provePartial proves which installed bundles are broken, which subscriptions cannot be admitted, and
// that the result for the others is the best.
func (p *resolution) provePartial() (*Proof, error) {
	a := partial{of: p}
	var out []ProofLeft
	err := a.tolerate(func(i int32, terms assuming) error {
		terms.pending = func(int32) bool { return true }
		of, err := a.part(installedFact(i), terms)
		if err != nil {
			return err
		}
		of.installedOnly = true
		proof, err := p.unsatisfiable(of)
		out = append(out, ProofLeft{Installed: p.req.Installed[i].Name, Conflict: proof})
		return err
	})
	if err != nil {
		return nil, err
	}
	left, err := formula.AdmitSubscriptions(p.problem, p.observer(p.config.watch.Solver), func(i int, before []bool, _ func() map[int32]bool) error {
		proof, err := a.proveDropped(i, before)
		out = append(out, ProofLeft{Subscription: p.problem.Demands.List[i].Name, Conflict: proof})
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case p.budget.Stopped():
		return nil, p.failed()
	}
	var proof *Proof
	if left == nil { // what is installed and forced conflicts
		if proof, err = a.proveFailure(); err != nil {
			return nil, err
		}
	} else {
		p.problem = a.withDropped(left)
		if proof, err = p.proveSolved(); proof == nil {
			return nil, cmp.Or(err, search.ErrDisagree)
		}
		proof.Status = "partial"
	}
	proof.Left = out
	return proof, nil
}

// proveDropped proves that a subscription cannot be admitted, given the subscriptions admitted
// before it. What later ones own stays or is replaced by one of their candidates.
func (a *partial) proveDropped(i int, before []bool) (*Proof, error) {
	terms := a.terms(i, before, true)
	terms.pending = func(k int32) bool { return int(k) > i }
	of, err := a.part(subscriptionFact(int32(i)), terms)
	if err != nil {
		return nil, err
	}
	return a.of.unsatisfiable(of)
}

// proveFailure proves that the request has no solution even if nothing is admitted but what is
// installed, which is possible.
func (a *partial) proveFailure() (*Proof, error) {
	p := a.of
	p.problem = a.withDropped(ownsNothing(p.problem))
	whole := p.whole()
	whole.assumptions.Pending = make([]bool, len(p.problem.Demands.List))
	for i := range whole.assumptions.Pending {
		whole.assumptions.Pending[i] = true
	}
	b, err := p.refute(whole)
	if err != nil {
		return nil, err
	}
	for _, n := range formula.AdmittedSet(b.p.problem, p.observer(p.config.watch.Solver)) {
		b.proof.Set = append(b.proof.Set, b.number(n))
	}
	return &b.proof, b.p.failed()
}

// proofBuilder turns a finished search into a proof.
type proofBuilder struct {
	p       *resolution
	whole   *Request // p may resolve a part of it
	proof   Proof
	numbers map[problem.NodeID]int
	options map[search.OptionOf]int
}

func newProofBuilder(p *resolution) *proofBuilder {
	return &proofBuilder{p: p, numbers: make(map[problem.NodeID]int), options: make(map[search.OptionOf]int)}
}

// optionBase offsets option numbers until all bundles are numbered. It is more than a process
// can hold of either, and twice it fits an int of 32 bits.
const optionBase = 1<<30 - 1

// number returns the number of a bundle, assigning one if needed.
func (b *proofBuilder) number(n problem.NodeID) int {
	id := b.numbers[n]
	if id > 0 {
		return id
	}
	u := b.p.problem.Universe
	id = len(b.proof.Bundles) + 1
	b.numbers[n] = id
	of := ProofBundle{ID: id, Name: u.Name(n), Installed: u.Nodes[n].Inst >= 0}
	if !of.Installed {
		cat := u.Cats[u.Nodes[n].Cat]
		of.Catalog = cat.Key.String()
		if len(cat.Content.Named(of.Name)) > 1 {
			of.Package = u.Nodes[n].Bundle.Package
		}
	}
	b.proof.Bundles = append(b.proof.Bundles, of)
	return id
}

// literal returns the signed number of a literal.
func (b *proofBuilder) literal(l search.Literal) int {
	id := 0
	if o := l.Option; o == nil {
		id = b.number(l.Node)
	} else if id = b.options[*o]; id == 0 {
		part, _ := partOf(b.p.problem.Requirements(o.From)[o.Req].Goal, o.Goal, 0)
		of := ProofOption{Bundle: b.number(o.From), Constraint: int(o.Req), Part: part, Option: o.Index}
		b.proof.Options = append(b.proof.Options, of)
		id = optionBase + len(b.proof.Options)
		b.options[*o] = id
		if l.Node != problem.NoNode {
			b.number(l.Node)
		}
	}
	if l.Negated {
		return -id
	}
	return id
}

// partOf returns the preorder number of a part of a goal, not counting prohibitions.
func partOf(g, part *problem.Goal, n int) (int, bool) {
	if g == part {
		return n, true
	}
	if g.Kind == problem.GoalAll || g.Kind == problem.GoalAny {
		for _, k := range g.Kids {
			found := false
			if n, found = partOf(k, part, n+1); found {
				return n, true
			}
		}
	}
	return n, false
}

func (b *proofBuilder) hints(list []search.Hint) []int {
	var out []int
	for _, h := range list {
		switch {
		case h.Clause > 0:
			out = append(out, h.Clause)
		case h.Demands:
			out = append(out, 0)
		default:
			out = append(out, -b.literal(h.Refuted))
		}
	}
	return out
}

// resolved proves that an answer is the best one.
func (b *proofBuilder) resolved(st *search.State) {
	b.proof.Status = "resolved"
	derived := st.Proof(false)
	choice := 0
	for at := range st.Queue {
		d := ProofDecision{Demand: b.demand(&st.Queue[at])}
		if d.Satisfied = choice == len(st.Trail) || st.Trail[choice].Decision != at; !d.Satisfied {
			d.Chosen = b.literal(st.ChoiceLiteral(choice))
			for _, r := range derived.Choices[choice] {
				d.Rejected, d.Hints = append(d.Rejected, b.literal(r.Literal)), append(d.Hints, b.hints(r.Hints))
			}
			choice++
		}
		d.Hints = trim(d.Hints)
		b.proof.Decisions = append(b.proof.Decisions, d)
	}
	for _, n := range st.Chosen {
		b.proof.Set = append(b.proof.Set, b.number(n))
	}
	b.derived(derived.Clauses)
	b.settle()
}

// derived appends the lemmas.
func (b *proofBuilder) derived(clauses []search.Derived) {
	for _, c := range clauses {
		lemma := make([]int, 0, len(c.Literals))
		for _, l := range c.Literals {
			lemma = append(lemma, b.literal(l))
		}
		b.proof.Lemmas, b.proof.Hints = append(b.proof.Lemmas, lemma), append(b.proof.Hints, b.hints(c.Hints))
	}
	b.proof.Hints = trim(b.proof.Hints)
}

// trim removes the empty lists at the end.
func trim(hints [][]int) [][]int {
	for len(hints) > 0 && len(hints[len(hints)-1]) == 0 {
		hints = hints[:len(hints)-1]
	}
	for i := range hints {
		if hints[i] == nil {
			hints[i] = []int{}
		}
	}
	return hints
}

// settle renumbers the options after the bundles.
func (b *proofBuilder) settle() {
	if len(b.proof.Options) == 0 {
		return
	}
	bundles := len(b.proof.Bundles)
	fix := func(list []int) {
		for i, l := range list {
			if l > optionBase {
				list[i] = l - optionBase + bundles
			} else if l < -optionBase {
				list[i] = l + optionBase - bundles
			}
		}
	}
	for i := range b.proof.Options {
		b.proof.Options[i].ID = bundles + i + 1
	}
	for _, lists := range [][][]int{b.proof.Lemmas, b.proof.Hints} {
		for _, list := range lists {
			fix(list)
		}
	}
	for i := range b.proof.Decisions {
		d := &b.proof.Decisions[i]
		chosen := []int{d.Chosen}
		fix(chosen)
		d.Chosen = chosen[0]
		fix(d.Rejected)
		for _, list := range d.Hints {
			fix(list)
		}
	}
}

// demand returns the demand of a decision.
func (b *proofBuilder) demand(d *search.Decision) ProofDemand {
	p := b.p.problem
	switch d.Kind {
	case search.DecideInstalled:
		return ProofDemand{Installed: p.Universe.Name(p.Universe.Inst[d.Of])}
	case search.DecideSubscription:
		return ProofDemand{Subscription: p.Demands.List[d.Of].Name}
	case search.DecideForced:
		return ProofDemand{Forced: p.Demands.Forced[d.Of].Name}
	}
	part, _ := partOf(p.Requirements(d.From)[d.Req].Goal, d.Goal, 0)
	return ProofDemand{Bundle: b.number(d.From), Constraint: int(d.Req), Part: part}
}

// unsatisfiable proves that there is no solution, from a minimal unsatisfiable core.
func (p *resolution) unsatisfiable(of part) (*Proof, error) {
	b, err := p.refute(of)
	if err != nil {
		return nil, err
	}
	return &b.proof, nil
}

// refute builds the proof of [resolution.unsatisfiable], and those of all further conflicts.
func (p *resolution) refute(of part) (*proofBuilder, error) {
	q, e, err := p.explainer(of)
	if err != nil {
		return nil, err
	}
	sets, _ := e.Conflicts(maxFurther+1, false)
	if q.budget.Stopped() || len(sets) == 0 || !sets[0].Minimal {
		return nil, cmp.Or(q.failed(), ErrNotProven)
	}
	first := q.refuteCore(sets[0].Facts, p.req)
	for _, s := range sets[1:] {
		if s.Minimal && !q.budget.Stopped() {
			first.proof.Further = append(first.proof.Further, &q.refuteCore(s.Facts, p.req).proof)
		}
	}
	return first, q.failed()
}

// refuteCore proves that a minimal unsatisfiable core is one. Indexes are those of the whole request.
func (p *resolution) refuteCore(core []formula.Fact, whole *Request) *proofBuilder {
	b := newProofBuilder(p)
	b.whole = whole
	b.proof.Status = "unsatisfiable"
	for _, k := range core {
		b.proof.Facts = append(b.proof.Facts, b.fact(k))
	}
	part := formula.New(p.problem, formula.GuardAll, nil).Excerpt(core)
	if part == nil {
		return b
	}
	for _, d := range part.Prove() {
		lemma, hints := []int{}, []int{}
		for _, n := range d.In {
			lemma = append(lemma, b.number(n))
		}
		for _, n := range d.Out {
			lemma = append(lemma, -b.number(n))
		}
		for _, u := range d.Uses {
			switch {
			case u.Clause > 0:
				hints = append(hints, u.Clause)
			case u.Fact.Kind == formula.FactConstraint:
				hints = append(hints, -b.number(problem.NodeID(u.Fact.A)))
			case len(hints) == 0 || hints[len(hints)-1] != 0:
				hints = append(hints, 0)
			}
		}
		b.proof.Lemmas, b.proof.Hints = append(b.proof.Lemmas, lemma), append(b.proof.Hints, hints)
	}
	b.witnesses(part)
	return b
}

// witnesses finds, for each fact, a set of bundles that satisfies all other facts.
func (b *proofBuilder) witnesses(part *formula.Formula) {
	for i := range part.Facts {
		var others []sat.Lit
		for k, g := range part.Facts {
			if k != i {
				others = append(others, g.Guard)
			}
		}
		if part.Solve(others...) != sat.Satisfiable {
			b.p.budget.Fail(search.ErrDisagree)
			return
		}
		w := ProofWitness{Without: i, Set: []int{}}
		for n := range part.Literal {
			if part.Has(problem.NodeID(n)) {
				w.Set = append(w.Set, b.number(problem.NodeID(n)))
			}
		}
		b.proof.Witnesses = append(b.proof.Witnesses, w)
	}
}

// fact names a fact.
func (b *proofBuilder) fact(k formula.Fact) ProofFact {
	u, d := b.p.problem.Universe, &b.p.problem.Demands
	out := ProofFact{Kind: string(explain.KindOf(k))}
	switch k.Kind {
	case formula.FactSubscription, formula.FactHold, formula.FactNoCandidate:
		out.Subject = d.List[k.A].Name
	case formula.FactForced:
		out.Subject, out.Index = d.Forced[k.A].Name, slices.Index(b.whole.Force, d.Forced[k.A])
	case formula.FactInstalled:
		out.Subject = u.Name(u.Inst[k.A])
	case formula.FactPackage, formula.FactQuarantined:
		for name, id := range u.Pkgs { // in any order
			if id == k.A {
				out.Subject = name
			}
		}
	case formula.FactGVK:
		out.Subject = u.GVKOf(k.A).String()
	case formula.FactForbidden:
		out.Subject, out.Index = u.Forbid[k.A].Bundle.Name, int(k.A)
		if int(k.A) >= len(b.p.req.Forbid) { // by a veto
			out.Index = -1
			out.Bundle = b.number(formula.NodesOf(b.p.problem, k)[0])
		}
	default:
		n := problem.NodeID(k.A)
		out.Subject, out.Bundle, out.Index = u.Name(n), b.number(n), int(k.B)
	}
	return out
}
