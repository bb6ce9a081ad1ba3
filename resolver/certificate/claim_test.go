package certificate_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/certificate"
)

// provable is the first problem of ALGORITHM.md, and one without a solution.
const (
	provable = `
web/stable web.v1
web/stable web.v2 replaces=web.v1 needs=cache@>=1.0.0
log/stable log.v1
cache/stable cache.v1 needs=store@>=1.0.0
store/stable store.v1 store.v2
bundle store.v1 needs=kernel@<2.0.0
bundle store.v2 needs=kernel@<2.0.0
kernel/stable kernel.v1 kernel.v2
installed kernel.v2
subscribe web
subscribe log`
	unprovable = `
web/stable web.v1 needs=kernel@<2.0.0
kernel/stable kernel.v1 kernel.v2
installed kernel.v2
subscribe web`
)

// untrue are certificates that claim something untrue, each with what Check says about it. A number is the
// seed of a drawn problem. Bundles 1
// to 7 of the first problem are kernel.v2, web.v1, web.v2, store.v2, store.v1, log.v1 and cache.v1.
var untrue = []struct {
	problem, message string
	change           func(c *certificate.Certificate)
}{
	{provable, "decision 3 is missing: subscription log", func(c *certificate.Certificate) { c.Decisions = c.Decisions[:2] }},
	{provable, "decision 4 is about nothing", func(c *certificate.Certificate) { c.Decisions = append(c.Decisions, c.Decisions[2]) }},
	{provable, "the decision about installed bundle kernel.v2 is missing", func(c *certificate.Certificate) { slices.Reverse(c.Decisions) }},
	{provable, "web.v1, option 2 of subscription web, is neither", func(c *certificate.Certificate) { c.Decisions[1].Chosen = 7 }},
	{provable, "web.v2, option 1 of subscription web, is not the one", func(c *certificate.Certificate) { c.Decisions[1].Rejected[0] = 4 }},
	{provable, "web.v2, option 1 of subscription web, is neither", func(c *certificate.Certificate) { c.Decisions[1].Rejected, c.Decisions[1].Hints = nil, nil }},
	{provable, "log.v1 is not shown to be impossible for subscription log", func(c *certificate.Certificate) { c.Decisions[2].Rejected = []int{6} }},
	{provable, "web.v2 is not shown to be impossible", func(c *certificate.Certificate) { c.Decisions[1].Hints = nil }},
	{provable, "whether earlier choices satisfy subscription log", func(c *certificate.Certificate) { c.Decisions[2].Satisfied, c.Decisions[2].Chosen = true, 0 }},
	{provable, "lemma 1 (not cache.v1 or store.v2) does not", func(c *certificate.Certificate) { c.Lemmas[0] = []int{-7, 4} }},
	{provable, "lemma 2 (web.v1 or web.v2 or store.v2 or store.v1 or log.v1) does not", func(c *certificate.Certificate) { c.Lemmas[1] = []int{2, 3, 4, 5, 6} }},
	{provable, "store.v1 or log.v1 or …) does not", func(c *certificate.Certificate) { c.Lemmas[1] = []int{2, 3, 4, 5, 6, 7} }},
	{provable, "lemma 1 (kernel.v2) does not", func(c *certificate.Certificate) { c.Lemmas[0], c.Hints = []int{1}, [][]int{{2}} }},
	{provable, "web.v2 is not shown to be impossible", func(c *certificate.Certificate) { c.Decisions[1].Hints = [][]int{{1}} }},
	{provable, "the set is not what", func(c *certificate.Certificate) { c.Set = c.Set[:2] }},
	{provable, "bundle 3, web.v3, is not in the request", func(c *certificate.Certificate) { c.Bundles[2].Name = "web.v3" }},
	{provable, "bundle 3, web.v1, is not in the request, or is there twice", func(c *certificate.Certificate) { c.Bundles[2].Name = "web.v1" }},
	{provable, "bundle 2, web.v1, is not in the request", func(c *certificate.Certificate) { c.Bundles[1].Installed = true }},
	{provable, "bundle 2, web.v1, is not in the request", func(c *certificate.Certificate) { c.Bundles[1].Catalog = "" }},
	{provable, "bundle 2, web.v1, is not in the request", func(c *certificate.Certificate) { c.Bundles[1].Package = "log" }},
	{provable, "constraint 0 of web.v2 does not exist", func(c *certificate.Certificate) { c.Options = []resolver.ProofOption{{ID: 8, Bundle: 3}} }},
	{provable, "constraint 1 of web.v2 does not exist", func(c *certificate.Certificate) {
		c.Options = []resolver.ProofOption{{ID: 8, Bundle: 3, Constraint: 1}}
	}},
	{provable, "constraint 0 of web.v2 does not exist", func(c *certificate.Certificate) { c.Options = []resolver.ProofOption{{ID: 8, Bundle: 3, Part: 1}} }},
	{provable, "another request", func(c *certificate.Certificate) { c.Request = "" }},
	{provable, "another content of catalog test/one", func(c *certificate.Certificate) { c.Catalogs[0].Digest = "" }},
	{provable, "another content of catalog test/one", func(c *certificate.Certificate) { c.Catalogs = nil }},
	{provable, `does not have: "test/two"`, func(c *certificate.Certificate) {
		c.Catalogs = append(c.Catalogs, certificate.Catalog{Key: "test/two"})
	}},
	{provable, "leaves nothing out", func(c *certificate.Certificate) {
		c.Status, c.Left = certificate.Partial, []resolver.ProofLeft{{Subscription: "log", Conflict: &resolver.Proof{Status: certificate.Unsatisfiable}}}
	}},
	{unprovable, "the last lemma is not empty", func(c *certificate.Certificate) { c.Lemmas, c.Hints = nil, nil }},
	{unprovable, "lemma 1 () does not", func(c *certificate.Certificate) { c.Facts, c.Witnesses = c.Facts[:1], c.Witnesses[:1] }},
	{unprovable, "4 different facts and 2 witnesses", func(c *certificate.Certificate) { c.Witnesses = c.Witnesses[:2] }},
	{unprovable, "fact 1 (subscription web) is needed: what the request requires", func(c *certificate.Certificate) { c.Witnesses[0].Set = nil }},
	{unprovable, "is needed: kernel.v2 cannot be in its set", func(c *certificate.Certificate) { c.Witnesses[0].Set = []int{3, 1, 2} }},
	{"12", "there are 3 different facts and 0 witnesses", func(c *certificate.Certificate) { c.Further[0].Witnesses = nil }},
	{"26", "an option of", func(c *certificate.Certificate) {
		for i := range c.Decisions {
			c.Decisions[i].Rejected, c.Decisions[i].Hints = nil, nil
		}
	}},
	{"3450", "bundle 2, nothing, is not in the request", func(c *certificate.Certificate) { c.Bundles[1].Name = "nothing" }},
	{"1691", "nothing that the request asks for is", func(c *certificate.Certificate) {
		for _, d := range c.Decisions {
			c.Left[0].Subscription = cmp.Or(c.Left[0].Subscription, d.Demand.Subscription)
		}
	}},
	{"3450", "nothing shows that the installed bundles can be admitted: what the request requires", func(c *certificate.Certificate) { c.Set = nil }},
}

