package catalogdiff_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/declared"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

const dataDir = "../../../shared/data"

// load reads a real catalog, or skips the test where it is not there.
func load(t testing.TB, name string) *cache.Catalog {
	t.Helper()
	if _, err := os.Stat(dataDir + "/" + name); os.IsNotExist(err) {
		t.Skipf("the real catalogs are not there: ../shared/data/%s is not part of the repository", name)
	}
	return testkit.Must(fbc.LoadFile(t.Context(), os.DirFS(dataDir), name, fbc.Options{}))(t)
}

// TestCommunity compares two real catalogs. The findings listed here were looked up in
// both catalogs by hand; TestCommunityRaw checks most of the others.
func TestCommunity(t *testing.T) {
	old, now := load(t, "community-v4.14-full.jsonl.gz"), load(t, "community-v4.19-full.jsonl.gz")
	r := testkit.Must(catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{}))(t)
	counts, found := make(map[string]int), make(map[string]bool)
	for _, f := range r.Worse {
		counts[fmt.Sprintf("%s %s", f.Code, f.Severity)]++
		head, _, _ := strings.Cut(line(f), " @")
		found[head] = true
	}
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%4d %s", counts[k], k)
	}
	t.Logf("%d better; %d packages differ, %d audited, %d changes", len(r.Better), len(r.Changed), len(r.Audited), len(r.Changes))
	for _, want := range []string{
		"error packageRemoved bookkeeper-operator - -",                             // the whole package is gone
		"error channelRemoved ecr-secret-operator v0.3 -",                          // only alpha is left
		"error headLowered kaoto-operator alpha kaoto-operator.v2.0.1",             // was v2.11.0
		"error headLowered ncn-operator alpha ncn-operator.v0.3.14",                // was v0.3.18
		"error headLowered clusterpulse fast-v0 clusterpulse.v0.3.0",               // was v1.0.2
		"error headUnreachable clusterpulse fast-v0 clusterpulse.v0.2.0",           // only v0.2.3 names it, which v0.3.0 skips
		"error newProblem grafana-operator v5 -",                                   // nothing replaces v5.6.0 any more
		"error dependentBroken kuadrant-operator - kuadrant-operator.v0.7.1",       // requires limitador-operator 0.8.0, which is gone
		"error dependentBroken kuadrant-operator - kuadrant-operator.v0.7.2",       // the same
		"warning defaultChannelChanged sonar-operator alpha -",                     // was stable
		"warning notInstallable shipwright-operator - shipwright-operator.v0.15.2", // is new, and nobody provides TektonConfig
	} {
		require.True(t, found[want], want)
	}
	again := testkit.Must(catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{Workers: 1}))(t)
	r.Old.Seconds, r.New.Seconds, again.Old.Seconds, again.New.Seconds = 0, 0, 0, 0
	require.Equal(t, asJSON(t, r), asJSON(t, again), "the same catalogs give the same report")
}

func asJSON(t testing.TB, v any) string {
	data := testkit.Must(json.MarshalIndent(v, "", " "))(t)
	return string(data)
}

// planted is a copy of a real catalog in which mistakes can be planted.
func planted(t testing.TB) *declared.Catalog {
	return declared.Of(resolver.Catalog{Key: cache.Key{Namespace: "default", Name: "catalog"}, Content: load(t, "community-all.jsonl.gz")})
}

// built builds a catalog of a file with one blob a line, and returns the line of each.
func built(t testing.TB, c *declared.Catalog) (*cache.Catalog, map[string]int) {
	t.Helper()
	var file bytes.Buffer
	lines := make(map[string]int)
	for i, blob := range c.Blobs() {
		var b struct{ Schema, Package, Name string }
		require.NoError(t, json.Unmarshal(blob, &b))
		lines[strings.TrimPrefix(b.Schema, "olm.")+" "+b.Package+" "+b.Name] = i + 1
		file.Write(append(blob, '\n'))
	}
	content, err := fbc.LoadFile(t.Context(), fstest.MapFS{"catalog.jsonl": {Data: file.Bytes()}}, "catalog.jsonl", fbc.Options{})
	require.NoError(t, err)
	return content, lines
}

