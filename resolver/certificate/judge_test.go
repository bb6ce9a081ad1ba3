package certificate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/certificate"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// incomplete are the mutations after which a certificate does not show what it claims.
var incomplete = map[string]bool{
	"a decision dropped": true, "decisions reordered": true, "a decision called satisfied": true, "a better candidate hidden": true,
	"a decision added": true, "another choice named": true, "another rejection named": true, "an option that does not exist": true,
	"an option twice": true, "a fact repeated": true,
}

// judges returns checks that each have a known outcome, whatever the checker does: a certificate of
// what the resolver answers is true, and one that claims anything else is not. .ci/mutate runs them
// on a changed checker: each change has to be noticed by one of them.
func judges(t *testing.T) (all []func() error) {
	r := resolver.New()
	add := func(name string, req resolver.Request, mutants int, rng *rand.Rand) {
		cert, err := certificate.Make(ctx, r, req)
		if err != nil {
			return
		}
		all = append(all, func() error {
			limited, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			if err := certificate.Check(limited, req, cert); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
		for range mutants {
			mutant, how := mutate(t, rng, cert)
			if mutant == nil || sameClaim(cert, mutant) && !incomplete[how] {
				continue
			}
			all = append(all, func() error {
				if certificate.Check(ctx, req, mutant) == nil {
					return fmt.Errorf("%s: a mutant by %q is accepted", name, how)
				}
				return nil
			})
		}
		// The answer to the request with something forbidden is not the answer to the request.
		for i, id := range cert.Set {
			worse := req
			worse.Forbid = append(slices.Clip(req.Forbid), resolver.Forbidden{Bundle: resolver.BundleRef{Name: cert.Bundles[id-1].Name}})
			other, err := certificate.Make(ctx, r, worse)
			if i == 3 || err != nil {
				break
			}
			if other.Request = cert.Request; sameClaim(cert, other) {
				continue
			}
			all = append(all, func() error {
				if certificate.Check(ctx, req, other) == nil {
					return fmt.Errorf("%s: the answer without %s is accepted", name, cert.Bundles[id-1].Name)
				}
				return nil
			})
		}
	}
	loader := new(scenario.Loader)
	for _, dir := range []string{"../scenario/testdata/conformance", "../scenario/testdata/rules", "testdata/checker"} {
		for i, file := range testkit.Must(filepath.Glob(filepath.Join(dir, "*.yaml")))(t) {
			if loaded, err := loader.Load(ctx, testkit.Must(scenario.ReadFile(ctx, file))(t)); err == nil {
				add(filepath.Base(file), loaded.Request, 12, rand.New(rand.NewPCG(uint64(i), 1)))
			}
		}
	}
	generator, converter := draw.Problem(), draw.NewConverter()
	seeds := slices.Clone(hardSeeds)
	for i := range 400 {
		seeds = append(seeds, i)
	}
	for _, i := range seeds {
		req, rng := converter.Request(generator.Example(i)), rand.New(rand.NewPCG(uint64(i), 2))
		add(fmt.Sprintf("drawn problem %d", i), req, 3, rng)
		if i < 20 {
			if len(req.Catalogs) > 0 {
				unread := req
				unread.Catalogs = slices.Clone(req.Catalogs)
				unread.Catalogs[0].Unavailable = errors.New("no connection")
				for _, unread.Policy.Unavailable = range []resolver.Unavailable{resolver.UnavailableLastGood, resolver.UnavailableIgnore} {
					add(fmt.Sprintf("drawn problem %d with an unavailable catalog", i), unread, 3, rng)
				}
			}
			req.Veto = func(_ context.Context, _ cache.Key, b *graph.Bundle) (string, error) {
				return map[bool]string{true: "too old"}[b.Version.Major < 2], nil
			}
			add(fmt.Sprintf("drawn problem %d with a veto", i), req, 3, rng)
		}
	}
	return slices.Concat(all, judgeClaims(t), judgeRead(), judgeInterruptions(t))
}

// judgeRead returns checks of what is no certificate.
func judgeRead() (all []func() error) {
	for _, c := range badCertificates {
		all = append(all, func() error {
			if _, err := certificate.Read(c.reader()); err == nil || !strings.Contains(err.Error(), c.message) {
				return fmt.Errorf("a certificate is read which is %s: %w", c.name, err)
			}
			return nil
		})
	}
	return all
}

// TestJudges: the judges agree with the checker as it is.
func TestJudges(t *testing.T) {
	all := judges(t)
	for _, judge := range all {
		if err := judge(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d judges", len(all))
}
