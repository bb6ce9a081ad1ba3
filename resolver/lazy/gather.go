package lazy

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// gather lists the packages, asks the queries and reads the installed versions that a problem refers
// to, until there are no more.
func (s *Session) gather(ctx context.Context, n *needs) error {
	for {
		err := s.each(ctx, func(ctx context.Context, k *known, asked *Asked) error { return k.gather(ctx, n, asked) })
		if err != nil {
			return err
		}
		batch := s.installed(n)
		if len(batch) == 0 {
			return nil
		}
		if err := s.fetch(ctx, batch, n); err != nil {
			return err
		}
	}
}

// read reads versions and gathers what they refer to.
func (s *Session) read(ctx context.Context, batch []version, n *needs) error {
	if err := s.fetch(ctx, batch, n); err != nil {
		return err
	}
	return s.gather(ctx, n)
}

// fetch reads versions and adds what they refer to.
func (s *Session) fetch(ctx context.Context, batch []version, n *needs) error {
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
// catalog; after the end of the context it is in a [*resolver.IncompleteError].
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
	err := cmp.Or(errs...)
	if err != nil && ctx.Err() != nil {
		return &resolver.IncompleteError{Limit: resolver.LimitContext, Err: err}
	}
	return err
}

// installed lists the installed versions that were not read, once.
func (s *Session) installed(n *needs) []version {
	var out []version
	for _, k := range s.catalogs {
		for _, in := range n.installed {
			refs := []Ref{{in.pkg, in.name}}
			if in.pkg == "" {
				refs = k.named(in.name)
			}
			for _, ref := range refs {
				if v := (version{k, ref}); k.unread(ref) != nil && (in.catalog.IsZero() || in.catalog == k.Key) && !slices.Contains(out, v) {
					out = append(out, v)
				}
			}
		}
	}
	n.installed = nil
	return out
}

// gather lists the packages and asks the queries that are not known yet.
func (k *known) gather(ctx context.Context, n *needs, asked *Asked) error {
	if k.needs != n {
		k.needs, k.listed, k.queried = n, 0, 0
	}
	var names []string
	for _, need := range n.packages[k.listed:] {
		if need.catalog.IsZero() || need.catalog == k.Key {
			names = append(names, need.name)
		}
	}
	if err := k.list(ctx, names, asked); err != nil {
		return err
	}
	if err := k.find(ctx, n.queries[k.queried:], asked); err != nil {
		return err
	}
	k.listed, k.queried = len(n.packages), len(n.queries)
	return nil
}

// factOf returns the property that versions have which answer a query; nil for none.
func factOf(q Query) *properties.Property {
	switch q := q.(type) {
	case ByAPI:
		return propertyOf(properties.TypeGVK, q.API)
	case ByLabel:
		return labelOf(q.Label)
	case ByRule:
		return propertyOf(graph.TypeMayMatch, q.Rule.Key())
	}
	return nil
}

// list lists those of the packages that are not known yet.
func (k *known) list(ctx context.Context, names []string, asked *Asked) error {
	var missing []string
	seen := make(map[string]bool)
	for _, name := range names {
		if _, ok := k.packages[name]; !ok && !seen[name] {
			seen[name] = true
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	asked.Calls, asked.Packages = asked.Calls+1, asked.Packages+len(missing)
	list, err := call(ctx, &k.Catalog, len(missing), Ref{Package: missing[0]}, func(ctx context.Context) ([]*Package, error) {
		return k.Provider.Packages(ctx, slices.Clone(missing))
	})
	if err != nil {
		return err
	}
	built := make([]*pkg, len(list))
	for i, of := range list {
		if of == nil {
			continue
		}
		if built[i], err = k.newPackage(missing[i], of); err != nil {
			return err
		}
	}
	k.content = nil
	for i, name := range missing {
		k.packages[name] = built[i]
	}
	return nil
}

// find asks those of the queries that were not asked yet, and lists the packages of the answers.
func (k *known) find(ctx context.Context, queries []queryNeed, asked *Asked) error {
	var missing []queryNeed
	seen := make(map[string]bool)
	for _, need := range queries {
		if !k.answered[need.key] && !seen[need.key] && (need.catalog.IsZero() || need.catalog == k.Key) {
			seen[need.key] = true
			missing = append(missing, need)
		}
	}
	if len(missing) == 0 {
		return nil
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
		return err
	}
	var names []string
	for _, refs := range answers {
		for _, ref := range refs {
			names = append(names, ref.Package)
		}
	}
	slices.Sort(names)
	if err := k.list(ctx, slices.Compact(names), asked); err != nil {
		return err
	}
	for _, refs := range answers {
		for _, ref := range refs {
			if p := k.packages[ref.Package]; p == nil || p.built.Bundle(ref.Name) == nil {
				return k.wrong(ref.Package, ref.Name, "the provider found it, and does not list it")
			}
		}
	}
	for i, refs := range answers {
		k.answered[missing[i].key] = true
		for fact := factOf(missing[i].query); len(refs) > 0; refs = refs[1:] {
			k.provide(refs[0], fact)
		}
	}
	return nil
}
