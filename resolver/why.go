package resolver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/explain"
	"github.com/seed109e2655/resolute/resolver/internal/plan"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Explanation states why a bundle is or is not in the result of a request.
type Explanation struct {
	// Bundle is the bundle, with its catalog.
	Bundle BundleRef
	// In reports whether the bundle is in the result set.
	In bool
	// Chain, if In, is the chain of reasons from a demand to the bundle. Each reason but the
	// last names a bundle that is selected for the reason before it.
	Chain []Reason
	// Conflict is the conflict of a request that forces the bundle; nil if the bundle could be
	// selected.
	Conflict *Conflict
	// Better is the bundle selected instead of one that could be selected, and Rule the rule
	// that decided. Better is zero if nothing requires the bundle.
	Better BundleRef
	Rule   string

	terms graph.Terms
}

// Text returns a multi-line explanation for people.
func (e *Explanation) Text() string {
	name := text.Inert(e.Bundle.Name)
	var b strings.Builder
	switch {
	case e.In:
		fmt.Fprintf(&b, "%s is in the result:\n%s", name, argument.Lead(e.Chain, e.Bundle.Name, e.terms))
	case e.Conflict != nil:
		fmt.Fprintf(&b, "%s is not in the result, and cannot be.\n%s", name, e.Conflict.Text())
	case e.Better == BundleRef{}:
		fmt.Fprintf(&b, "%s is not in the result: %s.\n", name, text.Inert(e.Rule))
	default:
		fmt.Fprintf(&b, "%s is not in the result: %s is selected instead, %s.\n", name, text.Inert(e.Better.Name), text.Inert(e.Rule))
	}
	return b.String()
}

// WhyNot explains why a bundle is not in the result of the request: the conflict that it would
// cause, or the better candidate that was selected. For a bundle in the result, it returns the
// chain of reasons.
//
// The error is a [*RequestError] if no such bundle exists, a [*Conflict] if the request has no
// solution, or an [*IncompleteError].
func (s *Session) WhyNot(ctx context.Context, bundle BundleRef) (*Explanation, error) {
	ctx, w := s.r.settings().start(ctx, trace.OperationExplain, &s.req)
	p, nodes, st, err := s.decide(ctx, bundle)
	w.done(ctx, p, nil, err)
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		if st.Has(n) {
			return &Explanation{Bundle: p.universe.Origin(n), In: true, Chain: plan.Of(p.problem, st).Chain(n), terms: p.config.Terms}, nil
		}
	}
	return s.whyOut(ctx, p, st, bundle, nodes[0])
}

// decide makes all decisions, and finds the bundles that a reference names.
func (s *Session) decide(ctx context.Context, bundle BundleRef) (*resolution, []problem.NodeID, *search.State, error) {
	p, err := prepare(ctx, &s.req, s.r.settings())
	if err != nil {
		return nil, nil, nil, err
	}
	nodes := p.universe.Named(bundle, func(int32, *graph.Bundle) bool { return true })
	if len(nodes) == 0 {
		return p, nil, nil, p.unknownBundle(bundle)
	}
	st, _, err := p.settleAdmitted()
	if err == nil && st == nil {
		err = p.conflict(p.whole())
	}
	return p, nodes, st, err
}

func (s *Session) whyOut(ctx context.Context, p *resolution, st *search.State, bundle BundleRef, n problem.NodeID) (*Explanation, error) {
	out := &Explanation{Bundle: p.universe.Origin(n)}
	if better, rule, ok := explain.BetterOption(p.problem, st, n); ok {
		out.Better, out.Rule = p.universe.Origin(better), rule
	}
	changes := []Change{ForceBundle{bundle}}
	for i := range p.problem.Demands.List {
		if !p.problem.Assumptions.Active(i) {
			changes = append(changes, DropSubscription{Subscription: p.problem.Demands.List[i].Name})
		}
	}
	req, err := s.apply(changes)
	if err != nil {
		return nil, err
	}
	req.Policy.Failures = FailuresAll
	forced, err := s.r.With(PartOf(trace.OperationExplain)).Resolve(ctx, req)
	var conflict *Conflict
	switch {
	case errors.As(err, &conflict):
		for _, one := range conflict.All() {
			for i := range one.Facts { // forced only by the question
				if f := &one.Facts[i]; f.Kind == argument.FactForced && f.Subject == bundle.Name && !slices.Contains(s.req.Force, bundle) {
					f.Kind, f.Text = argument.FactSupposed, fmt.Sprintf("suppose that %s is in the result", f.Subject)
				}
			}
		}
		return &Explanation{Bundle: p.universe.Origin(n), Conflict: conflict}, nil
	case err != nil:
		return nil, err
	case out.Rule != "":
		return out, nil
	}
	has := func(b *graph.Bundle) bool {
		return slices.ContainsFunc(forced.Steps, func(s Step) bool { return s.Bundle == b.Name && s.Package == b.Package })
	}
	if first, rule, ok := explain.Displaced(p.problem, st, has); ok {
		out.Better, out.Rule = p.universe.Origin(first), rule
	} else {
		out.Rule = "nothing in the result requires it"
	}
	return out, nil
}

// unknownBundle returns the error for an unknown bundle, with similar names.
func (p *resolution) unknownBundle(ref BundleRef) error {
	message := "no catalog and nothing installed has a bundle of this name"
	if ref.Catalog != (cache.Key{}) {
		message = "the catalog has no bundle of this name"
	}
	message += explain.NearBundles(p.problem.Universe, ref)
	return &RequestError{Problems: []RequestProblem{{Field: "bundle", Value: ref.String(), Message: message}}}
}
