package resolver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

// TestPropertyDeterministic resolves each problem again with everything shuffled
// that has no meaning, and from several goroutines at once: every byte of the
// answer is the same.
func TestPropertyDeterministic(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.25, func(p *oracle.Problem) error {
		req := c.request(p)
		want := rendered(r.Resolve(context.Background(), req))
		if got := rendered(resolver.New().Resolve(context.Background(), c.request(shuffled(p)))); got != want {
			return fmt.Errorf("shuffled, the answer is\n%s\ninstead of\n%s", got, want)
		}
		var wg sync.WaitGroup
		answers := make([]string, 3)
		for i := range answers {
			wg.Go(func() { answers[i] = rendered(r.Resolve(context.Background(), req)) })
		}
		wg.Wait()
		for _, got := range answers {
			if got != want {
				return fmt.Errorf("from another goroutine, the answer is\n%s\ninstead of\n%s", got, want)
			}
		}
		return nil
	})
}

// place is where a blob stands, which moves with those before it.
var place = regexp.MustCompile(`blob [0-9]+:[0-9]+`)

// rendered is an answer with everything that can be seen of it.
func rendered(s *resolver.Solution, err error) string {
	var c *resolver.Conflict
	switch {
	case errors.As(err, &c):
		data, err := json.Marshal(c)
		return place.ReplaceAllString(fmt.Sprint(string(data), err, "\n", c.Text()), "a blob")
	case err != nil:
		return err.Error()
	}
	return place.ReplaceAllString(fmt.Sprintf("%+v", *s), "a blob")
}

// shuffled puts catalogs, packages, bundles and channels into another order. What
// is declared twice keeps its place: of those, the first one counts.
func shuffled(p *oracle.Problem) *oracle.Problem {
	p = p.Clone()
	rng := rand.New(rand.NewPCG(1, 2))
	shuffle(rng, p.Catalogs, func(c oracle.Catalog) string { return c.Key.String() })
	for i := range p.Catalogs {
		packages := p.Catalogs[i].Packages
		shuffle(rng, packages, func(p oracle.Package) string { return p.Name })
		for j := range packages {
			shuffle(rng, packages[j].Channels, func(c oracle.Channel) string { return c.Name })
			shuffle(rng, packages[j].Bundles, func(b oracle.Bundle) string { return b.Name })
		}
	}
	return p
}

func shuffle[T any](rng *rand.Rand, list []T, name func(T) string) {
	seen := map[string]bool{}
	for _, x := range list {
		if seen[name(x)] {
			return
		}
		seen[name(x)] = true
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// TestPropertyUnrelatedPackages removes a package that plays no part, and adds
// one: the answer stays the same.
func TestPropertyUnrelatedPackages(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.25, func(p *oracle.Problem) error {
		want := c.outline(r, p)
		if with := withUnused(p); with != nil {
			if d := c.outline(r, with); d != want {
				return fmt.Errorf("with one more package the answer is\n%s\ninstead of\n%s", d, want)
			}
		}
		for i := range p.Catalogs {
			for j := range p.Catalogs[i].Packages {
				unrelated, err := p.Unrelated(i, j)
				if err != nil {
					return err
				}
				without := p.Clone()
				name := without.Catalogs[i].Packages[j].Name
				without.Catalogs[i].Packages = slices.Delete(without.Catalogs[i].Packages, j, j+1)
				if !unrelated {
					continue
				}
				if d := c.outline(r, without); d != want {
					return fmt.Errorf("without package %s the answer is\n%s\ninstead of\n%s", name, d, want)
				}
			}
		}
		return nil
	})
}

// withUnused adds a package that nothing can want to each catalog; nil if a rule
// matches it all the same.
func withUnused(p *oracle.Problem) *oracle.Problem {
	p = p.Clone()
	for i := range p.Catalogs {
		packages := &p.Catalogs[i].Packages
		*packages = append(*packages, oracle.Package{Name: "a-unused", DefaultChannel: "stable",
			Channels: []oracle.Channel{{Name: "stable", Entries: []oracle.Entry{{Name: "a-unused.v1"}}}},
			Bundles:  []oracle.Bundle{{Name: "a-unused.v1", Version: oracle.Version{N: 1}, Provides: []string{"Unused"}}},
		})
		if ok, err := p.Unrelated(i, len(*packages)-1); err != nil || !ok {
			return nil
		}
	}
	return p
}

// outline is an answer without what counts the catalogs' bundles, and without the
// words, which may name packages that are not there.
func (c converter) outline(r *resolver.Resolver, p *oracle.Problem) string {
	s, err := r.Resolve(context.Background(), c.request(p))
	var conflict *resolver.Conflict
	switch {
	case errors.As(err, &conflict):
		out := ""
		for _, f := range conflict.Facts {
			out += fmt.Sprintln(f.Kind, f.Subject, f.Bundle, f.Catalog, f.Subscription)
		}
		return out
	case err != nil:
		return err.Error()
	}
	return fmt.Sprintf("%+v", fromSolution(s))
}

// TestPropertyConverge walks the whole upgrade path of each problem on both sides:
// every round is what brute force answers to the problem as the round before left
// it, and the path ends where nothing changes any more, or in a loop.
func TestPropertyConverge(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.3, func(p *oracle.Problem) error { return c.converge(r, p) })
}

