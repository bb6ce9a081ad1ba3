package libsolv_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed109e2655/resolute/benchmarks/libsolv"
	"github.com/seed109e2655/resolute/benchmarks/synthetic"
)

// A request in the language of libsolv.
func ExampleTranslate() {
	ctx := context.Background()
	g, err := synthetic.New(synthetic.Config{Packages: 2, Versions: 2, Fanout: 1})
	if err != nil {
		log.Fatal(err)
	}
	req, err := g.Request(ctx)
	if err != nil {
		log.Fatal(err)
	}
	test, err := libsolv.Translate(ctx, req)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(test.Repos[1].Text))
	for _, job := range test.Jobs {
		fmt.Println("job", job)
	}
	// Output:
	// =Ver: 3.0
	// =Pkg: pkg-000000 1.1.0 1 noarch
	// =Prv: pkg-000000 = 1.1.0
	// =Prv: gvk(pkg-000000.example.com/v1/Kind000000)
	// =Pkg: pkg-000000 1.0.0 1 noarch
	// =Prv: pkg-000000 = 1.0.0
	// =Prv: gvk(pkg-000000.example.com/v1/Kind000000)
	// =Pkg: pkg-000001 1.1.0 1 noarch
	// =Prv: pkg-000001 = 1.1.0
	// =Prv: gvk(pkg-000001.example.com/v1/Kind000001)
	// =Req: pkg-000000 >= 1.0.0
	// =Pkg: pkg-000001 1.0.0 1 noarch
	// =Prv: pkg-000001 = 1.0.0
	// =Prv: gvk(pkg-000001.example.com/v1/Kind000001)
	// =Req: pkg-000000 >= 1.0.0
	// job verify all packages
	// job install oneof pkg-000001-1.1.0-1.noarch@bench_catalog-0 pkg-000001-1.0.0-1.noarch@bench_catalog-0
}
