package draw_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// foo builds a package of three versions, of which the last takes the place of
// the one before it.
func foo() *graph.Package {
	d := graph.PackageDecl{
		Name:        "foo",
		Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable"}},
		Channels: []graph.ChannelDecl{{Name: "stable", Entries: []graph.EntryDecl{
			{Name: "foo.v1.0.0"},
			{Name: "foo.v1.0.1", Replaces: "foo.v1.0.0"},
			{Name: "foo.v1.0.2", Replaces: "foo.v1.0.0", SkipDecl: &graph.SkipDecl{Skips: []string{"foo.v1.0.1"}}},
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
	// ● foo.v1.0.2    1.0.2  head
	// ├─○ foo.v1.0.1  1.0.1  skipped by foo.v1.0.2
	// ● foo.v1.0.0    1.0.0
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
