package lazy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lazy"
)

// counting counts the requests to a provider, and checks that none is repeated.
type counting struct {
	lazy.Provider
	mu       sync.Mutex
	versions map[lazy.Ref]bool
	batches  [][]lazy.Ref
	twice    []string
}

func (c *counting) Details(ctx context.Context, refs []lazy.Ref) ([]lazy.Details, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, ref := range refs {
		if c.versions[ref] {
			c.twice = append(c.twice, ref.Name)
		}
		if c.versions == nil {
			c.versions = make(map[lazy.Ref]bool)
		}
		c.versions[ref] = true
	}
	c.batches = append(c.batches, slices.Clone(refs))
	return c.Provider.Details(ctx, refs)
}

// answer renders an answer without statistics.
func answer(sol *resolver.Solution, err error) string {
	var conflict *resolver.Conflict
	switch {
	case errors.As(err, &conflict):
		data, _ := json.Marshal(conflict)
		return "conflict " + string(data)
	case err != nil:
		return "error " + err.Error()
	}
	own := *sol
	own.Stats = resolver.Stats{}
	data, err := json.Marshal(own)
	return fmt.Sprint(string(data), err)
}

// hiding hides the contents of versions.
type hiding struct {
	lazy.Provider
	hidden map[lazy.Ref]bool
}

func (h hiding) Details(ctx context.Context, refs []lazy.Ref) ([]lazy.Details, error) {
	out, err := h.Provider.Details(ctx, refs)
	for i, ref := range refs {
		if h.hidden[ref] {
			out[i] = lazy.Details{}
		}
	}
	return out, err
}

// split makes lazy catalogs of those of a request. wrap makes a provider of one.
func split(req resolver.Request, wrap func(lazy.Provider) lazy.Provider) (resolver.Request, []lazy.Catalog) {
	var whole []resolver.Catalog
	var catalogs []lazy.Catalog
	for _, c := range req.Catalogs {
		if c.Unavailable != nil || c.Content == nil {
			whole = append(whole, c)
			continue
		}
		catalogs = append(catalogs, lazy.Catalog{Key: c.Key, Priority: c.Priority, Labels: c.Labels, Provider: wrap(lazy.FromCatalog(c.Content))})
	}
	req.Catalogs = whole
	return req, catalogs
}

// resolve resolves a request with lazy catalogs, and returns what was asked for.
func resolve(t *testing.T, r *resolver.Resolver, req resolver.Request) (*lazy.Session, resolver.Request, []*counting, *resolver.Solution, error) {
	var counts []*counting
	partial, catalogs := split(req, func(p lazy.Provider) lazy.Provider {
		counts = append(counts, &counting{Provider: p})
		return counts[len(counts)-1]
	})
	s := lazy.NewSession(r, catalogs...)
	sol, err := s.Resolve(t.Context(), partial)
	return s, partial, counts, sol, err
}

// TestPropertyLazy: a lazy answer is that of whole catalogs byte for byte, conflicts excepted, and
// after [lazy.Session.Complete] those too.
func TestPropertyLazy(t *testing.T) {
	r, c := resolver.New(), draw.NewConverter()
	first := int(testkit.Must(seed.Seed())(t))
	conflicts, alike := 0, 0
	for i := range testkit.Times(1000, 4000) {
		p := draw.Problem().Example(first + i)
		req := c.Request(p)
		want := answer(r.Resolve(t.Context(), req))
		s, partial, counts, sol, err := resolve(t, r, req)
		got := answer(sol, err)
		for _, c := range counts {
			require.Empty(t, c.twice)
		}
		explained := err != nil || len(sol.Unresolved) > 0
		if explained {
			conflicts++
		}
		if got == want {
			if explained {
				alike++
			}
			continue
		}
		require.True(t, explained, "problem %d: %s\n got %s\nwant %s", first+i, p.Scenario(), got, want)
		require.Equal(t, strings.HasPrefix(want, "conflict"), strings.HasPrefix(got, "conflict"), "problem %d: %s\n got %s\nwant %s", first+i, p.Scenario(), got, want)
		require.NoError(t, s.Complete(t.Context(), partial))
		require.Equal(t, want, answer(s.Resolve(t.Context(), partial)), "problem %d: %s", first+i, p.Scenario())
	}
	t.Logf("%d of %d conflicts are those of whole catalogs", alike, conflicts)
	require.Greater(t, 10*alike, 8*conflicts)
}

// TestPropertyFewReads: solutions of drawn problems ask for at most 1.2 times the versions that they
// need, in fewer batches.
func TestPropertyFewReads(t *testing.T) {
	r, c := resolver.New(), draw.NewConverter()
	first := int(testkit.Must(seed.Seed())(t))
	asked, needed, batches, all := 0, 0, 0, 0
	for i := range testkit.Times(300, 1000) {
		req := c.Request(draw.Problem().Example(first + i))
		_, _, counts, sol, err := resolve(t, r, req)
		if err != nil || len(sol.Unresolved) > 0 {
			continue
		}
		a, n := need(t, r, req, answer(sol, err), counts)
		asked, needed = asked+a, needed+n
		for _, c := range counts {
			batches += len(c.batches)
		}
		for _, c := range req.Catalogs {
			all += c.Content.Len()
		}
	}
	t.Logf("asked for %d of %d versions in %d batches; %d are needed", asked, all, batches, needed)
	require.Greater(t, needed, 0)
	require.LessOrEqual(t, 10*asked, 12*needed)
	require.Less(t, batches, asked)
}

// need returns how many versions were asked for, and without how many of them the answer would have
// been another one: without the others the problem is a relaxation with the same answer.
func need(t *testing.T, r *resolver.Resolver, req resolver.Request, want string, counts []*counting) (asked, needed int) {
	hidden := make([]map[lazy.Ref]bool, len(counts))
	for i, c := range counts {
		hidden[i] = make(map[lazy.Ref]bool)
		for _, batch := range c.batches {
			for _, ref := range batch {
				asked++
				hidden[i][ref] = true
				at := 0
				partial, catalogs := split(req, func(p lazy.Provider) lazy.Provider {
					at++
					return hiding{p, hidden[at-1]}
				})
				sol, err := lazy.NewSession(r, catalogs...).Resolve(t.Context(), partial)
				same := answer(sol, err) == want
				if sol != nil {
					for _, step := range sol.Steps {
						for at, c := range catalogs {
							same = same && !(hidden[at][lazy.Ref{Package: step.Package, Name: step.Bundle}] && (step.Catalog == c.Key || step.KeptFrom == c.Key))
						}
					}
				}
				if !same {
					needed++
					delete(hidden[i], ref)
				}
			}
		}
	}
	return asked, needed
}
