package resolver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
)

// Explanation says why a bundle is in the result of a request, or why it is not.
type Explanation struct {
	// Bundle is the bundle that was asked for; its catalog is filled in.
	Bundle BundleRef
	// In says whether it is in the result set.
	In bool
	// Chain leads, if it is in, from what was asked for to the bundle: each link
	// but the last names a bundle that is in the set because of the link before.
	Chain []Reason
	// Conflict says, if it is out, what choosing it would break, whatever else
	// were chosen. It is nil if it could be chosen.
	Conflict *Conflict
	// Better is, if it is out and could be chosen, the bundle that stands in its
	// way, and Rule the rule that decided. Better is the zero reference if
	// nothing asks for the bundle at all.
	Better BundleRef
	Rule   string
}

// Text says the explanation in words, in lines.
func (e *Explanation) Text() string {
	name := clean(e.Bundle.Name)
	var b strings.Builder
	switch {
	case e.In:
		fmt.Fprintf(&b, "%s is in the result:\n", name)
		for i, l := range e.Chain {
			next := name
			if i+1 < len(e.Chain) {
				next = clean(e.Chain[i+1].Bundle)
			}
			fmt.Fprintf(&b, "%s- %s\n", strings.Repeat("  ", i), link(l, next))
		}
	case e.Conflict != nil:
		fmt.Fprintf(&b, "%s is not in the result, and cannot be.\n%s", name, e.Conflict.Text())
	case e.Better == BundleRef{}:
		fmt.Fprintf(&b, "%s is not in the result: %s.\n", name, clean(e.Rule))
	default:
		fmt.Fprintf(&b, "%s is not in the result: %s is there instead, %s.\n", name, clean(e.Better.Name), clean(e.Rule))
	}
	return b.String()
}

// link says one link of a chain in words.
func link(r Reason, next string) string {
	switch {
	case r.Subscription != "":
		return fmt.Sprintf("subscription %s is met by %s", clean(r.Subscription), next)
	case r.Installed:
		return next + " is installed and nobody owns it, so it stays"
	case r.Forced:
		return "the request wants " + next
	default:
		return fmt.Sprintf("%s requires %s, which %s makes hold", clean(r.Bundle), clean(r.Constraint), next)
	}
}

// WhyNot explains why a bundle is not in the result of the session's request: what
// choosing it would break, or which better candidate took its place. A bundle that
// is in the result is explained by what leads to it.
//
// The error is a [*RequestError] if no catalog and nothing installed has a bundle
// of that name, a [*Conflict] if the request has no solution that the bundle could
// be in or out of, and an [*IncompleteError].
func (s *Session) WhyNot(ctx context.Context, bundle BundleRef) (*Explanation, error) {
	p, err := newProblem(ctx, &s.req, &s.r.config, false)
	if err != nil {
		return nil, err
	}
	nodes := p.nodesNamed(bundle)
	if len(nodes) == 0 {
		return nil, p.unknownBundle(bundle)
	}
	ctx, w := s.r.config.start(ctx, OpExplain, &s.req)
	p.ctx = ctx
	st, err := p.settleOrAdmit()
	w.done(ctx, p, nil, err)
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		if st.has(n) {
			return &Explanation{Bundle: p.refOf(n), In: true, Chain: newResult(st).chain(n)}, nil
		}
	}
	return s.whyOut(ctx, p, st, bundle, nodes[0])
}

// settleOrAdmit finds the best result set, under policy Partial that of the
// subscriptions that can be admitted.
func (p *problem) settleOrAdmit() (*state, error) {
	st := p.settle()
	if st == nil && p.err == nil && p.req.Policy.Failures == FailuresPartial {
		if _, err := p.admit(); err != nil {
			return nil, err
		}
		st = p.settle()
	}
	if st == nil {
		return nil, p.failure()
	}
	return st, nil
}

