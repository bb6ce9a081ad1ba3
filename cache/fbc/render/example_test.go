package render_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"testing/fstest"

	"github.com/seed109e2655/resolute/cache/fbc/render"
)

// Files in any order become one catalog in a fixed order, with all that they say.
func Example() {
	catalog := fstest.MapFS{
		"etcd/bundles.yaml":  {Data: []byte("schema: olm.bundle\npackage: etcd\nname: etcd.v0.9.4\nimage: quay.io/example/etcd:v0.9.4\n")},
		"etcd/package.json":  {Data: []byte(`{"schema": "olm.package", "name": "etcd", "icon": {"mediatype": "image/png"}}`)},
		"etcd/lifecycle.yml": {Data: []byte("{schema: example.lifecycle, package: etcd, versions: [0.9]}")},
	}
	r := render.New(render.Options{})
	defer r.Close()
	ctx := context.Background()
	if err := r.AddFS(ctx, catalog); err != nil {
		log.Fatal(err)
	}
	if err := r.Write(ctx, os.Stdout, render.JSON); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"schema":"olm.package","name":"etcd","icon":{"mediatype":"image/png"}}
	// {"schema":"olm.bundle","package":"etcd","name":"etcd.v0.9.4","image":"quay.io/example/etcd:v0.9.4"}
	// {"schema":"example.lifecycle","package":"etcd","versions":[0.9]}
}
