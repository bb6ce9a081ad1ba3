package cache_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strings"
	"testing/fstest"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
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

// A cache keeps the catalogs of its sources up to date: package cache/fbc has sources for
// files, cache/image for images, cache/catalogd for servers.
func Example() {
	ctx := context.Background()
	source := fbc.Directory(fstest.MapFS{"etcd.jsonl": {Data: []byte(etcdCatalog)}}, fbc.Options{File: "etcd.jsonl"})
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
	snapshot, err := catalogs.Snapshot(ctx) // all catalogs at one moment
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
		log.Fatal(err)
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
	// "community" is not a catalog key: write namespace/name, for example olm/community
}

func ExampleCatalog_Packages() {
	c, err := fbc.Read(context.Background(), strings.NewReader(etcdCatalog), "etcd.jsonl", fbc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for p := range c.Packages() {
		fmt.Println(p.Name, "has", len(c.InPackage(p.Name)), "bundles, head of", p.DefaultChannel, "is", p.Channel(p.DefaultChannel).Head().Name)
	}
	// Output: etcd has 2 bundles, head of stable is etcd.v0.9.2
}

// catalogWith returns a catalog of empty packages with those names.
func catalogWith(packages ...string) *cache.Catalog {
	var list []*graph.Package
	for _, name := range packages {
		list = append(list, graph.Build(graph.PackageDecl{Name: name}, graph.Options{}))
	}
	return cache.NewCatalog(list, nil)
}

// packageNames lists the packages of a catalog.
func packageNames(c *cache.Catalog) []string {
	var out []string
	for p := range c.Packages() {
		out = append(out, p.Name)
	}
	return out
}

// A cache serves one consistent view of all catalogs; a view does not change when the catalogs
// do.
func ExampleCache_Snapshot() {
	memory := cache.NewMemory(catalogWith("etcd"))
	c, err := cache.New(cache.Config{Sources: []cache.SourceConfig{
		{Key: cache.Key{Namespace: "olm", Name: "community"}, Source: memory},
		{Key: cache.Key{Namespace: "olm", Name: "certified"}, Source: cache.NewMemory(catalogWith("kafka")), Priority: 10},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	ctx := context.Background()
	before, err := c.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	memory.Set(catalogWith("etcd", "redis"))
	if err := c.Refresh(ctx); err != nil {
		log.Fatal(err)
	}
	after, err := c.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range []*cache.Snapshot{before, after} {
		for _, catalog := range s.Catalogs() {
			fmt.Println(catalog.Key, catalog.Priority, packageNames(catalog.Content))
		}
	}
	// Output:
	// olm/certified 10 [kafka]
	// olm/community 0 [etcd]
	// olm/certified 10 [kafka]
	// olm/community 0 [etcd redis]
}

// flaky fails on every load but the first.
type flaky struct{}

func (flaky) Load(_ context.Context, last *cache.Content) (*cache.Content, error) {
	if last != nil {
		return nil, errors.New("connection refused")
	}
	return cache.NewContent(catalogWith("etcd")), nil
}

// A failing source keeps serving its last good content. MaxStale decides whether readers see
// it as unavailable.
func ExampleSourceConfig_maxStale() {
	ctx := context.Background()
	for _, maxStale := range []time.Duration{time.Hour, 0} {
		key := cache.Key{Namespace: "olm", Name: "community"}
		c, err := cache.New(cache.Config{Sources: []cache.SourceConfig{{Key: key, Source: flaky{}, MaxStale: maxStale}}})
		if err != nil {
			log.Fatal(err)
		}
		if _, err := c.Snapshot(ctx); err != nil {
			fmt.Println(err)
		}
		err = c.Refresh(ctx, key)
		var failed *cache.SourceError
		fmt.Println(errors.As(err, &failed), failed.Err)
		s, err := c.Snapshot(ctx)
		if err != nil {
			fmt.Println(err)
		}
		catalog, _ := s.Catalog(key)
		fmt.Println(packageNames(catalog.Content), "unavailable:", catalog.Unavailable != nil)
		_ = c.Close()
	}
	// Output:
	// true connection refused
	// [etcd] unavailable: false
	// true connection refused
	// [etcd] unavailable: true
}

// A reconcile loop first subscribes to changes, then resolves, and resolves again after each
// change.
func ExampleCache_Changes() {
	memory := cache.NewMemory(catalogWith("etcd"))
	c, err := cache.New(cache.Config{Sources: []cache.SourceConfig{{Key: cache.Key{Namespace: "olm", Name: "community"}, Source: memory}}})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if _, err := c.Snapshot(ctx); err != nil {
		log.Fatal(err)
	}
	changes := c.Changes(ctx)
	go memory.Set(catalogWith("etcd", "redis"))
	for range changes {
		s, err := c.Snapshot(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(packageNames(s.Catalogs()[0].Content))
		cancel()
	}
	// Output: [etcd redis]
}

// Sources can be added and removed while the cache runs.
func ExampleCache_Remove() {
	c, err := cache.New(cache.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	key := cache.Key{Namespace: "olm", Name: "community"}
	fmt.Println(c.Add(cache.SourceConfig{Key: key, Source: cache.NewMemory(catalogWith("etcd"))}))
	fmt.Println(c.Add(cache.SourceConfig{Key: key, Source: cache.NewMemory(catalogWith("etcd"))}))
	fmt.Println(c.Remove(key), len(c.Health()))
	fmt.Println(c.Refresh(context.Background(), key))
	// Output:
	// <nil>
	// source olm/community: Key: the cache already has a source with this key: remove it first
	// true 0
	// the cache has no source olm/community: it was never added, or it was removed
}

// Health is data: for a status page, as JSON; or for the log.
func ExampleCache_Health() {
	c, err := cache.New(cache.Config{Sources: []cache.SourceConfig{{Key: cache.Key{Namespace: "olm", Name: "community"}, Source: cache.NewMemory(nil)}}})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Snapshot(context.Background()); err != nil {
		log.Fatal(err)
	}
	h := c.Health()[0]
	h.LastFailure, h.FailingSince, h.Next = time.Time{}, time.Time{}, time.Time{} // these vary
	text, err := json.Marshal(h)
	fmt.Println(string(text), err)
	// Output: {"catalog":"olm/community","priority":0,"available":false,"failures":1,"packages":0,"bundles":0,"lastError":"no catalog was set"} <nil>
}

// printer is a Metrics that prints counters.
type printer struct{ counted chan struct{} }

func (p printer) Count(_ context.Context, name string, n int64, attrs ...slog.Attr) {
	fmt.Println(name, n, attrs)
	close(p.counted)
}
func (printer) Gauge(context.Context, string, float64, ...slog.Attr)   {}
func (printer) Observe(context.Context, string, float64, ...slog.Attr) {}

// Metrics and a logger receive each load.
func ExampleMetrics() {
	counted := make(chan struct{})
	plain := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "digest" || a.Key == "before" {
			return slog.Attr{}
		}
		return a
	}
	c, err := cache.New(cache.Config{
		Metrics: printer{counted},
		Logger:  slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: plain})),
		Sources: []cache.SourceConfig{{Key: cache.Key{Namespace: "olm", Name: "community"}, Source: cache.NewMemory(catalogWith("etcd"))}},
	})
	if err != nil {
		log.Fatal(err)
	}
	<-counted
	_ = c.Close()
	// Output:
	// level=INFO msg="catalog changed" catalog=olm/community version=2 packages=1 bundles=0 problems=1
	// resolute_cache_loads_total 1 [catalog=olm/community cause=start outcome=changed]
}
