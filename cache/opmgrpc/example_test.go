package opmgrpc_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed109e2655/resolute/cache/opmgrpc"
	"github.com/seed109e2655/resolute/cache/opmgrpc/internal/api"
)

// This reads the catalog of a server. In a cluster the address is, for example,
// operatorhubio-catalog.olm.svc:50051. A cache.Cache accepts the source directly.
func ExampleNew() {
	address, stop, err := (&double{bundles: []*api.Bundle{bundle("etcd", "c", "etcd.v1.0.0")}}).listen()
	if err != nil {
		log.Fatal(err)
	}
	defer stop()
	source, err := opmgrpc.New(address, opmgrpc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	content, err := source.Load(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	for p := range content.Catalog.Packages() {
		fmt.Println(p.Name, p.DefaultChannel, p.Bundles[0].Name)
	}
	// Output: etcd c etcd.v1.0.0
}
