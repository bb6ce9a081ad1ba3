package image_test

import (
	"context"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/image"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// source returns a source.
func source(t testing.TB, ref image.Reference, opts image.Options) *image.Source {
	return testkit.Must(image.New(ref, opts))(t)
}

// load loads a source.
func load(t testing.TB, s cache.Source, last *cache.Content) *cache.Content {
	return testkit.Must(s.Load(context.Background(), last))(t)
}

// TestSameAsDirectory: an image has the same catalog, problems and digest as the directory it
// was built from.
func TestSameAsDirectory(t *testing.T) {
	files := map[string]string{"etcd/catalog.json": etcd, "kafka/catalog.yaml": "---\nschema: olm.package\nname: [", "notes.txt": "x", ".indexignore": "ignored/\n", "ignored/x.json": kafka, ".hidden/y.json": "{"}
	dir := t.TempDir()
	testkit.WriteFiles(t, dir, files)
	var entries []entry
	for name, text := range files {
		entries = append(entries, entry{name: "configs/" + name, body: text})
	}
	img := newImage().layer(t, entries...)
	img.edit = func(_, config map[string]any) { config["created"] = "2024-05-01T12:00:00Z" }
	opts := fbc.Options{Catalog: cache.Key{Namespace: "olm", Name: "community"}}
	want := load(t, fbc.Directory(os.DirFS(dir), opts), nil)
	store := testkit.Must(image.OpenStore(t.TempDir(), image.StoreOptions{}))(t)
	ref := layoutRef(img.finish(t).layout(t))
	for _, o := range []image.Options{{FBC: opts}, {FBC: opts, Store: store}, {FBC: opts, Store: store}} {
		got := load(t, source(t, ref, o), nil)
		require.Equal(t, want.Digest, got.Digest)
		require.Equal(t, want.Catalog.Digest(), got.Catalog.Digest())
		require.NotEmpty(t, got.Catalog.Problems())
		require.Equal(t, time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC), got.Modified)
	}
}

// TestUnchanged: an unchanged image costs one HEAD request, and none with a digest.
func TestUnchanged(t *testing.T) {
	r := serve(t, good(t))
	s := source(t, r.ref(), image.Options{})
	first := load(t, s, nil)
	require.Len(t, r.requested(), 4, "HEAD, manifest, configuration, layer")
	require.Same(t, first, load(t, s, first))
	require.Equal(t, []string{"HEAD /v2/ns/catalog/manifests/v1"}, r.requested())

	// From another process.
	again := source(t, r.ref(), image.Options{})
	stored := &cache.Content{Catalog: first.Catalog, Digest: first.Digest, Validator: first.Validator}
	require.Same(t, stored, load(t, again, stored))
	require.Equal(t, []string{"HEAD /v2/ns/catalog/manifests/v1"}, r.requested())

	// Other options change the content.
	other := source(t, r.ref(), image.Options{FBC: fbc.Options{Catalog: cache.Key{Namespace: "a", Name: "b"}}})
	require.NotEqual(t, first.Digest, load(t, other, stored).Digest)
	require.Len(t, r.requested(), 4)
	require.NotEqual(t, first.Validator, load(t, source(t, r.ref(), image.Options{FBC: fbc.Options{MaxPropertyBytes: 1 << 10}}), stored).Validator)
	require.Len(t, r.requested(), 4)

	pinned := source(t, parsed(r.host()+"/ns/catalog@"+r.img.top), image.Options{})
	c := load(t, pinned, nil)
	r.requested()
	require.Same(t, c, load(t, pinned, c))
	require.Empty(t, r.requested())
	require.Equal(t, first.Digest, c.Digest)

	// Rebuilt with the same files: other layers, the same content.
	r.set(newImage().layer(t, entry{name: "etc/date", body: "today"}, entry{name: "configs/etcd.json", body: etcd}).finish(t))
	rebuilt := load(t, s, first)
	require.Equal(t, first.Digest, rebuilt.Digest)
	require.Same(t, first.Catalog, rebuilt.Catalog)
	r.requested()
	require.Same(t, rebuilt, load(t, s, rebuilt))
	require.Len(t, r.requested(), 1)

	r.set(newImage().layer(t, entry{name: "configs/kafka.json", body: kafka}).finish(t))
	changed := load(t, s, rebuilt)
	require.NotEqual(t, first.Digest, changed.Digest)
	require.NotNil(t, changed.Catalog.Package("kafka"))
}

