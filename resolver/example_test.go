package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// operators is a small catalog: tracing needs a collector's API, which collector
// provides from its second version on; collector moves one version at a time.
const operators = `
{schema: olm.package, name: collector, defaultChannel: stable}
---
{schema: olm.channel, package: collector, name: stable, entries: [{name: collector.v1},
  {name: collector.v2, replaces: collector.v1}, {name: collector.v3, replaces: collector.v2}]}
---
{schema: olm.bundle, package: collector, name: collector.v1, image: registry.example/collector:1.0.0, properties: [
  {type: olm.package, value: {packageName: collector, version: 1.0.0}}]}
---
{schema: olm.bundle, package: collector, name: collector.v2, image: registry.example/collector:2.0.0, properties: [
  {type: olm.package, value: {packageName: collector, version: 2.0.0}},
  {type: olm.gvk, value: {group: collector.example.com, version: v1, kind: Collector}}]}
---
{schema: olm.bundle, package: collector, name: collector.v3, image: registry.example/collector:3.0.0, properties: [
  {type: olm.package, value: {packageName: collector, version: 3.0.0}},
  {type: olm.gvk, value: {group: collector.example.com, version: v1, kind: Collector}}]}
---
{schema: olm.package, name: tracing, defaultChannel: stable}
---
{schema: olm.channel, package: tracing, name: stable, entries: [{name: tracing.v1}]}
---
{schema: olm.bundle, package: tracing, name: tracing.v1, image: registry.example/tracing:1.0.0, properties: [
  {type: olm.package, value: {packageName: tracing, version: 1.0.0}},
  {type: olm.gvk.required, value: {group: collector.example.com, version: v1, kind: Collector}}]}
`

// request asks for subscriptions to packages of that catalog.
func request(packages ...string) resolver.Request {
	catalog, err := fbc.Read(context.Background(), strings.NewReader(operators), "operators.yaml", fbc.Options{})
	if err != nil {
		panic(err)
	}
	req := resolver.Request{
		Namespace: "operators",
		Catalogs:  []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "community"}, Content: catalog}},
	}
	for _, p := range packages {
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: p, Package: p})
	}
	return req
}

// A subscription to tracing brings what tracing needs, in an earlier wave. Catalogs are
// read of files, images or servers by what lies below package cache.
func Example() {
	ctx, key := context.Background(), cache.Key{Namespace: "olm", Name: "community"}
	community, err := fbc.Read(ctx, strings.NewReader(operators), "operators.yaml", fbc.Options{Catalog: key})
	if err != nil {
		log.Fatal(err)
	}
	solution, err := resolver.New().Resolve(ctx, resolver.Request{
		Namespace:     "operators",
		Catalogs:      []resolver.Catalog{{Key: key, Content: community}},
		Subscriptions: []resolver.Subscription{{Name: "traces", Package: "tracing"}},
	})
	if err != nil {
		log.Fatal(err) // a *resolver.Conflict says why there is no solution
	}
	for _, step := range solution.Steps {
		fmt.Println(step.Wave, step.Action, step.Bundle)
	}
	// Output:
	// 0 install collector.v3
	// 1 install tracing.v1
}

// A request without a solution is a Conflict: facts for programs, an argument for
// people.
func ExampleConflict() {
	req := request("tracing")
	for _, name := range []string{"collector.v2", "collector.v3"} {
		req.Forbid = append(req.Forbid, resolver.Forbidden{
			Bundle: resolver.BundleRef{Name: name}, Message: "loses spans"})
	}
	_, err := resolver.New().Resolve(context.Background(), req)
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		for _, f := range conflict.Facts {
			fmt.Println(f.Kind, f.Subject)
		}
		fmt.Print(conflict.Text())
	}
	// Output:
	// subscription tracing
	// forbidden collector.v2
	// forbidden collector.v3
	// constraint tracing.v1
	// Subscription tracing cannot be met:
	// Subscription tracing asks for package tracing.
	// - tracing.v1 requires an operator that provides collector.example.com/v1/Collector.
	//   - Each of collector.v3 and collector.v2 is forbidden by the request ("loses spans").
}

