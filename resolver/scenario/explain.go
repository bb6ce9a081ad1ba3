package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// Explanation explains why a bundle is in the solution of a scenario or not. It is also the JSON
// format: the keys in this order, absent when empty.
type Explanation struct {
	Bundle string `json:"bundle"`
	In     bool   `json:"in"`
	// Chain is the chain of demands from the request to a selected bundle.
	Chain []resolver.Reason `json:"chain,omitempty"`
	// Conflict is the conflict that selecting the bundle would cause.
	Conflict *resolver.Conflict `json:"conflict,omitempty"`
	// Better is the candidate that was selected instead.
	Better *Better `json:"better,omitempty"`
	// Reached is the round of the upgrade path, counted from 1, in which a bundle that is not
	// selected now will be. There is no conflict then.
	Reached int `json:"reached,omitempty"`

	text string
}

// Better is a candidate that is preferred to another one, and the deciding rule. Its name is
// empty if there is no demand for the other one.
type Better struct {
	Bundle string `json:"bundle,omitempty"`
	Rule   string `json:"rule"`
}

// Text returns the explanation as lines of text. The text may change in any release; names from
// catalogs are escaped.
func (e *Explanation) Text() string { return e.text }

// Explain explains why a bundle is in the solution of a scenario or not. The bundle is given as
// its name, or as its catalog and name ("olm/community:etcd.v0.9.4").
//
// Under policy Partial, the solution excludes unsatisfiable subscriptions. A bundle of a package
// that only such a subscription demands is rejected because of its conflict.
//
// The error is a [*resolver.Conflict] if the scenario has no solution, with its corrections
// unless the runner disables them, a [*resolver.RequestError] or an [*Error] if the scenario is
// invalid or has no such bundle, a [*resolver.IncompleteError], or the error of the context.
func (r *Runner) Explain(ctx context.Context, s *Scenario, bundle string) (*Explanation, error) {
	loaded, solver, err := r.prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	out, err := Explain(ctx, solver, loaded.Request, bundle)
	if err == nil || r.NoCorrections {
		return out, s.locate(err)
	}
	return nil, s.locate(r.correct(ctx, solver, loaded.Request, err))
}

// Explain is [Runner.Explain] for a loaded request. A conflict has no corrections.
func Explain(ctx context.Context, solver *resolver.Resolver, req resolver.Request, bundle string) (*Explanation, error) {
	ref := parseRef(req, bundle)
	out, err := explain(ctx, solver, req, ref)
	if err == nil && !out.In {
		err = out.findRound(ctx, solver, req, ref)
	}
	if err == nil && !out.In && out.Reached == 0 {
		err = out.findHold(ctx, solver, req, ref)
	}
	return out, err
}

// findRound finds the round of the upgrade path that selects a bundle. A path that ends in a
// conflict or exceeds its limit is searched up to its end. The error is that of the context.
func (e *Explanation) findRound(ctx context.Context, solver *resolver.Resolver, req resolver.Request, bundle resolver.BundleRef) error {
	path, err := solver.Converge(ctx, req, resolver.ConvergeOptions{})
	if stopped := ctx.Err(); stopped != nil {
		return err
	}
	at := slices.IndexFunc(path.Rounds, func(sol *resolver.Solution) bool {
		return slices.ContainsFunc(sol.Steps, func(st resolver.Step) bool {
			return st.Bundle == bundle.Name && (bundle.Catalog.IsZero() || st.Catalog == bundle.Catalog)
		})
	})
	if at < 0 {
		return nil
	}
	e.Reached, e.Conflict, e.Better = at+1, nil, nil
	var b strings.Builder
	fmt.Fprintf(&b, "%s is not in the next result. The upgrade path reaches it in round %d:\n", text.Inert(bundle.Name), e.Reached)
	for i, sol := range path.Rounds[:e.Reached] {
		var done []string
		for _, st := range sol.Steps {
			switch st.Action {
			case resolver.Upgrade, resolver.Downgrade:
				done = append(done, fmt.Sprintf("%s %s to %s", st.Action, strings.Join(st.Replaces, ", "), st.Bundle))
			case resolver.Install:
				done = append(done, "install "+st.Bundle)
			}
		}
		fmt.Fprintf(&b, "- round %d: %s\n", i+1, text.Inert(strings.Join(done, "; ")))
	}
	e.text = b.String()
	return nil
}

