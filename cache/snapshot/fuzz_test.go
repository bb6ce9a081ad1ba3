package snapshot_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/snapshot"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// FuzzOpen: whatever a body holds, behind a checksum that is right, it is
// refused or gives a catalog that everything works with.
func FuzzOpen(f *testing.F) {
	body, err := snapshot.Body(&cache.Content{Catalog: small(f), Digest: "sha256:0"})
	require.NoError(f, err)
	f.Add(body)
	empty, err := snapshot.Body(&cache.Content{Catalog: cache.NewCatalog(nil, nil), Digest: "sha256:0"})
	require.NoError(f, err)
	f.Add(empty)
	synthetic, err := snapshot.Body(&cache.Content{Catalog: synthesized(f, "mixed", 6), Digest: "sha256:0"})
	require.NoError(f, err)
	f.Add(synthetic)
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := snapshot.Decode(snapshot.Seal(body), snapshot.Options{})
		var corrupt *snapshot.CorruptError
		if err != nil {
			if !errors.As(err, &corrupt) || c != nil {
				t.Fatalf("%v", err)
			}
			return
		}
		use(t, c.Catalog)
	})
}

// FuzzFile: no file at all does harm, whatever its header says.
func FuzzFile(f *testing.F) {
	f.Add(encoded(f, &cache.Content{Catalog: small(f), Digest: "sha256:0"}))
	f.Add(snapshot.SealAs(nil, 2, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := snapshot.Decode(data, snapshot.Options{}); err == nil {
			use(t, c.Catalog)
		}
	})
}

// TestMutated is a fuzz test that every run of the tests makes: bodies of small
// catalogs with a few bytes changed.
func TestMutated(t *testing.T) {
	var bodies [][]byte
	for _, c := range []*cache.Catalog{small(t), synthesized(t, "mixed", 6)} {
		body, err := snapshot.Body(&cache.Content{Catalog: c, Digest: "sha256:0"})
		require.NoError(t, err)
		bodies = append(bodies, body)
	}
	opened := 0
	rapid.Check(t, func(t *rapid.T) {
		body := bytes.Clone(rapid.SampledFrom(bodies).Draw(t, "body"))
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(body)-1).Draw(t, "at")
			body[at] = rapid.OneOf(rapid.Byte(), rapid.Map(rapid.Byte(), func(d byte) byte { return body[at] + d%3 - 1 })).Draw(t, "byte")
		}
		c, err := snapshot.Decode(snapshot.Seal(body), snapshot.Options{})
		if err == nil {
			opened++
			use(t, c.Catalog)
		}
	})
	require.Positive(t, opened, "some changes have to get through to where they matter")
}

// use asks a catalog for everything that can be asked, and checks what others
// rely on. It is for catalogs that may make no sense.
func use(t require.TestingT, c *cache.Catalog) {
	ids := 0
	for b := range c.Bundles() {
		require.Equal(t, int32(ids), b.ID)
		require.Same(t, b, c.Package(b.Package).Bundle(b.Name))
		require.Contains(t, c.Named(b.Name), b.ID)
		require.Contains(t, c.InPackage(b.Package), b.ID)
		for p := range b.Properties.All() {
			require.Contains(t, c.WithType(p.Type()), b.ID)
			switch v := p.Value().(type) {
			case properties.GVK:
				require.Contains(t, c.Providers(v), b.ID)
			case properties.Label:
				require.Contains(t, c.Labelled(string(v)), b.ID)
			}
		}
		require.Equal(t, ids < c.Choosable(), len(b.Places) > 0)
		ids++
	}
	require.Equal(t, ids, c.Len())
	cache.Digest(c)
	for p := range c.Packages() {
		usePackage(p)
		for _, ch := range p.Channels {
			require.Same(t, ch, p.Channel(ch.Name))
			require.Same(t, p, ch.Package)
		}
	}
	r := resolver.New(resolver.WithLimits(resolver.Limits{Solves: 200}))
	n := 0
	for p := range c.Packages() {
		if n++; n > 3 {
			break
		}
		_, _ = r.Resolve(context.Background(), resolver.Request{Namespace: "ns",
			Catalogs:      []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "c"}, Content: c}},
			Subscriptions: []resolver.Subscription{{Name: "s", Package: p.Name}}})
	}
	// It may be saved again, or not if a version came out that never parsed.
	_ = snapshot.Encode(io.Discard, &cache.Content{Catalog: c, Digest: "sha256:0"})
}

// usePackage looks at the update graph of a package from all sides.
func usePackage(p *graph.Package) {
	p.Clone()
	u := p.Updates()
	u.DeadEnds()
	u.ZStreams()
	for _, c := range p.Channels {
		c.Updates()
		c.Head()
		c.Quarantined()
		for i := range c.Entries {
			c.Entry(c.Entries[i].Name)
			c.Standing(&c.Entries[i])
			if b := c.Entries[i].Bundle; b != nil {
				c.Successors(b.Name, b.Version)
			}
		}
	}
}

// TestMemory: a hostile body takes no more memory than its size allows.
func TestMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	// 3 MB that claim to be as many names as fit into the memory allowed.
	body := append([]byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0x0f, 0}, make([]byte, 3<<20)...)
	_, err := snapshot.Decode(snapshot.Seal(body), snapshot.Options{})
	require.Error(t, err)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(400<<20))
}
