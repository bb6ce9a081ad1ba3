package resolver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/trace"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// each writes a text for each of n numbers. It can use the number as %[1]d, the next one as
// %[2]d, and the one before as %[3]d.
func each(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i, i+1, i-1)
	}
	return b.String()
}

// attack is a request that wants to cost more than it may, and what answers it.
type attack struct {
	name   string
	limits resolver.Limits
	// catalog and asks are lines of a universe, about its catalog and of its request.
	catalog, asks string
	// change does what lines cannot say.
	change func(t testing.TB, req *resolver.Request)
	// long says that it takes too long for every day.
	long bool
	// outcome is what has to come of it, limit the one that stops it.
	outcome trace.Outcome
	limit   resolver.Limit
	// says is part of the argument, or of the error.
	says string
	// bytes bounds the argument and, 20 times that, the conflict in JSON.
	bytes int
}

// request makes the request of an attack.
func (a *attack) request(t testing.TB) resolver.Request {
	t.Helper()
	req := universe.Request(t, a.asks)
	if req.Namespace = "test"; a.catalog != "" {
		req.Catalogs = universe.Catalogs(t, a.catalog)
	}
	if a.change != nil {
		a.change(t, &req)
	}
	return req
}

func attacks() []attack {
	anyOf := func(n int, format string) string { return strings.TrimSuffix(each(n, format+", "), ", ") }
	addAny := func(t testing.TB, req *resolver.Request) {
		var list []constraints.Constraint
		for i := range 5000 {
			list = append(list, &constraints.Package{Name: fmt.Sprint("q", i), Range: properties.MustParseRange(">=0.0.0")})
		}
		req.Constraints = []resolver.BundleConstraint{{Bundle: resolver.BundleRef{Name: "p.v1"}, Constraint: constraints.NewAny(list...)}}
	}
	deep, wide := "p0@>=0.0.0", "any("+anyOf(900, "p%[1]d@>=0.0.0")+")"
	for i := range constraints.MaxDepth {
		deep = fmt.Sprintf("%s(%s, p1@>=0.0.0, p%d@>=0.0.0)", []string{"any", "all"}[i%2], deep, i)
	}
	matches := ""
	for _, pattern := range []string{"((((a{1,30}){1,30}){1,30}){1,30})", "(a*)*(b*)*c",
		strings.Repeat("(x|", 500) + strings.Repeat(")", 500), strings.Repeat("a?", 900)} {
		matches += "require p.v1 cel(properties.exists(p, p.type.matches('" + pattern + "')))\n"
	}
	long := strings.Repeat("a.1-b.", 20_000) + "z"
	return []attack{
		{
			name: "a thousand subscriptions for one API", long: true,
			outcome: trace.OutcomeUnsatisfiable, says: "example.com/v1/Same", bytes: 4_000, // of JSON with all independent conflicts that are told, twenty times that
			catalog: each(1000, "p%[1]d/c p%[1]d.v1 provides=Same\n"), asks: each(1000, "subscribe p%[1]d\n"),
		},
		{
			name: "a conflict that takes four hundred subscriptions", long: true,
			outcome: trace.OutcomeUnsatisfiable, says: "cannot all be met", bytes: 200_000,
			catalog: each(400, "p%[1]d/c p%[1]d.v1 provides=K%[1]d\nother%[1]d/c other%[1]d.v1 provides=K%[1]d\n") +
				"z/c z.v1\nrequire z.v1 any(" + anyOf(400, "other%[1]d@>=0.0.0") + ")",
			asks: each(400, "subscribe p%[1]d\n") + "subscribe z",
		},
		{
			name: "rules that burn cost", limits: resolver.Limits{CELCost: 1_000_000},
			outcome: trace.OutcomeIncomplete, limit: resolver.LimitCELCost, says: "more than 1000000 CEL cost",
			catalog: each(50, "p%[1]d/c p%[1]d.v1\n"+each(30, "require p%%[1]d.v1 cel(properties.all(a, properties.all(b, a.type + b.type != 'x%[1]d'))"+
				" && properties[0].value.packageName == 'none')\n")),
			asks: each(50, "subscribe p%[1]d\n"),
		},
		{
			name:    "regular expressions that are large, nested, or many",
			outcome: trace.OutcomeUnsatisfiable, says: "cannot be met", bytes: 20_000,
			catalog: "p/c p.v1\n" + matches + strings.Repeat("require p.v1 cel(properties.all(p, properties.all(q, (p.type + q.type).matches(p.type))))\n"+
				"property p.v1 "+strings.Repeat("a", 2_000)+" 1\n", 100),
			asks: "subscribe p",
		},
		{
			name: "more bundles than allowed", limits: resolver.Limits{Bundles: 100},
			outcome: trace.OutcomeIncomplete, limit: resolver.LimitBundles, says: "more than 100 candidate bundles",
			catalog: each(1000, "p/c p.v%[1]d replaces=p.v%[3]d needs=nowhere@>=0.0.0\n"), asks: "subscribe p",
		},
		{
			name: "pigeons", limits: resolver.Limits{Solves: 3},
			outcome: trace.OutcomeUnsatisfiable, says: "at its deadline or its limit on solver calls", bytes: 20_000,
			change: func(t testing.TB, req *resolver.Request) { *req = pigeons(t, 7) },
		},
		{
			name: "constraints at the limits of size and nesting, a thousand", long: true, outcome: trace.OutcomeResolved,
			catalog: each(100, "p%[1]d/c p%[1]d.v1 provides=K%[1]d\nrequire p%[1]d.v1 "+wide+"\n"+strings.Repeat("require p%[1]d.v1 "+deep+"\n", 9)),
			asks:    each(100, "subscribe p%[1]d\n"),
		},
		{
			name: "an any of 5,000", outcome: trace.OutcomeResolved, change: addAny,
			catalog: "p/c p.v1\n" + each(1000, "q4%03[1]d/c q4%03[1]d.v1\n"), asks: "subscribe p",
		},
		{
			name: "an any of 5,000 packages that do not exist", outcome: trace.OutcomeUnsatisfiable, bytes: 200_000, change: addAny,
			catalog: "p/c p.v1", asks: "subscribe p",
		},
		{
			name: "an any of 5,000 in a catalog", outcome: trace.OutcomeUnsatisfiable, says: "at most 65536 are allowed", bytes: 2_000,
			catalog: "p/c p.v1\nrequire p.v1 any(" + anyOf(5000, "q%[1]d@>=0.0.0") + ")", asks: "subscribe p",
		},
		{
			name: "a thousand versions that each want one of a thousand others", long: true, outcome: trace.OutcomeUnsatisfiable, bytes: 200_000,
			catalog: each(1000, "p/c p.v%[1]d replaces=p.v%[3]d needs=q@>=0.0.0\nq/c q.v%[1]d replaces=q.v%[3]d provides=Taken\n") + "r/c r.v1 provides=Taken",
			asks:    "subscribe p\nsubscribe r",
		},
		{
			name: "huge integers", outcome: trace.OutcomeUnsatisfiable, says: "is not a semantic version", bytes: 2_000,
			catalog: "p/c p.v1 version=99999999999999999999999999.0.0\nproperty p.v1 x 1e999999999", asks: "subscribe p",
		},
		{
			name: "priorities at the ends of the integers", outcome: trace.OutcomeResolved,
			catalog: "p/c p.v1\nrequire p.v1 cel(properties.exists(p, p.type == 'x' && p.value > 9.0e18))\nproperty p.v1 x 9223372036854775807",
			asks:    "subscribe p",
			change: func(_ testing.TB, req *resolver.Request) {
				low := req.Catalogs[0]
				low.Key.Name, low.Priority = "low", math.MinInt
				req.Catalogs[0].Priority = math.MaxInt
				req.Catalogs = append(req.Catalogs, low)
			},
		},
		{
			name: "kilometre-long prereleases", outcome: trace.OutcomeUnsatisfiable, bytes: 20_000, says: "is ignored, because the catalog is broken",
			catalog: each(20, "p/c p.v%[1]d replaces=p.v%[3]d version=1.0.0-"+long+"%[1]d\n"), asks: "subscribe p",
		},
		{
			name: "everything twice", outcome: trace.OutcomeUnsatisfiable, says: "is ignored, because the catalog is broken", bytes: 4_000,
			asks: "subscribe p",
			change: func(t testing.TB, req *resolver.Request) {
				once := universe.JSON(t, "p/c p.v1 p.v1\nbundle p.v1 provides=K provides=K needs=p@>=0.0.0 needs=p@>=0.0.0")
				content := testkit.Must(fbc.Read(t.Context(), strings.NewReader(once+once), "twice.jsonl", fbc.Options{}))(t)
				req.Catalogs = []resolver.Catalog{{Key: cache.Key{Namespace: "test", Name: "one"}, Content: content}}
			},
		},
		{
			name: "bundles that require each other in a circle of 20,000", long: true, outcome: trace.OutcomeResolved,
			catalog: each(20_000, "p%[1]d/c p%[1]d.v1 needs=p%[2]d@>=0.0.0\n") + "p20000/c p20000.v1 needs=p0@>=0.0.0", asks: "subscribe p0",
		},
		{
			name: "a channel of 50,000 entries", outcome: trace.OutcomeResolved,
			catalog: each(50_000, "p/c p.v%[1]d replaces=p.v%[3]d virtual\n") + "bundle p.v0", asks: "subscribe p",
		},
	}
}