func (c converter) converge(r *resolver.Resolver, p *oracle.Problem) error {
	path, err := r.Converge(context.Background(), c.request(p), resolver.ConvergeOptions{MaxRounds: 50})
	var conflict *resolver.Conflict
	var twice *resolver.RequestError // two of one name are installed, see below
	if err != nil && !errors.As(err, &conflict) && !errors.As(err, &twice) {
		return err
	}
	for n := 0; ; n++ {
		want, serr := oracle.Solve(p)
		switch {
		case serr != nil:
			return nil // the path leads to a problem that is too big
		case !want.Resolved && conflict != nil && n == len(path.Rounds):
			return nil
		case !want.Resolved:
			return fmt.Errorf("round %d has no solution; the path has %d rounds and ends with %v", n, len(path.Rounds), err)
		case n == len(path.Rounds) && path.Loop:
			return nil
		case len(slices.Compact(slices.Clone(want.Set))) < len(want.Set):
			return nil // two of one name, of different packages: no cluster can have both
		case n == len(path.Rounds):
			return c.atTheEnd(path, want, err)
		}
		if d := difference(c.fromOracle(want), fromSolution(path.Rounds[n])); d != "" {
			return fmt.Errorf("round %d differs (- oracle, + resolver):\n%s", n, d)
		}
		p = oracle.Advance(p, want)
	}
}

// atTheEnd checks that a path ends where nothing is left to do.
func (c converter) atTheEnd(path *resolver.Path, want oracle.Answer, err error) error {
	if slices.ContainsFunc(want.Steps, func(s oracle.Step) bool { return s.Action != "keep" }) {
		return fmt.Errorf("the path ends although %v comes next (%v)", want.Set, err)
	}
	if err != nil {
		return fmt.Errorf("the path ends with %w, although %v stays as it is", err, want.Set)
	}
	if d := difference(c.fromOracle(want), fromSolution(path.Last)); d != "" {
		return fmt.Errorf("the end differs (- oracle, + resolver):\n%s", d)
	}
	return nil
}

// TestPropertyGeneratedPath: at each station of an upgrade path, the subscriptions
// that came with dependencies do the same as if somebody had written them down, at
// the end of the list.
func TestPropertyGeneratedPath(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.3, func(p *oracle.Problem) error { return c.byHand(r, p) })
}

func (c converter) byHand(r *resolver.Resolver, p *oracle.Problem) error {
	ctx := context.Background()
	req := c.request(p)
	for range 50 {
		sol, err := r.Resolve(ctx, req)
		byHand := req
		byHand.Subscriptions = withoutMarks(req)
		same, sameErr := r.Resolve(ctx, byHand)
		if (err == nil) != (sameErr == nil) {
			return fmt.Errorf("generated: %v, by hand: %v", err, sameErr)
		}
		if err != nil {
			return nil
		}
		if d := cmp.Diff(stepsOf(sol), stepsOf(same)); d != "" {
			return fmt.Errorf("the answer differs (- generated, + by hand):\n%s", d)
		}
		next := req.Advance(sol)
		if !slices.ContainsFunc(sol.Steps, func(s resolver.Step) bool { return s.Action != resolver.Keep }) {
			return nil
		}
		req = next
	}
	return nil
}

