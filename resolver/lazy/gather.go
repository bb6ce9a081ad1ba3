package lazy

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// gather lists the packages, asks the queries and reads the versions that a problem refers to, until
// there are no more.
func (s *Session) gather(ctx context.Context, n *needs) error {
	for {
		err := s.each(ctx, func(ctx context.Context, k *known, asked *Asked) error { return k.gather(ctx, n, asked) })
		if err != nil {
			return err
		}
		batch := s.required(n)
		if len(batch) == 0 {
			return nil
		}
		if err := s.read(ctx, batch, n); err != nil {
			return err
		}
	}
}

// read reads versions and adds what they refer to.
func (s *Session) read(ctx context.Context, batch []version, n *needs) error {
	err := s.each(ctx, func(ctx context.Context, k *known, asked *Asked) error {
		var refs []Ref
		for _, v := range batch {
			if v.of == k {
				refs = append(refs, v.ref)
			}
		}
		if len(refs) == 0 {
			return nil
		}
		asked.Calls, asked.Versions = asked.Calls+1, asked.Versions+len(refs)
		details, err := call(ctx, &k.Catalog, len(refs), refs[0], func(ctx context.Context) ([]Details, error) {
			return k.Provider.Details(ctx, slices.Clone(refs))
		})
		for i := range details {
			k.add(refs[i], &details[i])
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, v := range batch {
		n.requireAll(v.of.packages[v.ref.Package].built.Bundle(v.ref.Name).Constraints)
	}
	return nil
}

// each calls do for all catalogs at once, each with counts of its own. The error is the first by
// catalog, or that of the context.
func (s *Session) each(ctx context.Context, do func(context.Context, *known, *Asked) error) error {
	if err := ctx.Err(); err != nil {
		return &resolver.IncompleteError{Limit: resolver.LimitContext, Err: err}
	}
	errs, asked := make([]error, len(s.catalogs)), make([]Asked, len(s.catalogs))
	var wg sync.WaitGroup
	for i, k := range s.catalogs {
		if i == len(s.catalogs)-1 { // the last one needs no goroutine
			errs[i] = do(ctx, k, &asked[i])
			continue
		}
		wg.Go(func() { errs[i] = do(ctx, k, &asked[i]) })
	}
	wg.Wait()
	for _, a := range asked {
		s.asked.Packages, s.asked.Versions = s.asked.Packages+a.Packages, s.asked.Versions+a.Versions
		s.asked.Queries, s.asked.Calls = s.asked.Queries+a.Queries, s.asked.Calls+a.Calls
	}
	return cmp.Or(errs...)
}

// required lists the versions that have to be read before a round: those that are installed.
func (s *Session) required(n *needs) []version {
	var out []version
	seen := make(map[version]bool)
	add := func(k *known, ref Ref) {
		if v := (version{k, ref}); !seen[v] && k.unread(ref) != nil {
			seen[v] = true
			out = append(out, v)
		}
	}
	for _, k := range s.catalogs {
		for _, in := range n.installed {
			switch {
			case !in.catalog.IsZero() && in.catalog != k.Key:
			case in.pkg != "":
				add(k, Ref{in.pkg, in.name})
			default:
				for _, ref := range k.named(in.name) {
					add(k, ref)
				}
			}
		}
	}
	return out
}

// gather lists the packages and asks the queries that are not known yet.
func (k *known) gather(ctx context.Context, n *needs, asked *Asked) error {
	var names []string
	for _, need := range n.packages {
		if need.catalog.IsZero() || need.catalog == k.Key {
			names = append(names, need.name)
		}
	}
	changed, err := k.list(ctx, names, asked)
	if err != nil {
		return err
	}
	more, err := k.find(ctx, n.queries, asked)
	if err != nil {
		return err
	}
	if !changed && !more {
		return nil
	}
	for _, need := range n.queries {
		for _, ref := range k.answers[need.key] {
			k.provide(ref, k.fact(need))
		}
	}
	return nil
}

// fact returns the property that versions have which answer a query; nil for none.
func (k *known) fact(need queryNeed) *properties.Property {
	p, ok := k.provided[need.key]
	if ok {
		return p
	}
	switch q := need.query.(type) {
	case ByAPI:
		p = propertyOf(properties.TypeGVK, q.API)
	case ByLabel:
		p = propertyOf(properties.TypeLabel, map[string]string{"label": q.Label})
	case ByRule:
		p = propertyOf(problem.TypeMayMatch, q.Rule.Key())
	}
	k.provided[need.key] = p
	return p
}

// list lists those of the packages that are not known yet, and reports whether there were any.
func (k *known) list(ctx context.Context, names []string, asked *Asked) (bool, error) {
	var missing []string
	for _, name := range names {
		if _, ok := k.packages[name]; !ok && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return false, nil
	}
	asked.Calls, asked.Packages = asked.Calls+1, asked.Packages+len(missing)
	list, err := call(ctx, &k.Catalog, len(missing), Ref{Package: missing[0]}, func(ctx context.Context) ([]*Package, error) {
		return k.Provider.Packages(ctx, slices.Clone(missing))
	})
	if err != nil {
		return false, err
	}
	built := make([]*pkg, len(list))
	for i, of := range list {
		if of == nil {
			continue
		}
		if built[i], err = k.newPackage(missing[i], of); err != nil {
			return false, err
		}
	}
	k.content = nil
	for i, name := range missing {
		k.packages[name] = built[i]
	}
	return true, nil
}

// find asks those of the queries that were not asked yet, lists the packages of the answers, and
// reports whether there were any.
func (k *known) find(ctx context.Context, queries []queryNeed, asked *Asked) (bool, error) {
	var missing []queryNeed
	for _, need := range queries {
		if _, ok := k.answers[need.key]; !ok && (need.catalog.IsZero() || need.catalog == k.Key) &&
			!slices.ContainsFunc(missing, func(m queryNeed) bool { return m.key == need.key }) {
			missing = append(missing, need)
		}
	}
	if len(missing) == 0 {
		return false, nil
	}
	asked.Calls, asked.Queries = asked.Calls+1, asked.Queries+len(missing)
	answers, err := call(ctx, &k.Catalog, len(missing), Ref{}, func(ctx context.Context) ([][]Ref, error) {
		list := make([]Query, len(missing))
		for i, m := range missing {
			list[i] = m.query
		}
		return k.Provider.Find(ctx, list)
	})
	if err != nil {
		return false, err
	}
	var names []string
	for _, refs := range answers {
		for _, ref := range refs {
			names = append(names, ref.Package)
		}
	}
	slices.SortFunc(names, strings.Compare)
	if _, err := k.list(ctx, slices.Compact(names), asked); err != nil {
		return false, err
	}
	for i, refs := range answers {
		for _, ref := range refs {
			if p := k.packages[ref.Package]; p == nil || p.built.Bundle(ref.Name) == nil {
				return false, k.wrong(ref.Package, ref.Name, "the provider found it, and does not list it")
			}
		}
		k.answers[missing[i].key] = slices.Clone(refs)
	}
	return true, nil
}
