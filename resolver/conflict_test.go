package resolver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// A misspelt name of a bundle is answered with the names that are nearly the same.
func TestNamesThatAreNearlyTheSame(t *testing.T) {
	const catalog = "prometheus-operator/x prometheus.v1.0.0 prometheus.v1.1.0\nsubscribe "
	s, err := resolver.New().Session(context.Background(), universe.Request(t, catalog+"prometheus-operator"))
	require.NoError(t, err)
	_, err = s.WhyNot(context.Background(), resolver.BundleRef{Name: "prometheus.v1.2.0"})
	require.ErrorContains(t, err, "did you mean prometheus.v1.0.0 or prometheus.v1.1.0?")
	_, err = s.WhyNot(context.Background(), resolver.BundleRef{Name: "kafka.v1"})
	require.ErrorContains(t, err, "no catalog and nothing installed has a bundle of this name")
	require.NotContains(t, err.Error(), "did you mean")
}

// What is deprecated is said to be, with the message if there is one.
func TestDeprecationsInWords(t *testing.T) {
	for message, want := range map[string]string{"": "db.v1 is deprecated", "use kv": "db.v1 is deprecated: use kv"} {
		sol := universe.Solution(t, universe.Request(t, "db/x db.v1\nsubscribe db\ndeprecated db.v1 "+message))
		require.Len(t, sol.Warnings, 1)
		require.Equal(t, want, sol.Warnings[0].Message)
	}
}

// The text of a trace says what the explanation came to.
func TestTraceOfAConflict(t *testing.T) {
	record, _, err := tracedBy(context.Background(), resolver.New(), universe.Request(t, needsNewerBase), trace.Options{})
	conflict := testkit.As[*resolver.Conflict](t, err)
	require.Contains(t, record.Text(), "conflict of 2 facts, out of ")
	require.Contains(t, record.Text(), conflict.Headline())
}

const needsNewerBase = `
	base/x base.v1
	app/x app.v1
	require app.v1 any(base@>=1.5.0, base@>1.4.0)
	subscribe app
`

// A bundle that would do for several parts of a constraint is one candidate.
func TestCandidateOfSeveralParts(t *testing.T) {
	req := universe.Request(t, strings.NewReplacer(">=1.5.0", ">=1.0.0", ">1.4.0", ">0.9.0").Replace(needsNewerBase))
	req.Forbid = []resolver.Forbidden{{Bundle: resolver.BundleRef{Name: "base.v1"}, Message: "no"}}
	conflict := universe.Conflict(t, req)
	for _, f := range conflict.Facts {
		if f.Kind == argument.FactConstraint {
			require.Len(t, f.Candidates, 1)
			require.Equal(t, "base.v1", f.Candidates[0].Bundle)
			return
		}
	}
	t.Fatal("no fact is about the constraint")
}

// Under a policy that avoids what is deprecated, that is why the head is not taken;
// under the other one the head is.
func TestWhyNotTheDeprecatedHead(t *testing.T) {
	req := universe.Request(t, "db/x db.v1 db.v2\ndeprecated db.v2 broken\nsubscribe db")
	req.Policy.Deprecations = resolver.DeprecationsAvoid
	s := testkit.Must(resolver.New().Session(context.Background(), req))(t)
	sol := testkit.Must(s.Resolve(context.Background()))(t)
	require.Equal(t, []string{"db.v1"}, sol.Set())
	why := testkit.Must(s.WhyNot(context.Background(), resolver.BundleRef{Name: "db.v2"}))(t)
	require.Contains(t, why.Text(), "because the other one is deprecated")
}

// What a resolution counts depends on what the bundles of a catalog say, not on
// whether equal properties are one in memory: text that is written otherwise is
// not.
func TestCountsDoNotDependOnSharing(t *testing.T) {
	const formula = `{"any":{"constraints":[{"package":{"packageName":"b","versionRange":"<1.0.0"}},{"package":{"packageName":"b","versionRange":">1.0.0"}}]}}`
	counts := func(second string) resolver.Stats {
		blobs := universe.JSON(t, "a/x a.v1 a.v2\nb/x b.v1\nproperty a.v1 olm.constraint "+formula+"\nproperty a.v2 olm.constraint 0")
		content, err := fbc.Read(t.Context(), strings.NewReader(strings.Replace(blobs, `"value":0`, `"value":`+second, 1)), "c.json", fbc.Options{})
		require.NoError(t, err)
		req := universe.Request(t, "subscribe a")
		req.Catalogs = []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "c"}, Content: content}}
		conflict := universe.Conflict(t, req)
		require.NotZero(t, conflict.Stats.Variables)
		return conflict.Stats
	}
	require.Equal(t, counts(formula), counts(strings.ReplaceAll(formula, ":", ": ")))
}