// TestKeptImages: a second load of the same digest needs no network.
func TestKeptImages(t *testing.T) {
	r := serve(t, good(t))
	store := testkit.Must(image.OpenStore(t.TempDir(), image.StoreOptions{}))(t)
	opts := image.Options{Store: store}
	offline := image.Options{Store: store, Offline: true}
	require.ErrorIs(t, fails(t, r.ref(), offline), image.ErrNotKept)
	require.ErrorIs(t, fails(t, r.ref(), image.Options{Offline: true}), image.ErrNotKept)
	require.Empty(t, r.requested())
	require.Nil(t, testkit.Must(source(t, r.ref(), opts).Warm(context.Background()))(t))

	first := load(t, source(t, r.ref(), opts), nil)
	r.requested()
	digest := parsed(r.host() + "/ns/catalog@" + r.img.top)
	require.Equal(t, first.Digest, load(t, source(t, r.ref(), opts), nil).Digest)
	require.Equal(t, []string{"HEAD /v2/ns/catalog/manifests/v1"}, r.requested(), "by tag")
	require.Equal(t, first.Digest, load(t, source(t, digest, opts), nil).Digest)
	require.Empty(t, r.requested(), "by digest")
	require.Equal(t, first.Digest, load(t, source(t, r.ref(), offline), nil).Digest)
	require.Equal(t, first.Digest, load(t, source(t, digest, offline), nil).Digest)
	warm := testkit.Must(source(t, r.ref(), opts).Warm(context.Background()))(t)
	require.Equal(t, first.Digest, warm.Digest)
	require.Empty(t, r.requested())
	require.Same(t, warm, load(t, source(t, r.ref(), opts), warm))

	// Offline, a tag has its last known digest.
	r.set(newImage().layer(t, entry{name: "configs/kafka.json", body: kafka}).finish(t))
	require.Equal(t, first.Digest, load(t, source(t, r.ref(), offline), nil).Digest)
	require.NotEqual(t, first.Digest, load(t, source(t, r.ref(), opts), nil).Digest)
	require.NotEqual(t, first.Digest, load(t, source(t, r.ref(), offline), nil).Digest)

	// Stored images are checked against the limits of the caller.
	testkit.As[*cache.LimitError](t, fails(t, digest, image.Options{Store: store, Limits: image.Limits{MaxFileBytes: 10}}))

	// Files never need the network.
	open(t, layoutRef(good(t).layout(t)), image.Options{Offline: true})
}

// TestInCache: a cache immediately serves the image stored by an earlier process, then the
// current one.
func TestInCache(t *testing.T) {
	r := serve(t, good(t))
	store := testkit.Must(image.OpenStore(t.TempDir(), image.StoreOptions{}))(t)
	load(t, source(t, r.ref(), image.Options{Store: store}), nil)
	r.before = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusInternalServerError)
		return true
	}
	key := cache.Key{Namespace: "olm", Name: "community"}
	c, err := cache.New(cache.Config{Sources: []cache.SourceConfig{{Key: key, Source: source(t, r.ref(), image.Options{Store: store})}}})
	require.NoError(t, err)
	defer c.Close()
	require.NotNil(t, testkit.Must(c.Snapshot(context.Background()))(t).Catalogs()[0].Content.Package("etcd"))
}

// TestLoadErrors: an error of the catalog names the image and its folder.
func TestLoadErrors(t *testing.T) {
	ref := layoutRef(newImage().layer(t, entry{name: "configs/readme.md", body: "x"}).finish(t).layout(t))
	_, err := source(t, ref, image.Options{}).Load(context.Background(), nil)
	testkit.As[*fbc.UnreadableError](t, err)
	require.ErrorContains(t, err, ref.String()+": in its folder /configs: ")

	ref = layoutRef(good(t).layout(t))
	ctx := testkit.Ended()
	_, err = source(t, ref, image.Options{}).Load(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
	for _, o := range []image.Options{{Mirrors: []image.Mirror{{From: "x"}}}, {Insecure: []string{"http://x"}}} {
		_, err = image.New(ref, o)
		require.Error(t, err)
		fails(t, ref, o)
	}
	_, err = image.New(image.Reference{}, image.Options{})
	require.Error(t, err)
	fails(t, image.Reference{}, image.Options{})
}

// TestProgress: calls are ordered and end with the total.
func TestProgress(t *testing.T) {
	img := newImage().layer(t, entry{name: "configs/a.json", body: etcd}).raw(t, bomb(t, "usr/x", 3<<20), plain).finish(t)
	for _, ref := range []image.Reference{serve(t, img).ref(), layoutRef(img.layout(t))} {
		var calls []image.Progress
		open(t, ref, image.Options{Progress: func(p image.Progress) { calls = append(calls, p) }})
		require.Greater(t, len(calls), 10)
		total := calls[0].Total
		require.Positive(t, total)
		for i, c := range calls {
			require.Equal(t, total, c.Total)
			require.Equal(t, 2, c.Layers)
			require.Equal(t, ref.String(), c.Reference)
			if i > 0 {
				require.GreaterOrEqual(t, c.Bytes, calls[i-1].Bytes)
				require.GreaterOrEqual(t, c.Layer, calls[i-1].Layer)
			}
		}
		require.Equal(t, image.Progress{Reference: ref.String(), Layer: 2, Layers: 2, Bytes: total, Total: total}, calls[len(calls)-1])
	}
}

// TestConcurrent: sources, keychains and a store are safe for concurrent use.
func TestConcurrent(t *testing.T) {
	r := serve(t, good(t))
	store := testkit.Must(image.OpenStore(t.TempDir(), image.StoreOptions{MaxBytes: 1500}))(t)
	s := source(t, r.ref(), image.Options{Store: store, Keychain: pullSecret(t, r.host(), nil)})
	done := make(chan error)
	for range 16 {
		go func() {
			var last *cache.Content
			for range 5 {
				c, err := s.Load(context.Background(), nil)
				if err == nil && last != nil && c.Digest != last.Digest {
					err = context.Canceled
				}
				if err != nil {
					done <- err
					return
				}
				last = c
				_, _ = store.List()
			}
			done <- store.Clear()
		}()
	}
	for range 16 {
		require.NoError(t, <-done)
	}
}
