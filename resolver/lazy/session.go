package lazy

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Catalog is a catalog of a [Session].
type Catalog struct {
	// Key, Priority and Labels are as in [resolver.Catalog].
	Key      cache.Key
	Priority int
	Labels   map[string]string
	// Provider provides its contents.
	Provider Provider
	// PackageName checks the names of packages: see [graph.Options]. Nil accepts all names.
	PackageName func(string) error
	// Timeout bounds each call of the provider; 0 means no bound but the context.
	Timeout time.Duration
}

// Session resolves requests and keeps what it learned from its providers. Its memory grows with
// that. It is not safe for concurrent use. It has nothing to close.
type Session struct {
	r        *resolver.Resolver
	parser   *constraints.Parser
	catalogs []*known
	asked    Asked
}

// Asked counts what a session asked its providers for, failed calls included.
type Asked struct {
	// Packages, Versions and Queries count the items of Packages, Details and Find.
	Packages, Versions, Queries int
	// Calls counts the calls of all methods.
	Calls int
}

// NewSession returns a session that resolves with r, nil for a resolver with default settings.
func NewSession(r *resolver.Resolver, catalogs ...Catalog) *Session {
	if r == nil {
		r = resolver.New()
	}
	s := &Session{r: r, parser: constraints.NewParser()}
	for _, c := range catalogs {
		k := &known{Catalog: c, packages: make(map[string]*pkg), answered: make(map[string]bool)}
		k.options = graph.Options{Catalog: c.Key.String(), Parser: s.parser, PackageName: c.PackageName, Terms: r.Terms()}
		if c.PackageName == nil {
			k.options.PackageName = func(string) error { return nil }
		}
		s.catalogs = append(s.catalogs, k)
	}
	return s
}

// Asked returns the counts so far.
func (s *Session) Asked() Asked { return s.asked }

// Resolve returns the best result set of a request (section 6 of the semantics) whose catalogs are
// those of the session and, read as a whole, those of the request. It equals that of
// [resolver.Resolver.Resolve] for whole catalogs, except that Stats counts less. The error is as
// there, or a [*ProviderError].
func (s *Session) Resolve(ctx context.Context, req resolver.Request) (*resolver.Solution, error) {
	return Do(ctx, s, req, func(ctx context.Context, r *resolver.Resolver, req resolver.Request) (*resolver.Solution, error) {
		return r.Resolve(ctx, req)
	})
}

// Load resolves a request and returns it with catalogs of what the answer needs, for functions that
// take a request: [resolver.Resolver.Resolve], certificates, drawings. The versions in them that
// were not read have no contents; an answer to another request may depend on that. The error is
// that of [Session.Resolve]; if it is a [*resolver.Conflict], the request is returned as well.
func (s *Session) Load(ctx context.Context, req resolver.Request) (resolver.Request, error) {
	_, err := s.Resolve(ctx, req)
	defer s.share()
	return s.request(req), err
}

// Do calls f until it finds no solution with a version that was not read, and returns the result of
// the last call. It makes any function of a resolver and a request lazy: corrections, explanations,
// upgrade paths. f must use the resolver and the request that it is given, and only change the
// request by what that reaches: a package that nothing in the request refers to does not exist
// in its catalogs. The error is that of f, or a [*ProviderError], which is in a
// [*resolver.IncompleteError] if the context ended.
func Do[T any](ctx context.Context, s *Session, req resolver.Request, f func(context.Context, *resolver.Resolver, resolver.Request) (T, error)) (T, error) {
	var none T
	n, follow := s.needs(&req), s.foreseeable(&req)
	if err := s.gather(ctx, n); err != nil {
		return none, err
	}
	var ahead *foresight
	var batch []version
	if follow {
		ahead, batch = s.foresee(&req)
	}
	for {
		for ahead != nil && len(batch) > 0 {
			if err := s.read(ctx, batch, n); err != nil {
				return none, err
			}
			var ok bool
			if batch, ok = ahead.next(batch); !ok {
				ahead = nil
			}
		}
		var found solutions
		out, err := f(ctx, s.r.With(resolver.WithHooks(trace.Hooks{Resolution: found.record})), s.request(req))
		batch = s.unreadIn(&req, n, found.list)
		if len(batch) == 0 || ctx.Err() != nil {
			s.share()
			return out, err
		}
		if ahead = nil; follow && !n.compounds {
			ahead = s.after(found.list)
		}
		if ahead == nil {
			if err := s.read(ctx, batch, n); err != nil {
				return none, err
			}
		}
	}
}

