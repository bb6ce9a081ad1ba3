package fbc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"testing/fstest"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/document"
)

func ExampleLoad() {
	catalog, err := fbc.Load(context.Background(), fstest.MapFS{
		"etcd/package.yaml": {Data: []byte("schema: olm.package\nname: etcd\ndefaultChannel: stable\n")},
		"etcd/channel.yaml": {Data: []byte("schema: olm.channel\npackage: etcd\nname: stable\nentries:\n- name: etcd.v1\n- name: etcd.v2\n")},
		"etcd/bundle.json":  {Data: []byte(`{"schema":"olm.bundle","package":"etcd","name":"etcd.v1","image":"registry.example/etcd:v1","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"1.0.0"}}]}`)},
	}, fbc.Options{Catalog: cache.Key{Namespace: "olm", Name: "community"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(catalog.Len(), "bundle")
	for _, p := range catalog.Problems() {
		fmt.Println(p.Severity, p.Code, p.File, p.Line)
	}
	// Output:
	// 1 bundle
	// error severalHeads etcd/channel.yaml 1
	// warning entryWithoutBundle etcd/channel.yaml 6
}

// Input without any blob is an error that names what was found instead.
func ExampleOptions_file() {
	_, err := fbc.Load(context.Background(), os.DirFS("testdata"), fbc.Options{File: "absent.yaml"})
	var unreadable *fbc.UnreadableError
	fmt.Println(errors.As(err, &unreadable), errors.Is(err, os.ErrNotExist))
	// Output: true true
}

func ExampleRead() {
	catalog, err := fbc.Read(context.Background(), strings.NewReader(goodLines), "catalog.jsonl", fbc.Options{Strict: true})
	if err != nil {
		log.Fatal(err)
	}
	for b := range catalog.Bundles() {
		fmt.Println(b.ID, b.Name, b.Version)
	}
	// Output:
	// 0 etcd.v2 2.0.0
	// 1 etcd.v1 1.0.0
}

// A document that holds a catalog among other things is decoded first.
func ExampleFromNodes() {
	const scenario = `
catalog:
- {schema: olm.package, name: etcd, defaultChannel: stable}
- {schema: olm.channel, package: etcd, name: stable, entries: [etcd.v1]}
`
	ctx := context.Background()
	node, err := document.Decode(ctx, []byte(scenario), "scenario.yaml", document.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	catalog, err := fbc.FromNodes(ctx, node.Field("catalog").Items, "scenario.yaml", fbc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range catalog.Problems() {
		fmt.Println(p.Error())
	}
	// Output: scenario.yaml:4: an entry of a channel must be an object with a name, not a string
}

// A source loads again only what changed. Both loads share the packages of the
// files that did not.
func ExampleDirectory() {
	ctx := context.Background()
	tree := fstest.MapFS{
		"etcd/catalog.jsonl":  {Data: []byte(goodLines)},
		"kafka/catalog.jsonl": {Data: []byte(strings.ReplaceAll(goodLines, "etcd", "kafka"))},
	}
	source := fbc.Directory(tree, fbc.Options{})
	first, err := source.Load(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	tree["kafka/catalog.jsonl"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(goodLines, "etcd", "kafka") + "{}\n")}
	second, err := source.Load(ctx, first)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range second.Catalog.Problems() {
		fmt.Println(p.Error())
	}
	third, err := source.Load(ctx, second)
	fmt.Println("nothing changed:", second == third, err)
	// Output:
	// kafka/catalog.jsonl:5: this blob has no schema, and is ignored: add one, such as olm.bundle
	// nothing changed: true <nil>
}

// A source of any kind, here a function.
func ExampleStream() {
	source := fbc.Stream("registry/catalog", func(_ context.Context, validator string) (*fbc.Fetched, error) {
		if validator == "version 1" {
			return &fbc.Fetched{NotModified: true}, nil
		}
		return &fbc.Fetched{Body: io.NopCloser(strings.NewReader(goodLines)), Validator: "version 1"}, nil
	}, fbc.Options{})
	ctx := context.Background()
	first, err := source.Load(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	second, err := source.Load(ctx, first)
	fmt.Println(first.Catalog.Len(), first == second, err)
	// Output: 2 true <nil>
}

// Files in any order become one catalog in a fixed order, with all that they say.
func ExampleRenderer() {
	catalog := fstest.MapFS{
		"etcd/bundles.yaml":  {Data: []byte("schema: olm.bundle\npackage: etcd\nname: etcd.v0.9.4\nimage: quay.io/example/etcd:v0.9.4\n")},
		"etcd/package.json":  {Data: []byte(`{"schema": "olm.package", "name": "etcd", "icon": {"mediatype": "image/png"}}`)},
		"etcd/lifecycle.yml": {Data: []byte("{schema: example.lifecycle, package: etcd, versions: [0.9]}")},
	}
	r := fbc.NewRenderer(fbc.RenderOptions{})
	defer r.Close()
	ctx := context.Background()
	if err := r.AddFS(ctx, catalog, ""); err != nil {
		log.Fatal(err)
	}
	if err := r.Write(ctx, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"schema":"olm.package","name":"etcd","icon":{"mediatype":"image/png"}}
	// {"schema":"olm.bundle","package":"etcd","name":"etcd.v0.9.4","image":"quay.io/example/etcd:v0.9.4"}
	// {"schema":"example.lifecycle","package":"etcd","versions":[0.9]}
}
