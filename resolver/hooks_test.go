package resolver_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/trace"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// operations counts the resolutions that hooks hear of. It is safe for concurrent
// use.
type operations struct {
	mu    sync.Mutex
	began map[trace.Operation]int
	ended map[trace.Operation]map[trace.Outcome]int
}

func (o *operations) hooks() trace.Hooks {
	o.began, o.ended = make(map[trace.Operation]int), make(map[trace.Operation]map[trace.Outcome]int)
	return trace.Hooks{
		Resolution: func(_ context.Context, event trace.Event) context.Context {
			o.mu.Lock()
			defer o.mu.Unlock()
			if event.Began != nil {
				o.began[event.Began.Operation]++
			}
			if e := event.Ended; e != nil {
				if o.ended[e.Operation] == nil {
					o.ended[e.Operation] = make(map[trace.Outcome]int)
				}
				o.ended[e.Operation][e.Outcome]++
			}
			return nil
		},
	}
}

// forbid takes a bundle out of the question.
func forbid(bundle string) resolver.Change {
	return resolver.ForbidBundle{Bundle: resolver.BundleRef{Name: bundle}}
}

func sum[K comparable, N int | int64](counts map[K]N) (n N) {
	for _, k := range counts {
		n += k
	}
	return n
}

// TestHooksTellOperations: each way to resolve has its own name, and what begins
// ends.
func TestHooksTellOperations(t *testing.T) {
	ctx := context.Background()
	noCollector := []resolver.Change{forbid("collector.v2"), forbid("collector.v3")}
	forbidden := must(request("tracing").Apply(noCollector...))
	tests := map[string]struct {
		do   func(*resolver.Resolver)
		want map[trace.Operation]map[trace.Outcome]int
	}{
		"resolve": {
			func(r *resolver.Resolver) { must(r.Resolve(ctx, request("tracing"))) },
			map[trace.Operation]map[trace.Outcome]int{trace.OperationResolve: {trace.OutcomeResolved: 1}}},
		"no solution": {
			func(r *resolver.Resolver) { r.Resolve(ctx, forbidden) },
			map[trace.Operation]map[trace.Outcome]int{trace.OperationResolve: {trace.OutcomeUnsatisfiable: 1}}},
		"invalid": {
			func(r *resolver.Resolver) {
				r.Resolve(ctx, resolver.Request{Subscriptions: make([]resolver.Subscription, 2)})
			},
			map[trace.Operation]map[trace.Outcome]int{trace.OperationResolve: {trace.OutcomeInvalid: 1}}},
		"what-ifs": {
			func(r *resolver.Resolver) {
				s := must(r.Session(ctx, request("tracing")))
				must(s.Resolve(ctx))
				must(s.Resolve(ctx, resolver.DropSubscription{Subscription: "tracing"}))
				s.Resolve(ctx, noCollector...)
			},
			map[trace.Operation]map[trace.Outcome]int{trace.OperationWhatIf: {trace.OutcomeResolved: 2, trace.OutcomeUnsatisfiable: 1}}},
		"why not": {
			func(r *resolver.Resolver) {
				s := must(r.Session(ctx, request("tracing")))
				must(s.WhyNot(ctx, resolver.BundleRef{Name: "tracing.v1"}))   // is in: decided once
				must(s.WhyNot(ctx, resolver.BundleRef{Name: "collector.v1"})) // is out: and tried by force
			},
			map[trace.Operation]map[trace.Outcome]int{trace.OperationExplain: {trace.OutcomeResolved: 2, trace.OutcomeUnsatisfiable: 1}}},
		"converge": {
			func(r *resolver.Resolver) { must(r.Converge(ctx, request("tracing"), resolver.ConvergeOptions{})) },
			map[trace.Operation]map[trace.Outcome]int{trace.OperationConverge: {trace.OutcomeResolved: 2}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var o operations
			tc.do(resolver.New(resolver.WithHooks(o.hooks())))
			require.Equal(t, tc.want, o.ended)
			require.Len(t, o.began, 1)
			for op, n := range o.began {
				require.Equal(t, sum(tc.want[op]), n)
			}
		})
	}
}

