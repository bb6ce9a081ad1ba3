package lock

import (
	"context"
	"errors"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// StaleError means that the locked bundles are not valid for a request any more.
type StaleError struct {
	// Subject names the bundle, the subscription or the package that it is about.
	Subject string
	// Reason says why.
	Reason string
	// Conflict explains it, if there is one.
	Conflict *resolver.Conflict
}

// Error says why the locked answer is no longer valid.
func (e *StaleError) Error() string { return "the locked answer is not valid any more: " + e.Reason }

// Unwrap returns the conflict.
func (e *StaleError) Unwrap() error {
	if e.Conflict == nil {
		return nil
	}
	return e.Conflict
}

// locked is the identity of a bundle of a catalog.
type locked struct{ catalog, pkg, name string }

// Resolve returns the locked answer as a solution of a request, also if it is not the best one
// any more. The error is a [*StaleError] if it is not valid, or that of
// [resolver.Resolver.Resolve].
func (l *Lock) Resolve(ctx context.Context, r *resolver.Resolver, q resolver.Request) (*resolver.Solution, error) {
	if err := l.validate(); err != nil {
		return nil, err
	}
	if gone := l.altered(&q); len(gone) > 0 {
		return nil, &StaleError{Subject: gone[0].Subject, Reason: gone[0].Text}
	}
	only := q
	only.Veto = l.veto(q.Veto)
	sol, err := r.Resolve(ctx, only)
	if err == nil && l.same(sol) {
		return sol, nil
	}
	var conflict *resolver.Conflict
	if err != nil && !errors.As(err, &conflict) {
		return nil, err
	}
	// The request may prefer less than what is locked.
	only.Force = l.force(&q)
	sol, err = r.Resolve(ctx, only)
	switch {
	case err != nil && !errors.As(err, &conflict):
		return nil, err
	case err != nil:
		return nil, l.why(ctx, r, q)
	}
	if name := unneeded(sol); name != "" {
		return nil, &StaleError{Subject: name, Reason: "nothing requires " + text.Inert(name)}
	}
	if !l.same(sol) {
		return nil, l.beside(sol)
	}
	return sol, nil
}

// force lists the locked bundles as bundles that a request requires.
func (l *Lock) force(q *resolver.Request) []resolver.BundleRef {
	list, installed := slices.Clone(q.Force), installedIn(q)
	for _, b := range l.Bundles {
		ref := resolver.BundleRef{Name: b.Name}
		if !b.Installed && !installed[b.Name] {
			ref.Catalog, _ = cache.ParseKey(b.Catalog) // the zero key means any catalog
		}
		list = append(list, ref)
	}
	return list
}

// why returns why the locked bundles alone are not valid: they cannot be, or others have to be
// there too.
func (l *Lock) why(ctx context.Context, r *resolver.Resolver, q resolver.Request) error {
	q.Force = l.force(&q)
	sol, err := r.Resolve(ctx, q)
	var conflict *resolver.Conflict
	switch {
	case errors.As(err, &conflict):
		subject, locked := conflict.Facts[0].Subject, l.names()
		for _, f := range conflict.Facts {
			if locked[f.Subject] {
				subject = f.Subject
			}
		}
		return &StaleError{Subject: subject, Reason: text.Inert(conflict.Error()), Conflict: conflict}
	case err != nil:
		return err
	}
	return l.beside(sol)
}

// beside returns that a solution has a bundle that is not locked.
func (l *Lock) beside(sol *resolver.Solution) error {
	locked := l.names()
	for _, s := range sol.Steps {
		if !locked[s.Bundle] {
			return &StaleError{Subject: s.Bundle, Reason: text.Inert(s.Bundle) + " is needed as well, and is not locked"}
		}
	}
	return &StaleError{Subject: l.Bundles[0].Name, Reason: "its bundles come from other catalogs now"}
}

// names returns the names of the locked bundles.
func (l *Lock) names() map[string]bool {
	names := make(map[string]bool, len(l.Bundles))
	for _, b := range l.Bundles {
		names[b.Name] = true
	}
	return names
}

// vetoFunc is the type of the veto of a request.
type vetoFunc = func(context.Context, cache.Key, *graph.Bundle) (string, error)

// veto forbids all bundles that are not locked, beside those that another veto forbids.
func (l *Lock) veto(also vetoFunc) vetoFunc {
	set := make(map[locked]bool)
	for _, b := range l.Bundles {
		set[locked{b.Catalog, b.Package, b.Name}] = true
	}
	return func(ctx context.Context, catalog cache.Key, b *graph.Bundle) (string, error) {
		if !set[locked{catalog.String(), b.Package, b.Name}] {
			return "it is not locked", nil
		}
		if also != nil {
			return also(ctx, catalog, b)
		}
		return "", nil
	}
}

// unneeded returns a bundle of a solution that only being forced keeps in it; empty if there is
// none.
func unneeded(sol *resolver.Solution) string {
	needs := make(map[string][]string) // by the bundle that requires them
	needed := make(map[string]bool)
	var pending []string
	add := func(name string) {
		if !needed[name] {
			needed[name], pending = true, append(pending, name)
		}
	}
	for _, s := range sol.Steps {
		for _, r := range s.Because {
			if r.Subscription != "" || r.Installed {
				add(s.Bundle)
			} else if r.Bundle != "" {
				needs[r.Bundle] = append(needs[r.Bundle], s.Bundle)
			}
		}
	}
	for len(pending) > 0 {
		name := pending[0]
		pending = pending[1:]
		for _, other := range needs[name] {
			add(other)
		}
	}
	for _, s := range sol.Steps {
		if !needed[s.Bundle] {
			return s.Bundle
		}
	}
	return ""
}
