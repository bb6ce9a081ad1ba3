package cache_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"testing/fstest"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/properties"
)

const etcdCatalog = `
{"schema":"olm.package","name":"etcd","defaultChannel":"stable"}
{"schema":"olm.channel","package":"etcd","name":"stable","entries":[{"name":"etcd.v0.9.0"},{"name":"etcd.v0.9.2","replaces":"etcd.v0.9.0"}]}
{"schema":"olm.bundle","package":"etcd","name":"etcd.v0.9.0","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"0.9.0"}},{"type":"olm.gvk","value":{"group":"etcd.example.com","version":"v1","kind":"Etcd"}}]}
{"schema":"olm.bundle","package":"etcd","name":"etcd.v0.9.2","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"0.9.2"}},{"type":"olm.gvk","value":{"group":"etcd.example.com","version":"v1","kind":"Etcd"}}]}
`

const kafkaCatalog = `
{"schema":"olm.package","name":"kafka","defaultChannel":"stable"}
{"schema":"olm.channel","package":"kafka","name":"stable","entries":[{"name":"kafka.v3.0.0"}]}
{"schema":"olm.bundle","package":"kafka","name":"kafka.v3.0.0","properties":[{"type":"olm.package","value":{"packageName":"kafka","version":"3.0.0"}}]}
`

// A cache keeps what its sources give fresh: package cache/fbc has sources that are files,
// cache/image images, cache/catalogd servers.
func Example() {
	ctx := context.Background()
	source := fbc.File(fstest.MapFS{"etcd.jsonl": {Data: []byte(etcdCatalog)}}, "etcd.jsonl", fbc.Options{})
	certified, err := fbc.Read(ctx, strings.NewReader(kafkaCatalog), "kafka.jsonl", fbc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	catalogs, err := cache.New(cache.Config{Sources: []cache.SourceConfig{
		{Key: cache.Key{Namespace: "olm", Name: "community"}, Source: source},
		{Key: cache.Key{Namespace: "olm", Name: "certified"}, Source: cache.NewMemory(certified), Priority: 10},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer catalogs.Close()
	snapshot, err := catalogs.Snapshot(ctx) // of all catalogs at one time
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range snapshot.Catalogs() {
		fmt.Println(c.Key, c.Priority, c.Content.Len(), "bundles")
	}
	// Output:
	// olm/certified 10 1 bundles
	// olm/community 0 2 bundles
}

// The first of a list is the best: in the default channel, and nearest to the
// head.
func ExampleCatalog_Providers() {
	c, err := fbc.Read(context.Background(), strings.NewReader(etcdCatalog), "etcd.jsonl", fbc.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range c.Providers(properties.GVK{Group: "etcd.example.com", Version: "v1", Kind: "Etcd"}) {
		fmt.Println(id, c.Bundle(id).Name)
	}
	// Output:
	// 0 etcd.v0.9.2
	// 1 etcd.v0.9.0
}

func ExampleParseKey() {
	key, err := cache.ParseKey("olm/community")
	fmt.Println(key.Namespace, key.Name, err)
	_, err = cache.ParseKey("community")
	fmt.Println(err)
	// Output:
	// olm community <nil>
	// "community" does not name a catalog: write namespace/name, for example olm/community
}

func ExampleCatalog_Packages() {
	c, err := fbc.Read(context.Background(), strings.NewReader(etcdCatalog), "etcd.jsonl", fbc.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for p := range c.Packages() {
		fmt.Println(p.Name, "has", len(c.InPackage(p.Name)), "bundles, head of", p.DefaultChannel, "is", p.Channel(p.DefaultChannel).Head().Name)
	}
	// Output: etcd has 2 bundles, head of stable is etcd.v0.9.2
}