// attackTime is far more than any of the attacks takes, on a machine that does much else.
const attackTime = 2 * time.Minute

// TestAttacks: what wants to cost without bound is answered, or stopped by a
// limit that the error names; what is said about it stays readable.
func TestAttacks(t *testing.T) {
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			if a.long {
				testkit.OnlyLong(t, "takes seconds")
			}
			req := a.request(t)
			ctx, cancel := context.WithTimeout(context.Background(), attackTime)
			defer cancel()
			r := resolver.New(resolver.WithLimits(a.limits))
			record, sol, err := tracedBy(ctx, r, req, trace.Options{})
			require.Equal(t, a.outcome, record.Outcome, "%v", err)
			require.Less(t, len(record.Text()), 4<<20)
			requireTame(t, record.Text())
			if sol != nil {
				requireTame(t, testkit.Written(t, draw.Solution(sol).WriteMermaid))
				requireTame(t, testkit.Written(t, draw.Solution(sol).WriteDOT))
			}
			var stopped *resolver.IncompleteError
			if errors.As(err, &stopped) {
				require.Equal(t, a.limit, stopped.Limit)
				require.ErrorContains(t, err, a.says)
			}
			var conflict *resolver.Conflict
			if errors.As(err, &conflict) {
				a.checkConflict(ctx, t, r, req, conflict)
			}
			a.checkCancel(t, req)
		})
	}
}

