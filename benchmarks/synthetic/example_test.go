package synthetic_test

import (
	"fmt"
	"log"
	"os"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
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

// The instance of the project's goals for speed, ten times as large.
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
