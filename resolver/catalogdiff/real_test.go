package catalogdiff_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// load reads a real catalog, or skips the test if it does not exist.
func load(t testing.TB, name string) *cache.Catalog {
	return testkit.Must(fbc.Load(t.Context(), testkit.Data(t, name), fbc.Options{File: name}))(t)
}

// TestCommunity compares two real catalogs. The listed findings were verified in both catalogs by
// hand; TestCommunityRaw checks most of the others.
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
		"error packageRemoved bookkeeper-operator - -",                             // the package was removed
		"error channelRemoved ecr-secret-operator v0.3 -",                          // only alpha is left
		"error headLowered kaoto-operator alpha kaoto-operator.v2.0.1",             // was v2.11.0
		"error headLowered ncn-operator alpha ncn-operator.v0.3.14",                // was v0.3.18
		"error headLowered clusterpulse fast-v0 clusterpulse.v0.3.0",               // was v1.0.2
		"error headUnreachable clusterpulse fast-v0 clusterpulse.v0.2.0",           // only v0.2.3 names it, which v0.3.0 skips
		"error newProblem grafana-operator v5 -",                                   // nothing replaces v5.6.0
		"error dependentBroken kuadrant-operator - kuadrant-operator.v0.7.1",       // requires limitador-operator 0.8.0, which was removed
		"error dependentBroken kuadrant-operator - kuadrant-operator.v0.7.2",       // the same
		"warning defaultChannelChanged sonar-operator alpha -",                     // was stable
		"warning notInstallable shipwright-operator - shipwright-operator.v0.15.2", // is new, and nobody provides TektonConfig
	} {
		require.True(t, found[want], want)
	}
	if !testkit.Long() {
		return // TestPairs compares those of smaller ones
	}
	again := testkit.Must(catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{Workers: 1}))(t)
	r.Old.Seconds, r.New.Seconds, again.Old.Seconds, again.New.Seconds = 0, 0, 0, 0
	require.Equal(t, asJSON(t, r), asJSON(t, again), "the same catalogs give the same report")
}

func asJSON(t testing.TB, v any) string {
	return string(testkit.Must(json.MarshalIndent(v, "", " "))(t))
}

// planted returns a copy of a real catalog for planting mistakes.
func planted(t testing.TB) *declared.Catalog {
	return declared.Of(resolver.Catalog{Key: cache.Key{Namespace: "default", Name: "catalog"}, Content: load(t, "community-all.jsonl.gz")})
}

// built builds a catalog from a file with one blob per line, and returns the line of each.
func built(t testing.TB, c *declared.Catalog) (*cache.Catalog, map[string]int) {
	var file bytes.Buffer
	lines := make(map[string]int)
	for i, blob := range c.Blobs() {
		var b struct{ Schema, Package, Name string }
		require.NoError(t, json.Unmarshal(blob, &b))
		lines[strings.TrimPrefix(b.Schema, "olm.")+" "+b.Package+" "+b.Name] = i + 1
		file.Write(append(blob, '\n'))
	}
	content, err := fbc.Load(t.Context(), fstest.MapFS{"catalog.jsonl": {Data: file.Bytes()}}, fbc.Options{File: "catalog.jsonl"})
	require.NoError(t, err)
	return content, lines
}

// TestUnrelatedChanges: a different order of blobs, other files and other descriptions are not
// changes.
func TestUnrelatedChanges(t *testing.T) {
	c := planted(t)
	c.Packages = c.Packages[:testkit.Times(60, len(c.Packages))]
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
		states[state] = testkit.Must(fbc.Load(t.Context(), fsys, fbc.Options{}))(t)
	}
	report := testkit.Must(catalogdiff.Compare(t.Context(), states[0], states[1], catalogdiff.Options{}))(t)
	require.Empty(t, report.Worse)
	require.Empty(t, report.Better)
	require.Empty(t, report.Changes)
	require.Empty(t, report.Audited)
}

// described adds a description to a bundle, and reverses the entries of a channel for about half
// of the descriptions.
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

// raw is a catalog of raw blobs, parsed without the library, as a reference implementation.
type raw struct {
	packages map[string]bool
	channels map[[2]string][]rawEntry
	bundles  map[[2]string]bool
}

type rawEntry struct {
	Name, Replaces, SkipRange string
	Skips                     []string
}

func loadRaw(t *testing.T, name string) *raw {
	f := testkit.Must(testkit.Data(t, name).Open(name))(t)
	defer f.Close()
	z := testkit.Must(gzip.NewReader(f))(t)
	r := &raw{make(map[string]bool), make(map[[2]string][]rawEntry), make(map[[2]string]bool)}
	dec := json.NewDecoder(bufio.NewReader(z))
	for dec.More() {
		var b struct {
			Schema, Package, Name string
			Entries               []rawEntry
		}
		require.NoError(t, dec.Decode(&b))
		switch b.Schema {
		case "olm.package":
			r.packages[b.Name] = true
		case "olm.channel":
			r.channels[[2]string{b.Package, b.Name}] = b.Entries
		case "olm.bundle":
			r.bundles[[2]string{b.Package, b.Name}] = true
		}
	}
	return r
}