// TestHooksOfCorrections: each attempt is told, with what came of it, after a
// resolution of its own.
func TestHooksOfCorrections(t *testing.T) {
	ctx := context.Background()
	req := must(request("tracing").Apply(forbid("collector.v2"), forbid("collector.v3")))
	var o operations
	solved := make(map[string]bool)
	attempts := 0
	r := resolver.New(resolver.WithHooks(o.hooks()))
	tried := func(changes []resolver.Change, sol *resolver.Solution, _ error) {
		attempts++
		var words []string
		for _, c := range changes {
			words = append(words, c.String())
		}
		solved[strings.Join(words, ", and ")] = sol != nil
	}
	_, err := r.Resolve(ctx, req)
	conflict := testkit.As[*resolver.Conflict](t, err)
	require.NoError(t, whatif.FindCorrections(ctx, r, req, conflict, whatif.FindOptions{Tried: tried}))
	found := conflict.Corrections
	require.NotEmpty(t, found)
	for _, c := range found {
		require.True(t, solved[c.Text], c.Text)
	}
	require.Subset(t, []trace.Outcome{trace.OutcomeResolved, trace.OutcomeUnsatisfiable}, slices.Collect(maps.Keys(o.ended[trace.OperationCorrect])))
	require.Equal(t, attempts, sum(o.ended[trace.OperationCorrect]))
	require.Equal(t, map[trace.Outcome]int{trace.OutcomeUnsatisfiable: 1}, o.ended[trace.OperationResolve])
}

// TestHooksOfAnAudit: its workers call hooks, at the same time.
func TestHooksOfAnAudit(t *testing.T) {
	var o operations
	r := resolver.New(resolver.WithHooks(o.hooks()))
	_, err := audit.Run(context.Background(), r, request().Catalogs, audit.Options{Workers: 4})
	require.NoError(t, err)
	require.Equal(t, []trace.Operation{trace.OperationAudit}, slices.Collect(maps.Keys(o.began)))
	require.GreaterOrEqual(t, o.began[trace.OperationAudit], 4, "each of four bundles is installed at least")
	require.Equal(t, o.began[trace.OperationAudit], sum(o.ended[trace.OperationAudit]))
}

// TestHooksAreAllCalled: hooks given one after the other are all called, in that
// order, and each may add to the context.
func TestHooksAreAllCalled(t *testing.T) {
	type mark string
	var heard []string
	hooks := func(name string) resolver.Option {
		return resolver.WithHooks(trace.Hooks{
			Resolution: func(ctx context.Context, e trace.Event) context.Context {
				if e.Began != nil {
					heard = append(heard, name)
				} else {
					heard = append(heard, fmt.Sprint(name, ctx.Value(mark("a")), ctx.Value(mark("b"))))
				}
				return context.WithValue(ctx, mark(name), name) // which counts for the first
			},
		})
	}
	must(resolver.New(hooks("a"), hooks("b")).Resolve(context.Background(), request("tracing")))
	require.Equal(t, []string{"a", "b", "aab", "bab"}, heard)
}

// TestHooksFromManyGoroutines: the hooks of one resolver hear of resolutions that
// run at the same time, and the context tells these apart.
func TestHooksFromManyGoroutines(t *testing.T) {
	type number struct{}
	var wrong, decided sync.Map
	r := resolver.New(resolver.WithHooks(trace.Hooks{
		Search: func(ctx context.Context, e trace.Event) {
			d := e.Decision
			if d == nil {
				return
			}
			decided.Store(fmt.Sprint(ctx.Value(number{}), d.Index, d.Choice.Bundle), true)
			if d.Kind == trace.DecisionSubscription && d.Subject != ctx.Value(number{}) {
				wrong.Store(d.Subject, ctx.Value(number{}))
			}
		},
	}))
	var wg sync.WaitGroup
	for i := range 8 {
		name := []string{"tracing", "collector"}[i%2]
		wg.Go(func() {
			must(r.Resolve(context.WithValue(context.Background(), number{}, name), request(name)))
		})
	}
	wg.Wait()
	wrong.Range(func(k, v any) bool { t.Errorf("%v is heard of by %v", k, v); return true })
	_, ok := decided.Load("tracing1collector.v3")
	require.True(t, ok)
}

