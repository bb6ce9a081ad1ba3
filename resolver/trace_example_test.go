package resolver_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// A trace shows how an answer was found.
func Example_trace() {
	req := request("collector", "tracing")
	req.Forbid = []resolver.Forbidden{{Bundle: resolver.BundleRef{Name: "collector.v3"}}}
	recorder := trace.NewRecorder(trace.Options{})
	sol, err := resolver.New(resolver.WithHooks(recorder.Hooks())).Resolve(context.Background(), req)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sol.Set())
	fmt.Print(recorder.Trace().Text())
	// Output:
	// [collector.v2 tracing.v1]
	// 2 subscriptions and 0 installed bundles in namespace operators
	// search started with a lookahead of 1 level
	// 1. subscription collector
	//     collector.v3 (olm/community): no, the request forbids it
	//     collector.v2 (olm/community): chosen
	// 2. subscription tracing
	//     tracing.v1 (olm/community): chosen
	// 3. tracing.v1 (olm/community) requires an operator that provides collector.example.com/v1/Collector
	//     satisfied already by collector.v2
	// answer: resolved with 2 bundles: collector.v2, tracing.v1
	// work: 3 of 4 bundles reached, 0 solver calls
}

// Hooks are called while a resolution goes on. What ResolveBegan puts into
// the context, a span for example, comes with all that follows.
func ExampleWithHooks() {
	type started struct{}
	r := resolver.New(resolver.WithHooks(trace.Hooks{
		Resolution: func(ctx context.Context, e trace.Event) context.Context {
			switch {
			case e.Began != nil:
				fmt.Printf("%s: %d subscriptions\n", e.Began.Operation, e.Began.Subscriptions)
				return context.WithValue(ctx, started{}, time.Now())
			case e.Ended != nil:
				took := time.Since(ctx.Value(started{}).(time.Time))
				fmt.Printf("%s, %d solver calls, at once: %v\n", e.Ended.Outcome, e.Ended.Stats.Solves, took < time.Minute)
			}
			return nil
		},
		Search: func(_ context.Context, e trace.Event) {
			if d := e.Decision; d != nil {
				fmt.Printf("%s %s: %s %s\n", d.Kind, d.Subject, d.Result, d.Choice.Bundle)
			}
		},
	}))
	if _, err := r.Resolve(context.Background(), request("tracing")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// resolve: 1 subscriptions
	// subscription tracing: chosen tracing.v1
	// constraint tracing.v1: chosen collector.v3
	// resolved, 0 solver calls, at once: true
}

// counters is all it takes to be [cache.Metrics]; adapters to Prometheus or
// OpenTelemetry look up their instruments by name in the same places.
type counters map[string]int64

func (c counters) Count(_ context.Context, name string, n int64, attrs ...slog.Attr) {
	for _, a := range attrs {
		name += fmt.Sprintf(" %s=%s", a.Key, a.Value)
	}
	c[name] += n
}
func (counters) Gauge(context.Context, string, float64, ...slog.Attr)   {}
func (counters) Observe(context.Context, string, float64, ...slog.Attr) {}

func ExampleWithMetrics() {
	metrics := make(counters)
	r := resolver.New(resolver.WithMetrics(metrics))
	for range 3 {
		if _, err := r.Resolve(context.Background(), request("tracing")); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(metrics)
	// Output:
	// map[resolute_resolver_resolutions_total operation=resolve outcome=resolved:3]
}

// The hard rules of a request, for other solvers.
func ExampleResolver_WriteDIMACS() {
	err := resolver.New().WriteDIMACS(context.Background(), os.Stdout, request("tracing"))
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// c the hard rules of a request: 1 subscription, 0 installed bundles
	// c bundles by variable; variables that are not listed are auxiliary
	// c 1 olm/community tracing.v1
	// c 2 olm/community collector.v3
	// c 3 olm/community collector.v2
	// p cnf 4 4
	// 1 0
	// -4 2 3 0
	// -1 4 0
	// -2 -3 0
}

// A cache keeps catalogs fresh; each resolution takes one view of it.
func ExampleCatalogs() {
	catalogs, err := cache.New(cache.Config{Sources: []cache.SourceConfig{
		{Key: cache.Key{Namespace: "olm", Name: "community"}, Source: cache.NewMemory(request().Catalogs[0].Content)},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer catalogs.Close()

	view, err := catalogs.Snapshot(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	sol, err := resolver.New().Resolve(context.Background(), resolver.Request{
		Namespace:     "operators",
		Catalogs:      resolver.Catalogs(view),
		Subscriptions: []resolver.Subscription{{Name: "tracing", Package: "tracing"}},
		Policy:        resolver.Policy{Unavailable: resolver.UnavailableLastGood},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sol.Set())
	// Output:
	// [collector.v3 tracing.v1]
}