// whyOut explains a bundle that is not in the result.
func (s *Session) whyOut(ctx context.Context, p *problem, st *state, bundle BundleRef, n nodeID) (*Explanation, error) {
	out := &Explanation{Bundle: p.refOf(n)}
	if better, rule, ok := st.betterOption(n); ok {
		out.Better, out.Rule = p.refOf(better), rule
	}
	changes := []Change{Force(bundle)}
	for i := range p.subs {
		if p.subs[i].left {
			changes = append(changes, Drop(p.asked[i].Name))
		}
	}
	req, err := Apply(s.req, changes...)
	if err != nil {
		return nil, err
	}
	req.Policy.Failures = FailuresAll
	forced, err := s.r.as(OpExplain).Resolve(ctx, req)
	var conflict *Conflict
	switch {
	case errors.As(err, &conflict):
		return &Explanation{Bundle: p.refOf(n), Conflict: conflict}, nil
	case err != nil:
		return nil, err
	case out.Rule != "":
		return out, nil
	}
	if first, rule, ok := st.displaced(forced); ok {
		out.Better, out.Rule = p.refOf(first), rule
	} else {
		out.Rule = "nothing in the result asks for it"
	}
	return out, nil
}

// nodesNamed returns the bundles that a reference means: installed ones first,
// then by catalog.
func (p *problem) nodesNamed(ref BundleRef) []nodeID {
	var nodes []nodeID
	for _, n := range p.inst {
		if n != noNode && p.nodes[n].bundle.Name == ref.Name && p.refersTo(ref, p.nodes[n].cat) {
			nodes = append(nodes, n)
		}
	}
	for c := range p.cats {
		if p.refersTo(ref, int32(c)) {
			for _, id := range p.cats[c].Content.Named(ref.Name) {
				nodes = append(nodes, p.node(int32(c), id))
			}
		}
	}
	return nodes
}

func (p *problem) refOf(n nodeID) BundleRef {
	ref := BundleRef{Name: p.nodes[n].bundle.Name}
	if p.nodes[n].cat != noCatalog {
		ref.Catalog = p.cats[p.nodes[n].cat].Key
	}
	return ref
}

// unknownBundle says that nothing is called that, with what is called nearly so.
func (p *problem) unknownBundle(ref BundleRef) error {
	message := "no catalog and nothing installed has a bundle of this name"
	if ref.Catalog != (cache.Key{}) {
		message = "the catalog has no bundle of this name"
	}
	message += p.didYouMean(ref.Name, bundleNames(p.usable(ref.Catalog)))
	return &RequestError{Problems: []RequestProblem{{Field: "bundle", Value: ref.String(), Message: message}}}
}

// chain finds the shortest way from what was asked for to a bundle of the set.
func (r *result) chain(n nodeID) []Reason {
	because, _ := r.reasons(r.byPackage())
	from := make([]int32, len(because)) // the dependent by which a bundle is reached
	via := make([]Reason, len(because))
	seen := make([]bool, len(because))
	var todo []int32
	for i, rs := range because {
		for _, why := range rs {
			if why.Bundle == "" {
				from[i], via[i], seen[i] = -1, why, true
				todo = append(todo, int32(i))
				break
			}
		}
	}
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		reqs := r.p.requirements(r.st.chosen[i])
		for _, d := range r.needs[i] {
			if !seen[d.on] {
				seen[d.on], from[d.on] = true, i
				via[d.on] = Reason{Bundle: r.p.nodes[r.st.chosen[i]].bundle.Name, Constraint: reqs[d.req].constraint.String()}
				todo = append(todo, d.on)
			}
		}
	}
	i := r.at[n]
	if !seen[i] { // it is there for the decision that chose it, and for nothing else
		for _, c := range r.st.trail {
			if c.opt.node == n && c.fresh {
				return append(r.chain(r.st.queue[c.decision].from), r.occasion(c))
			}
		}
		return because[i]
	}
	var out []Reason
	for ; i >= 0; i = from[i] {
		out = append(out, via[i])
	}
	slices.Reverse(out)
	return out
}

// betterOption finds the decision that a bundle is an option of, where a better
// placed one was chosen, and the rule that puts that one first.
func (st *state) betterOption(n nodeID) (nodeID, string, bool) {
	for _, c := range st.trail {
		d := st.queue[c.decision]
		opts := st.p.optionsOf(d)
		for i := c.option + 1; ; i++ {
			o, ok := opts.at(i)
			if !ok {
				break
			}
			if o.node == n && c.opt.node != noNode {
				return c.opt.node, st.p.decidingRule(d, c.opt.node, n), true
			}
		}
	}
	return noNode, "", false
}

