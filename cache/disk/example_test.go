package disk_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/disk"
	"github.com/seed109e2655/resolute/cache/fbc"
)

// catalogFiles are the files of a small catalog.
var catalogFiles = fstest.MapFS{"etcd.jsonl": {Data: []byte(`
{"schema":"olm.package","name":"etcd","defaultChannel":"stable"}
{"schema":"olm.channel","package":"etcd","name":"stable","entries":[{"name":"etcd.v1.0.0"}]}
{"schema":"olm.bundle","package":"etcd","name":"etcd.v1.0.0","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"1.0.0"}}]}
`)}}

// A short-lived program reads the copy of its catalog, and parses the catalog only if there is
// no usable copy.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "community.copy")

	for range 2 {
		content, err := disk.Read(context.Background(), path, disk.Options{})
		if err != nil {
			fmt.Println("parsed because there is no copy:", errors.Is(err, fs.ErrNotExist))
			catalog, err := fbc.Load(context.Background(), catalogFiles, fbc.Options{})
			if err != nil {
				panic(err)
			}
			content = cache.NewContent(catalog)
			if err := disk.Write(context.Background(), path, content, disk.Options{}); err != nil {
				fmt.Println("cannot write the copy:", err)
			}
		}
		fmt.Println(content.Catalog.Bundle(0).Name)
	}
	// Output:
	// parsed because there is no copy: true
	// etcd.v1.0.0
	// etcd.v1.0.0
}

// A restarted controller immediately serves its last catalog, even while the source is
// unavailable.
func ExampleKeep() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx, path := context.Background(), filepath.Join(dir, "community.copy")

	catalog, err := fbc.Load(ctx, catalogFiles, fbc.Options{})
	if err != nil {
		panic(err)
	}
	source := disk.Keep(cache.NewMemory(catalog), path, disk.Options{})
	if _, err := source.Load(ctx, nil); err != nil {
		panic(err)
	}

	restarted := disk.Keep(cache.NewMemory(nil), path, disk.Options{})
	content, err := restarted.(cache.Warmer).Warm(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println("served:", content.Catalog.Bundle(0).Name)
	_, err = restarted.Load(ctx, content)
	fmt.Println("the source:", err)
	// Output:
	// served: etcd.v1.0.0
	// the source: no catalog was set
}