// withoutMarks lists the subscriptions of a request as a user would have written
// them: those that came with dependencies stand last, by name.
func withoutMarks(req resolver.Request) []resolver.Subscription {
	subs := slices.Clone(must(req.Apply()).Subscriptions)
	slices.SortStableFunc(subs, func(a, b resolver.Subscription) int {
		switch {
		case a.Generated && b.Generated:
			return strings.Compare(a.Name, b.Name)
		case a.Generated:
			return 1
		case b.Generated:
			return -1
		}
		return 0
	})
	for i := range subs {
		subs[i].Generated = false
	}
	return subs
}

// stepsOf writes the steps of a solution, one a line.
func stepsOf(sol *resolver.Solution) []string {
	var out []string
	for _, s := range sol.Steps {
		out = append(out, fmt.Sprintf("%d %s %s %s %s %q %v %v", s.Wave, s.Action, s.Bundle, s.Catalog, s.Channel, s.Replaces, s.Because, s.PassedOver))
	}
	return out
}

// TestPlacesOfOddNames: names that hold what stands between names make places of their
// own.
func TestPlacesOfOddNames(t *testing.T) {
	place := func(names ...string) string {
		var req resolver.Request
		for _, name := range names {
			req.Installed = append(req.Installed, resolver.Installed{Name: name})
		}
		return resolver.Place(&req)
	}
	for _, other := range [][]string{{"a\nb"}, {"a", "b\n"}, {"a\n", "b"}, {"1:a", "b"}, {"a1:b"}, {"a0:0:1:i1:b"}} {
		require.NotEqual(t, place("a", "b"), place(other...), "%q", other)
	}
	require.Equal(t, place("a", "b"), place("b", "a"), "in any order")
}

// Who finds the way out of a dead end makes no difference: the search itself, or
// the solver that is asked once the search has led no deeper for too long. Nor does it
// how far the search looks ahead.
func TestPropertySolverFindsTheSame(t *testing.T) {
	for _, set := range []struct{ deadEnds, look int }{{-1, 1}, {1, -1}, {3, 3}} {
		usual, hasty, c := resolver.New(), resolver.New(resolver.WithDeadEnds(set.deadEnds), resolver.WithLook(set.look)), newConverter()
		var asked atomic.Int64
		checkProperty(t, 0.5, func(p *oracle.Problem) error {
			req := c.request(p)
			want := steps(usual.Resolve(context.Background(), req))
			sol, err := hasty.Resolve(context.Background(), req)
			if sol != nil && sol.Stats.Solves > 0 {
				asked.Add(1)
			}
			if got := steps(sol, err); got != want {
				return fmt.Errorf("with %d dead ends allowed and a look of %d, the answer is\n%s\ninstead of\n%s", set.deadEnds, set.look, got, want)
			}
			return nil
		})
		if testkit.Long() { // few problems may all be plain
			require.Positive(t, asked.Load(), "the solver is never asked")
		}
	}
}

// The same for larger problems, where it takes many choices to a dead end.
func TestSolverFindsTheSameFarDown(t *testing.T) {
	asked := 0
	for _, preset := range []string{"random", "deep-conflict", "phase-transition", "gvk-contention"} {
		for seed := range uint64(6) {
			req := generated(t, preset, func(c *synthetic.Config) {
				if c.Seed = seed; preset == "random" {
					c.ConflictDensity = 0.1
				}
				*c = c.Sized(200)
			})
			want := steps(resolver.New().Resolve(context.Background(), req))
			for _, most := range []int{-1, 3} {
				sol, err := resolver.New(resolver.WithDeadEnds(most)).Resolve(context.Background(), req)
				require.Equal(t, want, steps(sol, err), "%s %d", preset, seed)
				if sol != nil {
					asked += sol.Stats.Solves
				}
			}
		}
	}
	require.Positive(t, asked)
}

// steps is an answer without what it took to find it.
func steps(sol *resolver.Solution, err error) string {
	if sol == nil {
		if _, conflict := err.(*resolver.Conflict); conflict {
			return "conflict"
		}
		return err.Error()
	}
	text, err := json.Marshal(sol.Steps)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