// displaced finds the first choice of the result that is not in another solution.
func (st *state) displaced(other *Solution) (nodeID, string, bool) {
	for _, c := range st.trail {
		if !c.fresh {
			continue
		}
		b := st.p.nodes[c.opt.node].bundle
		same := slices.ContainsFunc(other.Steps, func(s Step) bool { return s.Bundle == b.Name && s.Package == b.Package })
		if !same {
			return c.opt.node, "it is the best for " + st.p.subjectOf(st.queue[c.decision]) + ", which is decided earlier", true
		}
	}
	return noNode, "", false
}

// subjectOf names what a decision is about.
func (p *problem) subjectOf(d decision) string {
	switch d.kind {
	case decideInstalled:
		return "the installed " + p.req.Installed[d.sub].Name
	case decideSubscription:
		return "subscription " + p.asked[d.sub].Name
	case decideForced:
		return "the forced " + p.req.Force[d.sub].Name
	default:
		return "what " + p.nodes[d.from].bundle.Name + " requires"
	}
}

// decidingRule names the first rule that puts one option before another.
func (p *problem) decidingRule(d decision, a, b nodeID) string {
	x, y := &p.nodes[a], &p.nodes[b]
	if d.kind == decideSubscription && x.inst >= 0 != (y.inst >= 0) {
		if x.inst >= 0 {
			return "because goal MinimalChange leaves an installed operator where it is"
		}
		return "because an update comes before staying as it is (section 2)"
	}
	if p.req.Policy.Deprecations == DeprecationsAvoid && p.shunned(a) != p.shunned(b) {
		return "because the other one is deprecated"
	}
	if (x.inst >= 0) != (y.inst >= 0) {
		return "because it is installed (rule 1)"
	}
	if d.kind == decideGoal {
		if own := p.nodes[d.from].cat; x.cat != y.cat && (x.cat == own || y.cat == own) {
			return fmt.Sprintf("because it is of the same catalog as %s (rule 2)", p.nodes[d.from].bundle.Name)
		}
	}
	if x.cat != y.cat && x.cat != noCatalog && y.cat != noCatalog {
		cx, cy := p.cats[x.cat], p.cats[y.cat]
		if cx.Priority != cy.Priority {
			return fmt.Sprintf("because catalog %s has the higher priority (rule 3)", cx.Key)
		}
		return fmt.Sprintf("because catalog %s comes before %s (rule 4)", cx.Key, cy.Key)
	}
	return p.placeRule(d, x, y)
}

// placeRule names the rule among 5 to 7 that puts one bundle of a catalog before
// another.
func (p *problem) placeRule(d decision, x, y *node) string {
	cx, cy := p.offeredBy(d, x), p.offeredBy(d, y)
	switch {
	case cx.isDefault != cy.isDefault:
		return "because it is in the default channel of its package (rule 5)"
	case x.bundle.Package != y.bundle.Package:
		return fmt.Sprintf("because package %s comes before %s (rule 6)", x.bundle.Package, y.bundle.Package)
	case cx.name != cy.name:
		return fmt.Sprintf("because channel %s comes before %s (rule 6)", cx.name, cy.name)
	case p.req.Policy.Goal == GoalOldest:
		return "because it is further from the head of the channel (rule 7, goal Oldest)"
	default:
		return "because it is nearer to the head of the channel (rule 7)"
	}
}

// offer is the channel by which a candidate is ranked.
type offer struct {
	name      string
	isDefault bool
}

// offeredBy is the channel in which a decision sees a bundle.
func (p *problem) offeredBy(d decision, nd *node) offer {
	if d.kind == decideSubscription {
		for _, c := range p.subs[d.sub].cands {
			if c.id >= 0 && c.cat == nd.cat && c.id == nd.bundle.ID {
				return offer{c.channel.Name, c.channel.Default()}
			}
		}
	}
	if pl, ok := p.bestPlace(nd.bundle); ok {
		return offer{pl.Channel.Name, isDefault(pl)}
	}
	return offer{}
}
