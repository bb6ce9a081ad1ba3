package resolver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
	"testing"

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
		*packages = append(*packages, oracle.Package{Name: "a-unused", Default: "stable",
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