// TestRequests holds the facts and texts of conflicts, and the verdicts of traces, against small
// requests.
func TestRequests(t *testing.T) {
	for _, c := range testkit.Cases(t, "testdata/requests.txt", "has", "in", "doomed", "verdict", "says", "nearMiss", "step", "mentions", "omits") {
		t.Run(c.Name, func(t *testing.T) {
			req := universe.Request(t, c.Part("has").Text())
			for i, key := range c.Rests("in") {
				req.Forbid[i].Bundle.Catalog = must(cache.ParseKey(key))
			}
			for _, facts := range c.Rests("doomed") {
				checkDoomed(t, req, strings.Split(facts, ", "))
			}
			for _, verdict := range c.Rests("verdict") {
				checkVerdict(t, req, strings.SplitN(verdict, ", ", 4))
			}
			for _, step := range c.Rests("step") {
				f := factOf(t, universe.Conflict(t, req), argument.FactNoCandidate)
				require.Equal(t, strings.Fields(step), append([]string{string(f.Cause)}, f.Names...))
			}
			for _, words := range c.Rests("mentions") {
				require.Contains(t, universe.Conflict(t, req).Text(), words)
			}
			for _, words := range c.Rests("omits") {
				require.NotContains(t, universe.Conflict(t, req).Text(), words)
			}
			for _, says := range c.All("says") {
				checkSaid(t, universe.Conflict(t, req), says.Lines, c.Rests("nearMiss"))
			}
		})
	}
}

// checkDoomed checks the facts of all conflicts, whoever finds the way out of a dead end.
func checkDoomed(t *testing.T, req resolver.Request, want []string) {
	for _, deadEnds := range []int{-1, 200} {
		var facts []string
		for _, one := range universe.Conflict(t, req, resolver.WithLarge(1), resolver.WithDeadEnds(deadEnds)).All() {
			require.True(t, one.Minimal)
			for _, f := range one.Facts {
				facts = append(facts, string(f.Kind)+" "+f.Subject)
			}
		}
		require.ElementsMatch(t, want, facts)
	}
}

// checkVerdict checks what is said of the first candidate that is not chosen.
func checkVerdict(t *testing.T, req resolver.Request, want []string) {
	record, _, _ := tracedBy(t.Context(), resolver.New(), req, trace.Options{})
	var got *trace.Candidate
	for _, e := range record.Events {
		for i := 0; e.Decision != nil && i < len(e.Decision.Candidates); i++ {
			if c := &e.Decision.Candidates[i]; c.Verdict != trace.Chosen && got == nil {
				got = c
			}
		}
	}
	require.NotNil(t, got, record.Text())
	require.Equal(t, want[:3], []string{string(got.Verdict), got.By.Bundle, got.Subject}, record.Text())
	require.Contains(t, record.Text(), ": "+want[3]+"\n")
}

// checkSaid checks the lines of a text, and the bundles that are nearly what is asked for.
func checkSaid(t *testing.T, c *resolver.Conflict, want, nearMisses []string) {
	var lines, near []string
	for line := range strings.Lines(c.Text()) {
		lines = append(lines, strings.TrimSpace(line))
	}
	for _, f := range c.Facts {
		for _, r := range f.Candidates {
			if r.NearMiss() {
				near = append(near, r.Bundle+" "+string(r.Reason))
			}
		}
	}
	require.Equal(t, want, lines)
	require.Equal(t, nearMisses, near)
}

// Of two subscriptions that own one bundle, the one on hold keeps it there. The other one is
// no part of the conflict, wherever it stands and whatever else it could move to.
func TestHeldBesideAnother(t *testing.T) {
	const catalog = `
		d/c d.v2 provides=Qux barred
		e/c e.v2 provides=Qux
		e/c e.v3 replaces=e.v2
		e/c e.v4 replaces=e.v3 range=<4.0.0
		installed e.v2
	`
	subscriptions := []string{"subscribe free package=e at=e.v2", "subscribe d", "subscribe held package=e at=e.v2 hold"}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		text := catalog
		for _, i := range order {
			text += subscriptions[i] + "\n"
		}
		var facts []string
		for _, f := range universe.Conflict(t, universe.Request(t, text)).Facts {
			facts = append(facts, string(f.Kind)+" "+f.Subject)
		}
		require.ElementsMatch(t, []string{"subscription d", "subscription held", "hold held", "gvk example.com/v1/Qux"}, facts, text)
	}
}

// TestFurtherConflictsAreOfTheirRootsAlone: that no other set of facts has fewer bundles is found
// out, from the second conflict on, in a formula of what its roots lead to.
func TestFurtherConflictsAreOfTheirRootsAlone(t *testing.T) {
	const n = 40
	small := 0 // calls in a formula of one subscription
	hooks := resolver.WithHooks(trace.Hooks{Solver: func(_ context.Context, e trace.Event) {
		if e.Solve != nil && e.Solve.Purpose == trace.PurposeFewest && e.Solve.Clauses < n {
			small++
		}
	}})
	c := universe.Conflict(t, universe.Request(t, each(n, "p%[1]d/stable p%[1]d.v1 needs=lacking%[1]d@>=1.0.0\nsubscribe p%[1]d\n")), hooks)
	require.Len(t, c.All(), n)
	require.Equal(t, n-1, small, "one for the only bundle of each further conflict")
}