// candidates returns the head of a channel, empty if it has none, and the unskipped entries of
// its chain that have a bundle.
func (r *raw) candidates(pkg, channel string) (head string, out []rawEntry) {
	entries := r.channels[[2]string{pkg, channel}]
	byName, taken, skipped := make(map[string]rawEntry), make(map[string]bool), make(map[string]bool)
	for _, e := range entries {
		byName[e.Name] = e
		taken[e.Replaces] = true
		for _, s := range e.Skips {
			skipped[s] = true
		}
	}
	for _, e := range entries {
		if taken[e.Name] || skipped[e.Name] {
			continue
		}
		if head != "" {
			return "", nil
		}
		head = e.Name
	}
	seen := make(map[string]bool)
	for name := head; !seen[name]; name = byName[name].Replaces {
		seen[name] = true
		e, ok := byName[name]
		if !ok {
			break
		}
		if !skipped[name] && r.bundles[[2]string{pkg, name}] {
			out = append(out, e)
		}
	}
	return head, out
}

// leads reports whether a candidate of a channel names a bundle, or may match it by its range.
func (r *raw) leads(pkg, channel, bundle string) (byName, byRange bool) {
	_, list := r.candidates(pkg, channel)
	for _, e := range list {
		byName = byName || e.Name != bundle && (e.Replaces == bundle || slices.Contains(e.Skips, bundle))
		byRange = byRange || e.SkipRange != ""
	}
	return byName, byRange
}

// TestCommunityRaw checks the findings between two real catalogs against their blobs.
func TestCommunityRaw(t *testing.T) {
	testkit.OnlyLong(t, "decodes two whole catalogs")
	const oldName, newName = "community-v4.14-full.jsonl.gz", "community-v4.19-full.jsonl.gz"
	was, is := loadRaw(t, oldName), loadRaw(t, newName)
	old := load(t, oldName)
	r := testkit.Must(catalogdiff.Compare(t.Context(), old, load(t, newName), catalogdiff.Options{}))(t)
	found, removedBundles := make(map[string]int), make(map[[2]string]bool)
	for _, f := range r.Worse {
		found[f.Code]++
		switch f.Code {
		case "packageRemoved":
			require.True(t, was.packages[f.Package] && !is.packages[f.Package], "%+v", f)
		case "channelRemoved":
			at := [2]string{f.Package, f.Channel}
			require.True(t, is.packages[f.Package] && len(was.channels[at]) > 0 && is.channels[at] == nil, "%+v", f)
		case "bundleRemoved":
			at := [2]string{f.Package, f.Bundle}
			require.True(t, is.packages[f.Package] && was.bundles[at] && !is.bundles[at], "%+v", f)
			removedBundles[at] = true
		case "headLowered":
			head, _ := is.candidates(f.Package, f.Channel)
			require.Equal(t, head, f.Bundle)
		case "edgeLost":
			led, maybe := was.leads(f.Package, f.Channel, f.Bundle)
			require.True(t, led || maybe, "there was no edge: %+v", f)
			leads, _ := is.leads(f.Package, f.Channel, f.Bundle)
			require.False(t, leads, "there is an edge: %+v", f)
			head, _ := is.candidates(f.Package, f.Channel)
			require.NotEmpty(t, head)
			require.NotEqual(t, head, f.Bundle)
		}
	}
	// Conversely, no such finding is missing.
	offered := make(map[[2]string]bool)
	gone := make(map[string]bool)
	for at := range was.channels {
		_, list := was.candidates(at[0], at[1])
		for _, e := range list {
			if !is.packages[at[0]] {
				gone[at[0]] = true
			} else if b := [2]string{at[0], e.Name}; !is.bundles[b] {
				offered[b] = true
			}
		}
	}
	require.Len(t, gone, found["packageRemoved"])
	// A bundle that was never installable is not a loss.
	maps.DeleteFunc(offered, func(b [2]string, _ bool) bool {
		return !removedBundles[b] && !installable(t, old, b[0], b[1])
	})
	require.Len(t, offered, found["bundleRemoved"])
	removed := 0
	for at, entries := range was.channels {
		if is.channels[at] == nil && is.packages[at[0]] && len(entries) > 0 {
			removed++
		}
	}
	require.Equal(t, removed, found["channelRemoved"])
}

// installable reports whether a bundle of a catalog can be installed on an empty cluster.
func installable(t *testing.T, content *cache.Catalog, pkg, bundle string) bool {
	_, err := resolver.New().Resolve(t.Context(), resolver.Request{
		Catalogs:      []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "c"}, Content: content}},
		Subscriptions: []resolver.Subscription{{Name: "s", Package: pkg, StartingCSV: bundle}},
	})
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		return false
	}
	require.NoError(t, err)
	return true
}