// judgeClaims returns checks that each have a known message.
func judgeClaims(t *testing.T) (all []func() error) {
	for _, u := range untrue {
		var req resolver.Request
		if seed, err := strconv.Atoi(u.problem); err == nil {
			req = draw.NewConverter().Request(draw.Problem().Example(seed))
		} else {
			req = universe.Request(t, u.problem)
		}
		cert := testkit.Must(certificate.Make(ctx, resolver.New(), req))(t)
		u.change(cert)
		all = append(all, func() error {
			err := certificate.Check(ctx, req, cert)
			var claim *certificate.ClaimError
			if !errors.As(err, &claim) || !strings.Contains(err.Error(), u.message) {
				return fmt.Errorf("want a claim about %q, got %w", u.message, err)
			}
			return nil
		})
	}
	return all
}

func TestCheckNamesTheClaim(t *testing.T) {
	for _, judge := range judgeClaims(t) {
		require.NoError(t, judge())
	}
}

// judgeInterruptions returns checks of what ends the work: a context, a veto that fails, a reader that fails.
func judgeInterruptions(t *testing.T) []func() error {
	req := universe.Request(t, provable)
	cert := testkit.Must(certificate.Make(ctx, resolver.New(), req))(t)
	ends := func(of context.Context, req resolver.Request, want error) func() error {
		return func() error {
			if err := certificate.Check(of, req, cert); !errors.Is(err, want) {
				return fmt.Errorf("want %w, got %w", want, err)
			}
			return nil
		}
	}
	failing, failure := req, errors.New("no answer")
	failing.Veto = func(context.Context, cache.Key, *graph.Bundle) (string, error) { return "", failure }
	bad := resolver.Request{Subscriptions: []resolver.Subscription{{}}}
	many := universe.Request(t, "p/c p.v1\nsubscribe p")
	for i := range 2_000 {
		many.Installed = append(many.Installed, resolver.Installed{Name: fmt.Sprint("i", i), PackageUnknown: true})
	}
	all := testkit.Must(certificate.Make(ctx, resolver.New(), many))(t)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	large := draw.NewConverter().Request(draw.Problem().Example(3))
	long := testkit.Must(certificate.Make(ctx, resolver.New(), large))(t)
	long.Lemmas, long.Hints = append([][]int{slices.Repeat([]int{1}, 1_000_000)}, long.Lemmas...), nil
	return []func() error{
		ends(ended, req, context.Canceled), ends(ctx, failing, failure),
		func() error { // a veto that fails once the context has ended
			stopped, stop := context.WithCancel(ctx)
			stopping := req
			stopping.Veto = func(context.Context, cache.Key, *graph.Bundle) (string, error) { stop(); return "", failure }
			return ends(stopped, stopping, context.Canceled)()
		},
		func() error {
			var format *certificate.FormatError
			if err := certificate.Check(ctx, req, nil); !errors.As(err, &format) {
				return fmt.Errorf("no certificate is checked: %w", err)
			}
			return nil
		},
		func() error { // the limits themselves are allowed
			for _, text := range []string{
				`{"version":1,"status":"resolved","lemmas":[[]` + strings.Repeat(",[]", certificate.MaxLemmas-1) + `]}`,
				`{"version":1,"status":"unsatisfiable","further":[{"status":"unsatisfiable"}` + strings.Repeat(`,{"status":"unsatisfiable"}`, 9_998) + `]}`,
			} {
				if _, err := certificate.Read(strings.NewReader(text)); err != nil {
					return err
				}
			}
			return nil
		},
		func() error {
			if _, err := certificate.Read(iotest.ErrReader(failure)); !errors.Is(err, failure) {
				return fmt.Errorf("the reader's failure is not reported: %w", err)
			}
			return nil
		},
		func() error {
			_, failed := certificate.Make(ctx, resolver.New(), bad)
			if cert, err := certificate.Make(ctx, resolver.New(), req); failed == nil || cert == nil || err != nil {
				return fmt.Errorf("Make does not report its error: %w, %w", failed, err)
			}
			return nil
		},
		func() error { // one constraint of two is relaxed
			relaxed := universe.Request(t, "a/c a.v1 needs=b@>=1.0.0 needs=x@>=1.0.0\nb/c b.v1\nx/c x.v1\nsubscribe a")
			b := relaxed.Catalogs[0].Content.Package("a").Bundle("a.v1")
			relaxed.Relax = []resolver.BundleConstraint{{Bundle: resolver.BundleRef{Name: b.Name}, Constraint: b.Constraints[1].Constraint}}
			cert, err := certificate.Make(ctx, resolver.New(), relaxed)
			if err != nil || len(cert.Set) != 2 {
				return fmt.Errorf("the answer is not a.v1 and b.v1: %v, %w", cert, err)
			}
			return certificate.Check(ctx, relaxed, cert)
		},
		func() error { // within decisions
			counting := &testkit.CountingContext{Context: ctx, Ends: 12}
			if err := certificate.Check(counting, many, all); !errors.Is(err, context.Canceled) || counting.Count.Load() > 13 {
				return fmt.Errorf("not canceled soon: %w after %d checks of the context", err, counting.Count.Load())
			}
			return nil
		},
		func() error {
			counting := &testkit.CountingContext{Context: ctx}
			if err := certificate.Check(counting, many, all); err != nil || counting.Count.Load() > 100 {
				return fmt.Errorf("%d checks of the context: %w", counting.Count.Load(), err)
			}
			return nil
		},
		func() error { // within a lemma
			counting := &testkit.CountingContext{Context: ctx, Ends: 10}
			if err := certificate.Check(counting, large, long); !errors.Is(err, context.Canceled) || counting.Count.Load() > 60 {
				return fmt.Errorf("not canceled soon: %w after %d checks of the context", err, counting.Count.Load())
			}
			return nil
		},
		func() error {
			if _, err := certificate.Read(testkit.Repeat(" ", certificate.MaxBytes+2)); err == nil || !strings.Contains(err.Error(), "more than") {
				return fmt.Errorf("the limit of bytes is not reported: %w", err)
			}
			return nil
		},
	}
}

func TestCheckEndsWithItsContext(t *testing.T) {
	for _, judge := range judgeInterruptions(t) {
		require.NoError(t, judge())
	}
}