// A session answers what-ifs about one request, and says what differs.
func ExampleSession_Resolve() {
	ctx := context.Background()
	s, err := resolver.New().Session(ctx, request("tracing"))
	if err != nil {
		log.Fatal(err)
	}
	base, err := s.Resolve(ctx)
	if err != nil {
		log.Fatal(err)
	}
	changed, err := s.Resolve(ctx, resolver.ForbidBundle{Bundle: resolver.BundleRef{Name: "collector.v3"}, Message: "too new"})
	if err != nil {
		log.Fatal(err)
	}
	diff := whatif.Compare(base, changed)
	fmt.Println("upgrade", diff.Upgrade, "keep", diff.Keep)
	// Output:
	// upgrade [{collector collector.v3 collector.v2}] keep [tracing.v1]
}

// WhyNot names what is in the way of a bundle, or what leads to it.
func ExampleSession_WhyNot() {
	ctx := context.Background()
	s, err := resolver.New().Session(ctx, request("tracing"))
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"collector.v3", "collector.v2"} {
		why, err := s.WhyNot(ctx, resolver.BundleRef{Name: name})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(why.Text())
	}
	// Output:
	// collector.v3 is in the result:
	// - subscription tracing is met by tracing.v1
	//   - tracing.v1 requires an operator that provides collector.example.com/v1/Collector, which collector.v3 makes hold
	// collector.v2 is not in the result: collector.v3 is selected instead, because it is nearer to the head of the channel.
}

// Converge follows the updates one edge at a time until nothing changes.
func ExampleResolver_Converge() {
	req := request("collector")
	req.Installed = []resolver.Installed{{Name: "collector.v1", Subscription: "collector"}}
	path, err := resolver.New().Converge(context.Background(), req, resolver.ConvergeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for i, round := range path.Rounds {
		fmt.Println(i+1, round.Steps[0].Replaces, round.Steps[0].Bundle)
	}
	// Output:
	// 1 [collector.v1] collector.v2
	// 2 [collector.v2] collector.v3
}

// A veto is a rule of the program's own about bundles, asked as they are reached.
func ExampleRequest_veto() {
	req := request("tracing")
	req.Veto = func(_ context.Context, _ cache.Key, b *graph.Bundle) (string, error) {
		if b.Version.Major > 2 {
			return "not approved yet", nil
		}
		return "", nil
	}
	sol, err := resolver.New().Resolve(context.Background(), req)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sol.Set())
	// Output:
	// [collector.v2 tracing.v1]
}

// A program says a conflict in its own words by the step that left nothing, and its names.
func ExampleConflict_steps() {
	req := request("tracing")
	req.Subscriptions[0].Channels = []string{"fast"}
	_, err := resolver.New().Resolve(context.Background(), req)
	var conflict *resolver.Conflict
	if !errors.As(err, &conflict) {
		return
	}
	for _, f := range conflict.Facts {
		if f.Cause == argument.CauseChannel {
			fmt.Printf("%s: %s does not have %s\n", f.Subscription, f.Package, strings.Join(f.Names, ", "))
		}
	}
	// Output:
	// tracing: tracing does not have fast
}

// A program that makes the changes of corrections itself takes them apart by their types.
func ExampleChange() {
	for _, c := range []resolver.Change{
		resolver.ReleasePin{Subscription: "tracing", Pin: "tracing.v1"},
		resolver.FollowChannel{Subscription: "tracing", Channel: "fast"},
		resolver.RemoveInstalled{Bundle: "collector.v1"},
	} {
		switch c := c.(type) {
		case resolver.FollowChannel:
			fmt.Printf("set spec.channel of %s to %s\n", c.Subscription, c.Channel)
		case resolver.RemoveInstalled:
			fmt.Printf("delete %s\n", c.Bundle)
		default:
			fmt.Printf("%s: %s\n", c.Kind(), c)
		}
	}
	// Output:
	// releasePin: release the pin to tracing.v1 of subscription tracing
	// set spec.channel of tracing to fast
	// delete collector.v1
}
