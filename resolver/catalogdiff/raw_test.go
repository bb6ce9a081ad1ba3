package catalogdiff_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// raw is a catalog as its blobs say, read without any of the library: a second opinion.
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
	t.Helper()
	f, err := os.Open(dataDir + "/" + name)
	if os.IsNotExist(err) {
		t.Skipf("the real catalogs are not there: ../shared/data/%s is not part of the repository", name)
	}
	require.NoError(t, err)
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

// candidates are the head of a channel, empty if it has none, and the entries on its
// chain that are not skipped and have a bundle.
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

// leads reports whether a candidate of a channel names a bundle, or may by its range.
func (r *raw) leads(pkg, channel, bundle string) (byName, byRange bool) {
	_, list := r.candidates(pkg, channel)
	for _, e := range list {
		byName = byName || e.Name != bundle && (e.Replaces == bundle || slices.Contains(e.Skips, bundle))
		byRange = byRange || e.SkipRange != ""
	}
	return byName, byRange
}

// TestCommunityRaw holds what was found between two real catalogs against their blobs.
func TestCommunityRaw(t *testing.T) {
	testkit.OnlyLong(t, "decodes two whole catalogs")
	const oldName, newName = "community-v4.14-full.jsonl.gz", "community-v4.19-full.jsonl.gz"
	was, is := loadRaw(t, oldName), loadRaw(t, newName)
	r := testkit.Must(catalogdiff.Compare(t.Context(), load(t, oldName), load(t, newName), catalogdiff.Options{}))(t)
	found := make(map[string]int)
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
	// And the other way round: nothing of the kind is missing.
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
	require.Len(t, offered, found["bundleRemoved"])
	removed := 0
	for at, entries := range was.channels {
		if is.channels[at] == nil && is.packages[at[0]] && len(entries) > 0 {
			removed++
		}
	}
	require.Equal(t, removed, found["channelRemoved"])
}