// TestUnrelatedChanges: other orders of blobs, other files and other descriptions are
// no change at all.
func TestUnrelatedChanges(t *testing.T) {
	c := planted(t)
	states := make([]*cache.Catalog, 2)
	for state := range states {
		r := rand.New(rand.NewPCG(1, uint64(state)))
		blobs, fsys := c.Blobs(), make(fstest.MapFS)
		r.Shuffle(len(blobs), func(i, j int) { blobs[i], blobs[j] = blobs[j], blobs[i] })
		for i, blob := range blobs {
			name := fmt.Sprintf("part%d/catalog.json", i%(3+4*state))
			if fsys[name] == nil {
				fsys[name] = &fstest.MapFile{}
			}
			fsys[name].Data = append(append(fsys[name].Data, described(t, blob, fmt.Sprint("text ", i))...), '\n')
		}
		content := testkit.Must(fbc.Load(t.Context(), fsys, fbc.Options{}))(t)
		states[state] = content
	}
	report := testkit.Must(catalogdiff.Compare(t.Context(), states[0], states[1], catalogdiff.Options{}))(t)
	require.Empty(t, report.Worse)
	require.Empty(t, report.Better)
	require.Empty(t, report.Changes)
	require.Empty(t, report.Audited)
}

// described gives a bundle a description, and turns the entries of a channel round
// for about half of the descriptions.
func described(t testing.TB, blob json.RawMessage, text string) []byte {
	var b map[string]any
	require.NoError(t, json.Unmarshal(blob, &b))
	if b["schema"] == "olm.bundle" {
		props, _ := b["properties"].([]any)
		b["properties"] = append(props, map[string]any{"type": "olm.csv.metadata", "value": map[string]any{"description": text, "displayName": "x"}})
	}
	if entries, ok := b["entries"].([]any); ok && b["schema"] == "olm.channel" && strings.HasSuffix(text, "1") {
		slices.Reverse(entries)
	}
	return testkit.Must(json.Marshal(b))(t)
}

// BenchmarkCompare compares whole real catalogs, and one changed package of a real
// catalog; BenchmarkAudit is what both are measured by.
func BenchmarkCompare(b *testing.B) {
	old, now := load(b, "community-v4.14-full.jsonl.gz"), load(b, "community-v4.19-full.jsonl.gz")
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			_, err := catalogdiff.Compare(b.Context(), old, now, catalogdiff.Options{})
			require.NoError(b, err)
		}
	})
	for _, name := range []string{"etcd", "grafana-operator", "cert-manager", "hive-operator", "limitador-operator", "strimzi-kafka-operator", "eclipse-che"} {
		changed := without(b, now, name)
		b.Run("one/"+name, func(b *testing.B) {
			for b.Loop() {
				r := testkit.Must(catalogdiff.Compare(b.Context(), now, changed, catalogdiff.Options{}))(b)
				require.Len(b, r.Changed, 1)
			}
		})
	}
}

// without is a catalog in which each channel of a package lost its last entry.
func without(t testing.TB, content *cache.Catalog, name string) *cache.Catalog {
	var packages []*graph.Package
	for p := range content.Packages() {
		if p.Name != name {
			packages = append(packages, p)
			continue
		}
		d := graph.PackageDecl{Name: name, Definitions: []graph.DefinitionDecl{{DefaultChannel: p.DefaultChannel}}}
		for _, ch := range p.Channels {
			c := graph.ChannelDecl{Name: ch.Name}
			for _, e := range ch.Entries[:len(ch.Entries)-1] {
				c.Entries = append(c.Entries, graph.EntryDecl{Name: e.Name, Replaces: e.Replaces, Skips: e.Skips, SkipRange: e.SkipRange.String()})
			}
			d.Channels = append(d.Channels, c)
		}
		for _, bundle := range p.Bundles {
			d.Bundles = append(d.Bundles, graph.BundleDecl{Name: bundle.Name, Image: bundle.Image, Properties: bundle.Properties, Compatibility: bundle.Compatibility})
		}
		packages = append(packages, graph.Build(d, graph.Options{}))
	}
	require.NotNil(t, content.Package(name), name)
	return cache.NewCatalog(packages, nil)
}

// BenchmarkAudit audits a whole real catalog.
func BenchmarkAudit(b *testing.B) {
	now := load(b, "community-v4.19-full.jsonl.gz")
	for b.Loop() {
		_, err := audit.Run(b.Context(), resolver.New(), []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "community"}, Content: now}}, audit.Options{})
		require.NoError(b, err)
	}
}

func itoa(n int) string { return fmt.Sprint(n) }
