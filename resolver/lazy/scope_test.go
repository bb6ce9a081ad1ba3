package lazy_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lazy"
)

// inScope returns the subscriptions of a request in a scope.
func inScope(req resolver.Request, scope string) []resolver.Subscription {
	list := slices.Clone(req.Subscriptions)
	for i := range list {
		s := &list[i]
		s.Name, s.Package = lazy.In(scope, s.Name), lazy.In(scope, s.Package)
		if s.StartingCSV != "" {
			s.StartingCSV = lazy.In(scope, s.StartingCSV)
		}
	}
	return list
}

// TestPropertyScopes: scopes that share nothing are independent, so that one resolution of several gives
// each scope what a resolution of its own gives, lazily and with whole catalogs.
func TestPropertyScopes(t *testing.T) {
	r, c := resolver.New(), draw.NewConverter()
	first := int(testkit.Must(seed.Seed())(t))
	scopes := lazy.Scopes{Names: []string{"one", "two"}}
	solved, conflicts := 0, 0
	for i := range testkit.Times(400, 1500) {
		p := draw.Problem().Example(first + i)
		p.Installed, p.Force, p.Forbid, p.Added = nil, nil, nil, nil
		req := c.Request(p)
		req.Policy, req.Forbid, req.Relax, req.Constraints = resolver.Policy{}, nil, nil, nil
		if strings.Contains(p.Scenario(), "cel:") || len(req.Extensions) > 0 {
			continue // rules have no scope
		}
		for i := range req.Subscriptions {
			req.Subscriptions[i].InstalledCSV, req.Subscriptions[i].Pin = "", ""
		}
		sol, err := r.Resolve(t.Context(), req)
		alone := err
		want := []string{}
		if err == nil {
			for _, name := range sol.Set() {
				want = append(want, lazy.In("one", name), lazy.In("two", name))
			}
			slices.Sort(want)
			solved++
		} else {
			conflicts++
		}

		both := req
		both.Subscriptions = slices.Concat(inScope(req, "one"), inScope(req, "two"))
		whole := both
		whole.Catalogs = slices.Clone(req.Catalogs)
		for i := range whole.Catalogs {
			if content := whole.Catalogs[i].Content; content != nil {
				whole.Catalogs[i].Content, err = scopes.Catalog(t.Context(), content)
				require.NoError(t, err)
			}
		}
		partial, catalogs := split(both, func(p lazy.Provider) lazy.Provider { return scopes.Provider(p) })
		for way, resolve := range map[string]func() (*resolver.Solution, error){
			"whole": func() (*resolver.Solution, error) { return r.Resolve(t.Context(), whole) },
			"lazy": func() (*resolver.Solution, error) {
				return lazy.NewSession(r, catalogs...).Resolve(t.Context(), partial)
			},
		} {
			got, err := resolve()
			if sol == nil {
				var conflict *resolver.Conflict
				require.ErrorAs(t, err, &conflict, "problem %d, %s: %s\n%v\n%v", first+i, way, p.Scenario(), alone, got)
				continue
			}
			require.NoError(t, err, "problem %d, %s: %s", first+i, way, p.Scenario())
			require.Equal(t, want, got.Set(), "problem %d, %s: %s", first+i, way, p.Scenario())
		}
	}
	require.Positive(t, solved)
	require.Positive(t, conflicts)
	t.Log(solved, conflicts)
}

// Two components use different versions of a library, and one of a shared package.
func ExampleScopes() {
	r := tiny{
		"web":    {"2.0.0": "lib >=2.0.0, db >=1.0.0"},
		"worker": {"1.0.0": "lib <2.0.0, db <2.0.0"},
		"lib":    {"2.1.0": "", "1.4.0": ""},
		"db":     {"2.0.0": "", "1.5.0": ""},
	}
	scopes := lazy.Scopes{Names: []string{"frontend", "backend"}, Shared: func(pkg string) bool { return pkg == "db" }}
	s := lazy.NewSession(nil, lazy.Catalog{Key: cache.Key{Namespace: "example", Name: "registry"}, Provider: scopes.Provider(r)})
	sol, err := s.Resolve(background, resolver.Request{Subscriptions: []resolver.Subscription{
		{Name: "frontend", Package: lazy.In("frontend", "web")},
		{Name: "backend", Package: lazy.In("backend", "worker")},
	}})
	if conflict := (*resolver.Conflict)(nil); errors.As(err, &conflict) {
		fmt.Println(conflict.Text())
	}
	for _, step := range sol.Steps {
		pkg, scope := scopes.Cut(step.Package)
		fmt.Printf("%s %s %q\n", pkg, step.Version, scope)
	}
	// Output:
	// db 1.5.0 ""
	// lib 1.4.0 "backend"
	// lib 2.1.0 "frontend"
	// web 2.0.0 "frontend"
	// worker 1.0.0 "backend"
}