// findHold finds out whether a hold excludes a bundle: without the hold, the bundle is selected
// or reachable.
func (e *Explanation) findHold(ctx context.Context, solver *resolver.Resolver, req resolver.Request, bundle resolver.BundleRef) error {
	for i := range req.Subscriptions {
		s := &req.Subscriptions[i]
		offers := false
		for _, pkg := range req.Packages(bundle.Catalog, s.Package) {
			offers = offers || pkg.Bundle(bundle.Name) != nil
		}
		if s.Hold == "" || s.InstalledCSV == "" || !offers {
			continue
		}
		free, err := req.Apply(resolver.ReleaseHold{Subscription: s.Name})
		if err != nil {
			return err
		}
		other, err := explain(ctx, solver, free, bundle)
		var conflict *resolver.Conflict
		if errors.As(err, &conflict) {
			continue
		}
		if err == nil && !other.In {
			err = other.findRound(ctx, solver, free, bundle)
		}
		if err != nil {
			return err
		}
		if other.In || other.Reached > 0 {
			rule := fmt.Sprintf("because subscription %s is on hold: %s", s.Name, s.Hold)
			e.Conflict, e.Better = nil, &Better{Bundle: s.InstalledCSV, Rule: rule}
			without := "it would be in the result"
			if !other.In {
				without = fmt.Sprintf("the upgrade path reaches it in round %d", other.Reached)
			}
			e.text = fmt.Sprintf("%s is not in the result: %s stays, %s. Without the hold %s.\n", text.Inert(bundle.Name), text.Inert(s.InstalledCSV), text.Inert(rule), without)
			return nil
		}
	}
	return nil
}

func explain(ctx context.Context, solver *resolver.Resolver, req resolver.Request, bundle resolver.BundleRef) (*Explanation, error) {
	admitted, unresolved, err := admit(ctx, solver, req)
	if err != nil {
		return nil, err
	}
	session, err := solver.Session(ctx, admitted)
	if err != nil {
		return nil, err
	}
	why, err := session.WhyNot(ctx, bundle)
	if err != nil {
		return nil, err
	}
	out := &Explanation{Bundle: why.Bundle.Name, In: why.In, Chain: why.Chain, Conflict: why.Conflict, text: why.Text()}
	if why.In || why.Conflict != nil {
		return out, nil
	}
	if u := excludedDemand(req, unresolved, why.Bundle); u != nil && why.Better == (resolver.BundleRef{}) {
		out.Conflict = u.Conflict
		out.text = fmt.Sprintf("%s is not in the result: its subscription is unresolved.\n%s", text.Inert(why.Bundle.Name), u.Conflict.Text())
		return out, nil
	}
	out.Better = &Better{Bundle: why.Better.Name, Rule: why.Rule}
	return out, nil
}

// admit returns the request without the subscriptions that policy Partial excludes, and these
// subscriptions.
func admit(ctx context.Context, solver *resolver.Resolver, req resolver.Request) (resolver.Request, []resolver.Unresolved, error) {
	if req.Policy.Failures != resolver.FailuresPartial {
		return req, nil, nil
	}
	sol, err := solver.Resolve(ctx, req)
	if err != nil {
		return req, nil, err
	}
	var changes []resolver.Change
	for _, u := range sol.Unresolved {
		if u.Subscription != "" {
			changes = append(changes, resolver.DropSubscription{Subscription: u.Subscription})
		}
	}
	admitted, err := req.Apply(changes...)
	return admitted, sol.Unresolved, err
}

// excludedDemand returns the first excluded subscription that demands the package of a bundle.
func excludedDemand(req resolver.Request, unresolved []resolver.Unresolved, bundle resolver.BundleRef) *resolver.Unresolved {
	for i := range unresolved {
		at := slices.IndexFunc(req.Subscriptions, func(s resolver.Subscription) bool { return s.Name == unresolved[i].Subscription })
		if at < 0 || bundle.Catalog.IsZero() {
			continue
		}
		for _, pkg := range req.Packages(bundle.Catalog, req.Subscriptions[at].Package) {
			if pkg.Bundle(bundle.Name) != nil {
				return &unresolved[i]
			}
		}
	}
	return nil
}

// parseRef parses the name of a bundle, optionally with a catalog of the request and a colon
// before it.
func parseRef(req resolver.Request, bundle string) resolver.BundleRef {
	for _, c := range req.Catalogs {
		if name, ok := strings.CutPrefix(bundle, c.Key.String()+":"); ok && name != "" {
			return resolver.BundleRef{Catalog: c.Key, Name: name}
		}
	}
	return resolver.BundleRef{Name: bundle}
}
