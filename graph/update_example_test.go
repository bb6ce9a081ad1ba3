package graph_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// foo builds a package with one channel. Its bundles are those of the entries;
// each has the version that its name ends with.
func foo(entries ...graph.EntryDecl) *graph.Package {
	d := graph.PackageDecl{
		Name:        "foo",
		Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable"}},
		Channels:    []graph.ChannelDecl{{Name: "stable", Entries: entries}},
	}
	for _, e := range entries {
		p, err := properties.New(properties.TypePackage, []byte(`{"packageName":"foo","version":"`+strings.TrimPrefix(e.Name, "foo.v")+`"}`))
		if err != nil {
			panic(err) // only in an example
		}
		d.Bundles = append(d.Bundles, graph.BundleDecl{Name: e.Name, Properties: properties.NewSet(p)})
	}
	return graph.Build(d, graph.Options{})
}

// Skipping upgrades: 0.1.2 has a flaw that must not reach anyone who does not
// run it yet, so 0.1.3 takes its place. Who runs 0.1.2 goes on to 0.1.3, and so
// does who runs 0.1.1.
func Example_skippingUpgrades() {
	after := foo(
		graph.EntryDecl{Name: "foo.v0.1.1"},
		graph.EntryDecl{Name: "foo.v0.1.2", Replaces: "foo.v0.1.1"},
		graph.EntryDecl{Name: "foo.v0.1.3", Replaces: "foo.v0.1.1", Skips: []string{"foo.v0.1.2"}},
	)
	if err := draw.Mermaid(context.Background(), os.Stdout, after, draw.Options{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// flowchart BT
	//   subgraph c0["channel stable (default)"]
	//     n0_0["0.1.3<br/>head"]
	//     n0_1["0.1.2<br/>skipped"]
	//     n0_2["0.1.1"]
	//   end
	//   n0_1 -.->|"skips"| n0_0
	//   n0_2 -->|"replaces"| n0_0
	//   n0_2 ---|"replaces"| n0_1
	//   classDef head fill:#d9efdc,stroke:#1f7a33,color:#000000
	//   class n0_0 head
	//   classDef skipped fill:#eceef1,stroke:#7c8794,color:#000000
	//   class n0_1 skipped
}

// Replacing several operators: 0.1.4 replaces all that came before it, be it in
// the catalog or not, by their versions. The path of each is one step long.
func Example_replacingSeveral() {
	p := foo(
		graph.EntryDecl{Name: "foo.v0.1.1"},
		graph.EntryDecl{Name: "foo.v0.1.2", Replaces: "foo.v0.1.1"},
		graph.EntryDecl{Name: "foo.v0.1.3", Replaces: "foo.v0.1.2"},
		graph.EntryDecl{Name: "foo.v0.1.4", Replaces: "foo.v0.1.3", SkipRange: ">=0.1.0 <0.1.4"},
	)
	show := draw.Options{Installed: []graph.Installed{{Name: "foo.v0.1.0", Version: semver.MustParse("0.1.0")}}}
	if err := draw.Text(context.Background(), os.Stdout, p, show); err != nil {
		fmt.Println(err)
	}
	fmt.Println()
	if err := draw.Mermaid(context.Background(), os.Stdout, p, show); err != nil {
		fmt.Println(err)
	}
	// Output:
	// package foo, default channel stable
	//
	// channel stable: 4 entries, head foo.v0.1.4
	// ● foo.v0.1.4  head
	// ● foo.v0.1.3
	// ● foo.v0.1.2  → foo.v0.1.4 (skipRange)
	// ● foo.v0.1.1  → foo.v0.1.4 (skipRange)
	//
	// ○ foo.v0.1.0  installed, not in the channel, → foo.v0.1.4 (skipRange)
	//
	// flowchart BT
	//   subgraph c0["channel stable (default)"]
	//     n0_0["0.1.4<br/>head"]
	//     n0_1["0.1.3"]
	//     n0_2["0.1.2"]
	//     n0_3["0.1.1"]
	//     n0_4["0.1.0<br/>installed, not in the channel"]
	//   end
	//   n0_1 -->|"replaces, skipRange"| n0_0
	//   n0_2 -.->|"skipRange"| n0_0
	//   n0_2 -->|"replaces"| n0_1
	//   n0_3 -.->|"skipRange"| n0_0
	//   n0_3 -->|"replaces"| n0_2
	//   n0_4 -.->|"skipRange"| n0_0
	//   classDef head fill:#d9efdc,stroke:#1f7a33,color:#000000
	//   class n0_0 head
	//   classDef outside fill:#f1f1f1,stroke:#9a9a9a,color:#000000
	//   class n0_4 outside
}

// Z-stream support: each release of a minor version leads to the newest one of
// it, and from there to the next minor version. 4.5.3 was made after 4.6.0.
func Example_zStream() {
	p := foo(
		graph.EntryDecl{Name: "foo.v4.5.1"},
		graph.EntryDecl{Name: "foo.v4.5.2", Replaces: "foo.v4.5.1"},
		graph.EntryDecl{Name: "foo.v4.6.0", Replaces: "foo.v4.5.2"},
		graph.EntryDecl{Name: "foo.v4.5.3", Replaces: "foo.v4.5.2", SkipRange: ">=4.5.0 <4.5.3"},
		graph.EntryDecl{Name: "foo.v4.6.1", Replaces: "foo.v4.5.3", Skips: []string{"foo.v4.6.0"}},
	)
	u, err := graph.NewUpdates(context.Background(), p, graph.UpdateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	path, err := u.ShortestPath("foo.v4.5.1", "foo.v4.6.1")
	fmt.Println(path, err)
	fmt.Println()
	if err := draw.Text(context.Background(), os.Stdout, p, draw.Options{AllEdges: true}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// foo.v4.5.1 reaches foo.v4.6.1 in 2 steps in channel stable: foo.v4.5.1 → foo.v4.5.3 (skipRange) → foo.v4.6.1 (replaces) <nil>
	//
	// package foo, default channel stable
	//
	// channel stable: 5 entries, 4 offered, head foo.v4.6.1
	// ● foo.v4.6.1    head
	// ├─○ foo.v4.6.0  skipped by foo.v4.6.1, → foo.v4.6.1 (skips)
	// ● foo.v4.5.3    → foo.v4.6.1 (replaces)
	// ● foo.v4.5.2    → foo.v4.5.3 (replaces, skipRange)
	// ● foo.v4.5.1    → foo.v4.5.3 (skipRange), → foo.v4.5.2 (replaces)
}

func ExampleChannel_DeadEnds() {
	// A cluster that runs 1.1.0 is stuck, because what replaces it is skipped, and
	// the head does not lead on from it.
	p := foo(
		graph.EntryDecl{Name: "foo.v1.1.0"},
		graph.EntryDecl{Name: "foo.v1.2.0", Replaces: "foo.v1.1.0"},
		graph.EntryDecl{Name: "foo.v1.3.0", Replaces: "foo.v1.2.0", Skips: []string{"foo.v1.2.0"}},
	)
	found, err := p.Channel("stable").DeadEnds(context.Background())
	if err != nil {
		fmt.Println(err)
	}
	for _, d := range found {
		fmt.Println("upgrades of", d.Bundle, "end at", d.Furthest)
	}
	// Output:
	// upgrades of foo.v1.1.0 end at foo.v1.1.0
}

func ExampleUpdates_Successors() {
	p := foo(
		graph.EntryDecl{Name: "foo.v1.0.0"},
		graph.EntryDecl{Name: "foo.v1.1.0", Replaces: "foo.v1.0.0"},
		graph.EntryDecl{Name: "foo.v1.2.0", Replaces: "foo.v1.1.0", SkipRange: "<1.2.0"},
	)
	u, err := graph.NewUpdates(context.Background(), p, graph.UpdateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range u.Successors("foo.v1.0.0") {
		fmt.Println(e)
	}
	// Output:
	// foo.v1.0.0 → foo.v1.2.0 (skipRange in stable)
	// foo.v1.0.0 → foo.v1.1.0 (replaces in stable)
}
