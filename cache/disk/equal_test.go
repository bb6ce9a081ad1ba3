package disk_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/disk"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// reopened writes a catalog and reads it again.
func reopened(t require.TestingT, c *cache.Catalog) *cache.Catalog {
	data := encoded(t, &cache.Content{Catalog: c, Digest: "sha256:0"})
	content := testkit.Must(disk.Decode(data, disk.Options{}))(t)
	clear(data) // detects references into the buffer
	return content.Catalog
}

// encoded returns a copy.
func encoded(t require.TestingT, c *cache.Content) []byte {
	var buf bytes.Buffer
	require.NoError(t, disk.Encode(&buf, c, ""))
	return buf.Bytes()
}

// requireSame requires that two catalogs are identical. Package cache tests that a digest
// covers a whole catalog, and both catalogs are indexed by the same code.
func requireSame(t require.TestingT, want, got *cache.Catalog) {
	require.Equal(t, want.Digest(), got.Digest())
	require.Equal(t, want.Problems(), got.Problems())
}

// TestReal: real catalogs survive a round trip.
func TestReal(t *testing.T) {
	catalogs := []string{"community-v4.14.jsonl.gz", "community-v4.19.jsonl.gz", "community-all.jsonl.gz"}
	if !testkit.Long() {
		catalogs = catalogs[:1]
	}
	for _, name := range catalogs {
		t.Run(name, func(t *testing.T) {
			want := realCatalog(t, name)
			got := reopened(t, want)
			requireSame(t, want, got)
			require.Equal(t, encoded(t, &cache.Content{Catalog: want, Digest: "sha256:0"}), encoded(t, &cache.Content{Catalog: got, Digest: "sha256:0"}))
		})
	}
}

// TestScenarios: the catalogs of every scenario in the module, which cover each rule and each
// violation, survive a round trip.
func TestScenarios(t *testing.T) {
	var files []string
	for _, pattern := range []string{
		"../../resolver/scenario/testdata/*/*.yaml", "../../resolver/testdata/*/*.yaml", "../../examples/scenarios/*.yaml",
	} {
		found := testkit.Must(filepath.Glob(pattern))(t)
		require.NotEmpty(t, found)
		files = append(files, found...)
	}
	loader := new(scenario.Loader)
	catalogs := 0
	for _, file := range files {
		s, err := scenario.ReadFile(context.Background(), file)
		if err != nil {
			continue // an intentionally invalid one
		}
		loaded, err := loader.Load(context.Background(), s)
		if err != nil {
			continue
		}
		for _, c := range loaded.Request.Catalogs {
			if c.Content != nil {
				catalogs++
				requireSame(t, c.Content, reopened(t, c.Content))
			}
		}
	}
	require.Greater(t, catalogs, 80)
}

// TestSmall: a catalog with every feature survives a round trip.
func TestSmall(t *testing.T) {
	want := small(t)
	got := reopened(t, want)
	requireSame(t, want, got)
	never := got.Package("kafka").Bundle("shared").Constraints[0].Constraint.(*constraints.Any).Constraints[0].(*constraints.CEL)
	require.True(t, never.Program.Needs().Never, "the test catalog must contain such a rule")
}

// TestDrawn: random catalogs, valid and damaged, survive a round trip.
func TestDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := draw.Problem().Draw(t, "problem")
		for _, c := range p.Catalogs {
			blobs := c.Blobs()
			// Additional damage that the generator does not produce.
			for rapid.IntRange(0, 3).Draw(t, "again") == 0 && len(blobs) > 0 {
				blobs = append(blobs, rapid.SampledFrom(blobs).Draw(t, "twice"))
			}
			want := testkit.Must(fbc.FromBlobs(context.Background(), blobs, fbc.Options{Catalog: cache.Key(c.Key)}))(t)
			requireSame(t, want, reopened(t, want))
		}
	})
}

// synthesized returns the catalog of a preset.
func synthesized(t require.TestingT, preset string, packages int) *cache.Catalog {
	cfg, ok := synthetic.Preset(preset)
	require.True(t, ok)
	return synthesizedOf(t, cfg, packages)
}

// synthesizedOf returns a synthetic catalog with the given number of packages.
func synthesizedOf(t require.TestingT, cfg synthetic.Config, packages int) *cache.Catalog {
	cfg.Packages = packages
	g := testkit.Must(synthetic.New(cfg))(t)
	var buf bytes.Buffer
	require.NoError(t, g.WriteCatalog(&buf, 0))
	return testkit.Must(fbc.Read(context.Background(), &buf, "synthetic.jsonl", fbc.Options{}))(t)
}

// TestContent: all other fields of a content survive a round trip, except those that are not
// stored.
func TestContent(t *testing.T) {
	c := small(t)
	for _, modified := range []time.Time{{}, time.Unix(0, 0), time.Unix(1767225600, 123456789), time.Unix(-5, 1)} {
		want := &cache.Content{Catalog: c, Digest: "sha256:abc", Validator: "\"etag\"\x00<é>", Modified: modified}
		got := testkit.Must(disk.Decode(encoded(t, want), disk.Options{}))(t)
		require.Equal(t, want.Digest, got.Digest)
		require.Equal(t, want.Validator, got.Validator)
		require.True(t, want.Modified.Equal(got.Modified))
		require.Equal(t, modified.IsZero(), got.Modified.IsZero())
	}
	got := testkit.Must(disk.Decode(encoded(t, &cache.Content{Catalog: c, Validator: "\xff"}), disk.Options{}))(t)
	require.Empty(t, got.Validator, "a validator that is not valid JSON is dropped")
	got = testkit.Must(disk.Decode(encoded(t, &cache.Content{Catalog: c}), disk.Options{}))(t)
	require.Equal(t, c.Digest(), got.Digest, "the default is the digest of the catalog")
	require.Equal(t, c.Digest(), got.Catalog.Digest())
}

// TestEmpty: an empty catalog survives a round trip.
func TestEmpty(t *testing.T) {
	want := cache.NewCatalog(nil, []graph.Problem{{Severity: graph.SeverityWarning, Code: "c", File: "f", Line: 7, Message: "m"}})
	got := reopened(t, want)
	require.Equal(t, want.Problems(), got.Problems())
	require.Zero(t, got.Len())
	require.Empty(t, got.Named("x"))
	require.Nil(t, got.Package("x"))
}

// small reads a small catalog with every feature, including damage.
func small(t require.TestingT) *cache.Catalog {
	data := testkit.Must(os.ReadFile("testdata/small.jsonl"))(t)
	c, err := fbc.Read(context.Background(), bytes.NewReader(data), "small.jsonl", fbc.Options{Catalog: cache.Key{Namespace: "olm", Name: "small"}})
	require.NoError(t, err)
	return c
}