// meter keeps how often something was counted and observed, as "name label=value …".
type meter struct{ counts, seen counters }

func newMeter() meter { return meter{make(counters), make(counters)} }

func (m meter) Count(ctx context.Context, name string, n int64, attrs ...slog.Attr) {
	m.counts.Count(ctx, name, n, attrs...)
}

func (meter) Gauge(context.Context, string, float64, ...slog.Attr) {}

func (m meter) Observe(ctx context.Context, name string, _ float64, attrs ...slog.Attr) {
	m.seen.Count(ctx, name, 1, attrs...)
}

// TestMetrics: what is documented is measured, no more and no less, and no label
// says a name.
func TestMetrics(t *testing.T) {
	m := newMeter()
	r := resolver.New(resolver.WithMetrics(&m))
	must(r.Resolve(context.Background(), request("tracing")))
	require.Equal(t, counters{"resolute_resolver_resolutions_total operation=resolve outcome=resolved": 1}, m.counts)
	require.Equal(t, counters{
		"resolute_resolver_resolution_duration_seconds operation=resolve outcome=resolved": 1,
		"resolute_resolver_reached_bundles operation=resolve outcome=resolved":             1,
	}, m.seen)

	m = newMeter()
	sol := must(r.With(resolver.WithDeadEnds(3)).Resolve(context.Background(), universe.Request(t, crowded(7))))
	solves := maps.Clone(m.counts)
	maps.DeleteFunc(solves, func(name string, _ int64) bool { return !strings.HasPrefix(name, "resolute_resolver_solves_total ") })
	require.Equal(t, int64(sol.Stats.Solves), sum(solves), "each call")
	require.Equal(t, int64(1), m.counts["resolute_resolver_solves_total purpose=feasible result=resolved"])
	require.Positive(t, m.counts["resolute_resolver_solves_total purpose=locate result=unsatisfiable"])
	require.Equal(t, int64(1), m.seen["resolute_resolver_formula_clauses purpose=feasible"])
	require.Equal(t, int64(1), m.seen["resolute_resolver_formula_variables purpose=feasible"])

	m = newMeter()
	req := request("tracing")
	req.Catalogs[0].Content = cache.NewCatalog(nil, nil)
	_, err := r.Resolve(context.Background(), req)
	require.Error(t, err)
	require.Equal(t, int64(1), m.counts["resolute_resolver_resolutions_total operation=resolve outcome=unsatisfiable"])
	require.Equal(t, int64(1), m.seen["resolute_resolver_conflict_facts operation=resolve"])

	m = newMeter()
	req.Policy.Failures = resolver.FailuresPartial
	must(r.Resolve(context.Background(), req))
	require.Equal(t, int64(1), m.counts["resolute_resolver_left_out_total operation=resolve"])
	for name := range m.seen {
		require.NotContains(t, name, "tracing")
	}
}

