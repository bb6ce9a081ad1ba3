package synthetic_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/resolver"
)

// A tiny catalog on standard output.
func ExampleGenerator_WriteCatalog() {
	g, err := synthetic.New(synthetic.Config{Packages: 2, Versions: 1, Fanout: 1})
	if err != nil {
		log.Fatal(err)
	}
	if err := g.WriteCatalog(os.Stdout, 0); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"schema":"olm.package","name":"pkg-000000","defaultChannel":"stable"}
	// {"schema":"olm.channel","package":"pkg-000000","name":"stable","entries":[{"name":"pkg-000000.v1.0.0"}]}
	// {"schema":"olm.bundle","package":"pkg-000000","name":"pkg-000000.v1.0.0","image":"registry.example/pkg-000000:1.0.0","properties":[{"type":"olm.package","value":{"packageName":"pkg-000000","version":"1.0.0"}},{"type":"olm.gvk","value":{"group":"pkg-000000.example.com","version":"v1","kind":"Kind000000"}}]}
	// {"schema":"olm.package","name":"pkg-000001","defaultChannel":"stable"}
	// {"schema":"olm.channel","package":"pkg-000001","name":"stable","entries":[{"name":"pkg-000001.v1.0.0"}]}
	// {"schema":"olm.bundle","package":"pkg-000001","name":"pkg-000001.v1.0.0","image":"registry.example/pkg-000001:1.0.0","properties":[{"type":"olm.package","value":{"packageName":"pkg-000001","version":"1.0.0"}},{"type":"olm.gvk","value":{"group":"pkg-000001.example.com","version":"v1","kind":"Kind000001"}},{"type":"olm.package.required","value":{"packageName":"pkg-000000","versionRange":">=1.0.0"}}]}
}

// The instance of the project's performance goals, ten times larger.
func ExamplePreset() {
	cfg, _ := synthetic.Preset("random")
	cfg.Packages *= 10
	g, err := synthetic.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	top := cfg.Packages - 1
	fmt.Println(synthetic.PackageName(top), "pulls in", len(g.Pulls(top)), "packages")
	// Output: pkg-009999 pulls in 7889 packages
}

// An instance is resolved without files.
func ExampleGenerator_Request() {
	ctx := context.Background()
	cfg, _ := synthetic.Preset("diamond")
	g, err := synthetic.New(cfg.Sized(40)) // one diamond
	if err != nil {
		log.Fatal(err)
	}
	req, err := g.Request(ctx)
	if err != nil {
		log.Fatal(err)
	}
	sol, err := resolver.New().Resolve(ctx, req)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range sol.Steps {
		fmt.Println(s.Bundle)
	}
	// Output:
	// pkg-000000.v1.9.0
	// pkg-000001.v1.9.0
	// pkg-000002.v1.0.0
	// pkg-000003.v1.9.0
}

// The request of an instance, for a file beside its catalogs.
func ExampleGenerator_Scenario() {
	g, err := synthetic.New(synthetic.Config{Packages: 4, Catalogs: 2, Subscriptions: 2, Installed: 1})
	if err != nil {
		log.Fatal(err)
	}
	s := g.Scenario(func(catalog int) string { return synthetic.CatalogName(catalog) + ".jsonl" })
	if err := s.Write(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// namespace: bench
	// catalogs:
	// - {name: catalog-0, namespace: bench, priority: 10, path: catalog-0.jsonl}
	// - {name: catalog-1, namespace: global, path: catalog-1.jsonl}
	// installed:
	// - name: pkg-000003.v1.3.0
	//   package: pkg-000003
	//   version: 1.3.0
	//   catalog: global/catalog-1
	//   channel: stable
	// subscriptions:
	// - {name: pkg-000003, package: pkg-000003, channel: stable, installedCSV: pkg-000003.v1.3.0}
	// - {name: pkg-000001, package: pkg-000001}
}