// needs returns what a request and the versions that were read refer to.
func (s *Session) needs(req *resolver.Request) *needs {
	n := needsOf(req, s.parser)
	for _, k := range s.catalogs {
		for _, name := range slices.Sorted(maps.Keys(k.packages)) {
			if p := k.packages[name]; p != nil {
				for _, b := range p.built.Bundles {
					n.requireAll(b.Constraints)
				}
			}
		}
	}
	return n
}

// solutions records the solutions that a resolver finds.
type solutions struct {
	mu   sync.Mutex
	list []*resolver.Solution
}

func (s *solutions) record(ctx context.Context, e trace.Event) context.Context {
	if e.Ended != nil {
		if sol, ok := e.Ended.Solution.(*resolver.Solution); ok && sol != nil {
			s.mu.Lock()
			s.list = append(s.list, sol)
			s.mu.Unlock()
		}
	}
	return ctx
}

// request returns a request with catalogs of what is known.
func (s *Session) request(req resolver.Request) resolver.Request {
	req.Catalogs = slices.Clip(req.Catalogs)
	for _, k := range s.catalogs {
		req.Catalogs = append(req.Catalogs, resolver.Catalog{Key: k.Key, Priority: k.Priority, Labels: k.Labels, Content: k.catalog()})
	}
	return req
}

// share keeps what a caller may have from being changed.
func (s *Session) share() {
	for _, k := range s.catalogs {
		k.share()
	}
}

// version is a version of a catalog.
type version struct {
	of  *known
	ref Ref
}

// unreadIn lists the versions that solutions have and that were not read, and those that they passed
// over if these may be none of the candidates.
func (s *Session) unreadIn(req *resolver.Request, n *needs, all []*resolver.Solution) []version {
	var out []version
	seen := make(map[version]bool)
	add := func(k *known, ref Ref) {
		if v := (version{k, ref}); k.unread(ref) != nil && !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	for _, sol := range all {
		for i := range sol.Steps {
			step := &sol.Steps[i]
			from := step.Catalog
			if step.Action == resolver.Keep {
				if !step.KeptFrom.IsZero() {
					from = step.KeptFrom
				}
				if knows(req, step.Bundle) {
					continue
				}
			}
			for _, k := range s.catalogs {
				if k.Key == from {
					add(k, Ref{step.Package, step.Bundle})
				}
			}
		}
	}
	for _, sol := range all {
		for i := range sol.Steps {
			for _, over := range sol.Steps[i].PassedOver {
				for _, k := range s.catalogs {
					if n.rules && k.Key == over.Catalog {
						for _, ref := range k.named(over.Name) {
							add(k, ref)
						}
					}
				}
			}
		}
		for _, w := range sol.Warnings {
			for _, k := range s.catalogs {
				if w.Code != "" { // it names the versions between
					for _, ref := range k.versions(w.Package) {
						add(k, ref)
					}
				}
			}
		}
	}
	return out
}

// knows reports whether the answer about an installed bundle that stays needs nothing of a catalog: its
// properties are given, and compatibility with the cluster is not checked.
func knows(req *resolver.Request, name string) bool {
	c := &req.Cluster
	checked := req.OperatorGroup != nil || c.KubernetesVersion != "" || c.OpenShiftVersion != "" || len(c.APIs)+len(c.CRDs) > 0
	return !checked && slices.ContainsFunc(req.Installed, func(in resolver.Installed) bool { return in.Name == name && in.Properties != nil })
}

// Complete reads all versions of the packages that a request reaches. After that the session answers
// the request, and others about these packages, as whole catalogs do, conflicts included.
func (s *Session) Complete(ctx context.Context, req resolver.Request) error {
	return s.complete(ctx, s.needs(&req))
}

func (s *Session) complete(ctx context.Context, n *needs) error {
	if err := s.gather(ctx, n); err != nil {
		return err
	}
	for {
		var batch []version
		for _, k := range s.catalogs {
			for _, of := range slices.Sorted(maps.Keys(k.packages)) {
				for _, ref := range k.versions(of) {
					if k.unread(ref) != nil {
						batch = append(batch, version{k, ref})
					}
				}
			}
		}
		if len(batch) == 0 {
			return nil
		}
		if err := s.read(ctx, batch, n); err != nil {
			return err
		}
	}
}
