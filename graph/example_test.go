package graph_test

import (
	"fmt"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// etcdPackage declares two versions of etcd and one in between that is skipped.
func etcdPackage() graph.PackageDecl {
	version := func(name, version string) graph.BundleDecl {
		p, err := properties.New(properties.TypePackage, []byte(`{"packageName":"etcd","version":"`+version+`"}`))
		if err != nil {
			panic(err) // only in an example
		}
		return graph.BundleDecl{Name: name, Properties: properties.NewSet(p)}
	}
	return graph.PackageDecl{
		Name:        "etcd",
		Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable"}},
		Channels: []graph.ChannelDecl{{Name: "stable", Entries: []graph.EntryDecl{
			{Name: "etcd.v0.9.0"},
			{Name: "etcd.v0.9.1", Replaces: "etcd.v0.9.0"},
			{Name: "etcd.v0.9.2", Replaces: "etcd.v0.9.0", Skips: []string{"etcd.v0.9.1"}, SkipRange: "<0.9.0"},
		}}},
		Bundles: []graph.BundleDecl{
			version("etcd.v0.9.0", "0.9.0"), version("etcd.v0.9.1", "0.9.1"), version("etcd.v0.9.2", "0.9.2"),
		},
	}
}

// A declaration says what a catalog's blobs say. Readers of catalogs make it of them.
func Example() {
	declaration := etcdPackage()
	channel := graph.Build(declaration, graph.Options{}).Channel("stable")
	fmt.Println("head:", channel.Head().Name)
	for _, next := range channel.Successors("etcd.v0.9.0", semver.MustParse("0.9.0")) {
		fmt.Println("etcd.v0.9.0 can be upgraded to", next.Name)
	}
	// Output:
	// head: etcd.v0.9.2
	// etcd.v0.9.0 can be upgraded to etcd.v0.9.2
}

func ExampleBuild() {
	p := graph.Build(etcdPackage(), graph.Options{})
	channel := p.Channel("stable")
	fmt.Println("head:", channel.Head().Name)
	for position, b := range channel.Candidates() {
		fmt.Println(position, b.Name, b.Version)
	}
	// Output:
	// head: etcd.v0.9.2
	// 0 etcd.v0.9.2 0.9.2
	// 1 etcd.v0.9.0 0.9.0
}

// What is wrong with a catalog is a problem, and quarantines no more than it
// has to.
func ExampleBuild_problems() {
	d := etcdPackage()
	d.Channels[0].Entries[2].Skips = nil // now nothing follows v0.9.1
	p := graph.Build(d, graph.Options{})
	for i := range p.Problems {
		problem := &p.Problems[i]
		fmt.Println(problem.Severity, problem.Code, "quarantines the", problem.Quarantined)
		fmt.Println(problem)
	}
	// Output:
	// error severalHeads quarantines the channel
	// channel "stable" of package "etcd" has 2 heads, "etcd.v0.9.1" and "etcd.v0.9.2": let one entry replace or skip the others
}

func ExampleChannel_Successors() {
	channel := graph.Build(etcdPackage(), graph.Options{}).Channel("stable")
	for _, installed := range []struct{ name, version string }{
		{"etcd.v0.9.0", "0.9.0"}, // replaced
		{"etcd.v0.9.1", "0.9.1"}, // skipped
		{"etcd.v0.6.1", "0.6.1"}, // inside the skipRange
		{"etcd.v0.9.2", "0.9.2"}, // the head
	} {
		var next []string
		for _, e := range channel.Successors(installed.name, semver.MustParse(installed.version)) {
			next = append(next, e.Name)
		}
		fmt.Println(installed.name, "→", next)
	}
	// Output:
	// etcd.v0.9.0 → [etcd.v0.9.2]
	// etcd.v0.9.1 → [etcd.v0.9.2]
	// etcd.v0.6.1 → [etcd.v0.9.2]
	// etcd.v0.9.2 → []
}

func ExampleProblem_Error() {
	err := error(&graph.Problem{File: "catalog/etcd.yaml", Line: 12, Message: `channel "stable" of package "etcd" has no entries`})
	fmt.Println(err)
	// Output: catalog/etcd.yaml:12: channel "stable" of package "etcd" has no entries
}

func ExampleEntry_Upgrades() {
	entry := graph.Build(etcdPackage(), graph.Options{}).Channel("stable").Head()
	fmt.Println(entry.Upgrades("etcd.v0.9.1", semver.MustParse("0.9.1")), entry.Upgrades("etcd.v1.0.0", semver.MustParse("1.0.0")))
	// Output: true false
}
