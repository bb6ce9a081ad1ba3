package draw_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// foo builds a package of three versions, the last of which replaces the first and skips the
// second.
func foo() *graph.Package {
	d := graph.PackageDecl{
		Name:        "foo",
		Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable"}},
		Channels: []graph.ChannelDecl{{Name: "stable", Entries: []graph.EntryDecl{
			{Name: "foo.v1.0.0"},
			{Name: "foo.v1.0.1", Replaces: "foo.v1.0.0"},
			{Name: "foo.v1.0.2", Replaces: "foo.v1.0.0", Skips: []string{"foo.v1.0.1"}},
		}}},
	}
	for _, version := range []string{"1.0.0", "1.0.1", "1.0.2"} {
		p, err := properties.New(properties.TypePackage, []byte(`{"packageName":"foo","version":"`+version+`"}`))
		if err != nil {
			panic(err) // only in an example
		}
		d.Bundles = append(d.Bundles, graph.BundleDecl{Name: "foo.v" + version, Properties: properties.NewSet(p)})
	}
	return graph.Build(d, graph.Options{})
}

func ExampleText() {
	if err := draw.Text(context.Background(), os.Stdout, foo(), draw.Options{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// package foo, default channel stable
	//
	// channel stable: 3 entries, 2 offered, head foo.v1.0.2
	// ● foo.v1.0.2    head
	// ├─○ foo.v1.0.1  skipped by foo.v1.0.2
	// ● foo.v1.0.0
}

func ExampleData() {
	channels, err := draw.Data(context.Background(), foo(), draw.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range channels[0].Entries {
		data, err := json.Marshal(e)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(data))
	}
	// Output:
	// {"bundle":"foo.v1.0.2","version":"1.0.2","position":0,"successors":[]}
	// {"bundle":"foo.v1.0.0","version":"1.0.0","position":1,"successors":["foo.v1.0.2"],"edges":[{"to":"foo.v1.0.2","reasons":["replaces"]}]}
	// {"bundle":"foo.v1.0.1","version":"1.0.1","skipped":true,"skippedBy":"foo.v1.0.2","successors":["foo.v1.0.2"],"edges":[{"to":"foo.v1.0.2","reasons":["skips"]}]}
}

// A diagram of a solution: what is installed first, and what then.
func ExampleSolution() {
	solution := &resolver.Solution{Steps: []resolver.Step{
		{
			Bundle: "collector.v3.0.0", Action: resolver.Upgrade, Replaces: []string{"collector.v2.0.0"},
			Because: []resolver.Reason{
				{Subscription: "collector"},
				{Bundle: "tracing.v1.0.0", Constraint: "an operator that provides collector.example.com/v1/Collector"},
			},
		},
		{Bundle: "tracing.v1.0.0", Action: resolver.Install, Wave: 1, Because: []resolver.Reason{{Subscription: "tracing"}}},
		{Bundle: "etcd.v0.9.0", Action: resolver.Keep, Because: []resolver.Reason{{Subscription: "etcd"}}},
	}}
	if err := draw.Solution(solution).WriteMermaid(context.Background(), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// flowchart LR
	//   subgraph w0["first"]
	//     b0["#126; collector 2.0.0 → 3.0.0<br/>for subscription collector, and 1 more"]
	//   end
	//   subgraph w1["then"]
	//     b1["+ tracing 1.0.0<br/>for subscription tracing"]
	//   end
	//   subgraph kept["unchanged"]
	//     stay["= 1 stays<br/>etcd 0.9.0"]
	//   end
	//   w0 --> w1
	//   classDef upgraded fill:#eaf2ff,stroke:#1f6feb,color:#000000
	//   class b0 upgraded
	//   classDef added fill:#e9f7ef,stroke:#1a7f4b,color:#000000
	//   class b1 added
}