// TestLogging: what the caller asked for and did not get is at info level, the rest
// is for debugging; and names are inert.
func TestLogging(t *testing.T) {
	failing := request("tracing")
	failing.Catalogs[0].Content = cache.NewCatalog(nil, nil)
	partial := failing
	partial.Policy.Failures = resolver.FailuresPartial
	evil := request("tracing")
	evil.Namespace = "\x1b]0;x\u202e"
	do := func(req resolver.Request) func(*resolver.Resolver) {
		return func(r *resolver.Resolver) { r.Resolve(context.Background(), req) }
	}
	tests := map[string]struct {
		do   func(*resolver.Resolver)
		want []string // parts of each record
	}{
		"resolved": {do(request("tracing")), []string{`level=DEBUG msg=resolved operation=resolve outcome=resolved namespace=operators subscriptions=1 installed=0 reached=`}},
		"left out": {do(partial), []string{`level=INFO msg="subscription left out" subscription=tracing facts=`, `level=DEBUG msg=resolved`}},
		"part of something larger": {func(r *resolver.Resolver) { r.Converge(context.Background(), failing, resolver.ConvergeOptions{}) },
			[]string{`level=DEBUG msg="no solution" operation=converge`}},
		"inert": {do(evil), []string{`namespace=\x1b]0;x\u202e `}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			tc.do(resolver.New(resolver.WithLogger(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))))
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			require.Len(t, lines, len(tc.want), out.String())
			for i, want := range tc.want {
				require.Contains(t, lines[i], want)
			}
		})
	}
}

// An answer that a session cannot give from what it keeps begins once all the same.
func TestHooksOfASessionBeginOnce(t *testing.T) {
	ctx := context.Background()
	searches := 0
	r := resolver.New(resolver.WithHooks(trace.Hooks{
		Search: func(_ context.Context, e trace.Event) {
			if e.Search != nil {
				searches++
			}
		},
	}))
	s := testkit.Must(r.Session(ctx, request("tracing")))(t)
	changes := []resolver.Change{forbid("collector.v2"), forbid("collector.v3")}
	_, err := s.Resolve(ctx, changes...)
	conflict := testkit.As[*resolver.Conflict](t, err)
	inSession := searches

	req := testkit.Must(request("tracing").Apply(changes...))(t)
	searches = 0
	_, err = r.Resolve(ctx, req)
	require.ErrorAs(t, err, &conflict)
	require.NotZero(t, searches)
	require.Equal(t, searches, inSession)
}

// Questions that cannot be answered are told like all others: what begins, ends,
// with the error that the caller gets.
func TestHooksOfRefusedQuestions(t *testing.T) {
	ctx := context.Background()
	for name, ask := range map[string]func(*resolver.Session) error{
		"why not: no such bundle": func(s *resolver.Session) error {
			_, err := s.WhyNot(ctx, resolver.BundleRef{Name: "nowhere.v1"})
			return err
		},
		"why not: the context is over": func(s *resolver.Session) error {
			over, cancel := context.WithCancel(ctx)
			cancel()
			_, err := s.WhyNot(over, resolver.BundleRef{Name: "tracing.v1"})
			return err
		},
		"what if: no such subscription": func(s *resolver.Session) error {
			_, err := s.Resolve(ctx, resolver.DropSubscription{Subscription: "nowhere"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			began := 0
			var ended []error
			r := resolver.New(resolver.WithHooks(trace.Hooks{
				Resolution: func(_ context.Context, e trace.Event) context.Context {
					switch {
					case e.Began != nil:
						began++
					case e.Ended != nil:
						ended = append(ended, e.Ended.Err)
					}
					return nil
				},
			}))
			s := testkit.Must(r.Session(ctx, request("tracing")))(t)
			err := ask(s)
			require.Error(t, err)
			require.Equal(t, 1, began)
			require.Equal(t, []error{err}, ended)
		})
	}
}

// TestObservingIsFree: a resolver without observers allocates less than one that
// is, and a logger that is off costs nothing.
func TestObservingIsFree(t *testing.T) {
	req := request("tracing", "collector")
	allocs := func(opts ...resolver.Option) float64 {
		r := resolver.New(opts...)
		return testing.AllocsPerRun(50, func() { must(r.Resolve(context.Background(), req)) })
	}
	off := allocs()
	require.Equal(t, off, allocs(resolver.WithLogger(slog.New(slog.DiscardHandler))), "a logger that is off")
	require.Less(t, off, allocs(resolver.WithHooks((&everything{}).hooks())), "the test sees what is allocated")
	require.Less(t, off, allocs(resolver.WithMetrics(make(counters))))
}
