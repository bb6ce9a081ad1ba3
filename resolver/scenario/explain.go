package scenario

import (
	"context"
	"errors"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
)

// Explanation is the answer to the question why a bundle is in the result of a
// scenario or not, in the shape in which it is written as JSON.
type Explanation struct {
	Bundle string `json:"bundle"`
	In     bool   `json:"in"`
	// Chain leads, if it is in, from what was asked for to the bundle.
	Chain []Reason `json:"chain,omitempty"`
	// Conflict says, if it is out, what choosing it would break.
	Conflict *Conflict `json:"conflict,omitempty"`
	// Better says, if it is out and could be chosen, what is there instead.
	Better *Better `json:"better,omitempty"`

	text string
}

// Better is the bundle that stands in the way of another one, and the rule that
// decided. Its name is empty if nothing asks for the other one at all.
type Better struct {
	Bundle string `json:"bundle,omitempty"`
	Rule   string `json:"rule"`
}

// Text says the explanation in words, in lines.
func (e *Explanation) Text() string { return e.text }

// Explain tells why a bundle is in the result of a scenario, or why it is not. A
// bundle is named alone, or after its catalog and a colon
// ("olm/community:etcd.v0.9.4"). Under policy Partial the explanation is of the
// problem without the subscriptions that are left out; a bundle of which one of
// those asks for the package is out because of that one's conflict.
//
// The error is a [*resolver.Conflict] if the scenario has no solution, a
// [*resolver.RequestError] or an [*Error] if it is malformed or has no such
// bundle, and a [*resolver.IncompleteError].
func (r *Runner) Explain(ctx context.Context, s *Scenario, bundle string) (*Explanation, error) {
	loaded, solver, err := r.prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	req, unresolved, err := admitted(ctx, solver, loaded.Request)
	if err == nil {
		var session *resolver.Session
		if session, err = solver.Session(ctx, req); err == nil {
			return explain(ctx, session, parseRef(req, bundle), unresolved)
		}
	}
	return nil, s.place(err)
}

// admitted returns the request without the subscriptions that policy Partial
// leaves out, and those with their conflicts.
func admitted(ctx context.Context, solver *resolver.Resolver, req resolver.Request) (resolver.Request, []resolver.Unresolved, error) {
	if req.Policy.Failures != resolver.Partial {
		return req, nil, nil
	}
	sol, err := solver.Resolve(ctx, req)
	if err != nil {
		return req, nil, err
	}
	var changes []resolver.Change
	for _, u := range sol.Unresolved {
		changes = append(changes, resolver.Drop(u.Subscription))
	}
	reduced, err := resolver.Apply(req, changes...)
	left := leftOut(req, sol.Unresolved)
	return reduced, left, err
}

	for _, link := range why.Chain {
		out.Chain = append(out.Chain, Reason(link))
	}
	if !why.In && why.Conflict == nil {
		out.Better = &Better{Bundle: why.Better.Name, Rule: why.Rule}
	}
	return out, nil
}

// parseRef reads a bundle's name, after a catalog of the request and a colon or
// alone.
func parseRef(req resolver.Request, bundle string) resolver.BundleRef {
	for _, c := range req.Catalogs {
		if prefix := c.Key.String() + ":"; len(bundle) > len(prefix) && bundle[:len(prefix)] == prefix {
			return resolver.BundleRef{Catalog: c.Key, Name: bundle[len(prefix):]}
		}
	}
	return resolver.BundleRef{Catalog: cache.Key{}, Name: bundle}
}

// prepare loads a scenario's catalogs.
func (r *Runner) prepare(ctx context.Context, s *Scenario) (*Loaded, *resolver.Resolver, error) {
	loader, solver := r.Loader, r.Resolver
	if loader == nil {
		loader = new(Loader)
	}
	if solver == nil {
		solver = resolver.New()
	}
	loaded, err := loader.Load(ctx, s)
	return loaded, solver, err
}

// Road is the whole upgrade road of a scenario, in the shape in which it is
// written as JSON.
type Road struct {
	Status Status `json:"status"`
	// Error says what is wrong with an invalid scenario, or what stopped the road.
	Error string `json:"error,omitempty"`
	// Rounds are the answers that change something, in their order. Of a road that
	// ends in a conflict, that is the last one.
	Rounds []*Answer `json:"rounds"`
	// Loop says that the road comes back to where it has been.
	Loop bool `json:"loop"`
	// Set holds the names of what is installed at the end, sorted.
	Set []string `json:"set,omitempty"`
}

// Converge answers a scenario, carries the answer out, and goes on until nothing
// changes. It does not fail: what is wrong is in the road's status and error. each,
// if it is not nil, hears of each round.
func (r *Runner) Converge(ctx context.Context, s *Scenario, each func(round int)) *Road {
	loaded, solver, err := r.prepare(ctx, s)
	if err != nil {
		a := NewAnswer(nil, err)
		return &Road{Status: a.Status, Error: a.Error, Rounds: []*Answer{}}
	}
	road, err := solver.Converge(ctx, loaded.Request, resolver.ConvergeOptions{Round: func(n int, _ *resolver.Solution) {
		if each != nil {
			each(n)
		}
	}})
	out := &Road{Status: Resolved, Rounds: []*Answer{}, Loop: road.Loop, Set: road.Set()}
	for _, sol := range road.Rounds {
		out.Rounds = append(out.Rounds, NewAnswer(sol, nil))
	}
	if err == nil {
		return out
	}
	last := NewAnswer(nil, s.place(err))
	out.Status, out.Error = last.Status, last.Error
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		out.Rounds = append(out.Rounds, last)
	}
	return out
}
