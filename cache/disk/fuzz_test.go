package disk_test

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/disk"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
)

// FuzzRead: any body with a valid checksum is rejected or results in a usable catalog.
func FuzzRead(f *testing.F) {
	for _, c := range []*cache.Catalog{small(f), cache.NewCatalog(nil, nil), synthesized(f, "mixed", 6)} {
		f.Add(disk.Lines(encoded(f, &cache.Content{Catalog: c, Digest: "sha256:0"})))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := disk.Decode(disk.Seal(body), disk.Options{})
		if err != nil {
			testkit.As[*disk.CopyError](t, err)
			require.Nil(t, c)
			return
		}
		use(t, c.Catalog)
	})
}

// FuzzFile: no file causes a panic, whatever its header.
func FuzzFile(f *testing.F) {
	f.Add(encoded(f, &cache.Content{Catalog: small(f), Digest: "sha256:0"}))
	f.Add(disk.Seal(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := disk.Decode(data, disk.Options{}); err == nil {
			use(t, c.Catalog)
		}
	})
}

// TestMutated is a fuzz test in every test run: bodies of small catalogs with a few changed
// bytes.
func TestMutated(t *testing.T) {
	var bodies [][]byte
	for _, c := range []*cache.Catalog{small(t), synthesized(t, "mixed", 6)} {
		bodies = append(bodies, disk.Lines(encoded(t, &cache.Content{Catalog: c, Digest: "sha256:0"})))
	}
	opened := 0
	rapid.Check(t, func(t *rapid.T) {
		body := bytes.Clone(rapid.SampledFrom(bodies).Draw(t, "body"))
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(body)-1).Draw(t, "at")
			body[at] = rapid.OneOf(rapid.Byte(), rapid.Map(rapid.Byte(), func(d byte) byte { return body[at] + d%3 - 1 })).Draw(t, "byte")
		}
		c, err := disk.Decode(disk.Seal(body), disk.Options{})
		if err == nil {
			opened++
			use(t, c.Catalog)
		}
	})
	if !testing.Short() { // short runs draw too few cases
		require.Positive(t, opened, "some mutated bodies must be accepted")
	}
}

// use resolves with a catalog of arbitrary content, digests it and writes it again. Package fbc
// tests the invariants of catalogs.
func use(t require.TestingT, c *cache.Catalog) {
	c.Digest()
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
	// Writing may fail if a version does not parse.
	_ = disk.Encode(io.Discard, &cache.Content{Catalog: c, Digest: "sha256:0"}, "")
}

// TestMemory: the memory of reading a hostile body is bounded by its size.
func TestMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	// A small file that expands to much white space, and one with a single long line.
	body := append(bytes.Clone(disk.Lines(encoded(t, content(t, "sha256:0")))), bytes.Repeat([]byte(" "), 20<<20)...)
	_, err := disk.Decode(disk.Seal(body), disk.Options{})
	require.NoError(t, err)
	_, err = disk.Decode(disk.Seal(bytes.Repeat([]byte("x"), 20<<20)), disk.Options{})
	require.Error(t, err)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
}