// checkConflict bounds what is said about a conflict, corrections included.
func (a *attack) checkConflict(ctx context.Context, t *testing.T, r *resolver.Resolver, req resolver.Request, c *resolver.Conflict) {
	t.Helper()
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	err := whatif.FindCorrections(limited, r, req, c, whatif.FindOptions{})
	found := c.Corrections
	t.Logf("%d corrections (%v) in %s, %d facts, %d bytes", len(found), err, time.Since(start), len(c.Facts), len(c.Text()))
	require.Less(t, time.Since(start), 6*time.Second, "a search for corrections that is stopped stops")
	if err == nil {
		require.LessOrEqual(t, len(found), 5)
	}
	require.Contains(t, c.Text(), a.says)
	require.LessOrEqual(t, len(c.Text()), a.bytes)
	requireTame(t, c.Text())
	requireTame(t, testkit.Written(t, draw.Conflict(c.Argument()).WriteDOT))
	requireTame(t, testkit.Written(t, draw.Conflict(c.Argument()).WriteMermaid))
	data := testkit.Must(json.Marshal(c))(t)
	require.LessOrEqual(t, len(data), 20*a.bytes)
}

// stopsWithin is what a context's end may take to have an effect, on a machine
// that does much else at the same time or with the race detector. That it is 50 ms
// where nothing else runs is for benchmarks, and for internal/testkit/growth, which counts
// checks the context instead of time.
const stopsWithin = 2 * time.Second

// checkCancel ends the context at several times, which has to take effect soon.
// One try of a few is enough: the others may have had to wait for the machine.
func (a *attack) checkCancel(t *testing.T, req resolver.Request) {
	t.Helper()
	r := resolver.New(resolver.WithLimits(a.limits))
	for _, after := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 200 * time.Millisecond} {
		best := time.Hour
		for try := 0; try < 8 && best > stopsWithin; try++ {
			ctx, cancel := context.WithTimeout(context.Background(), after)
			start := time.Now()
			_, err := r.Resolve(ctx, req)
			best = min(best, max(0, time.Since(start)-after))
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) && best <= stopsWithin {
				break // it was faster than that
			}
		}
		require.LessOrEqual(t, best, stopsWithin, "the context ended after %s", after)
	}
}

// requireTame wants text without control characters besides the end of a line,
// and without characters that do not show or turn round what follows.
func requireTame(t testing.TB, text string) {
	t.Helper()
	for i, c := range text {
		if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == '\u2028' || c == '\u2029') {
			t.Fatalf("%U in %.200q", c, text[max(0, i-50):])
		}
	}
}
