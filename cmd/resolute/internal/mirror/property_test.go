package mirror_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// drawLines draws a catalog: some packages with chains of versions, skips, skipRanges, a
// second channel now and then, and requirements of each other.
func drawLines(t *rapid.T) []string {
	var lines []string
	packages := rapid.IntRange(2, 5).Draw(t, "packages")
	for p := range packages {
		name := string(rune('a' + p))
		versions := rapid.IntRange(1, 6).Draw(t, "versions")
		for _, channel := range []string{"stable", "fast"} {
			if channel == "fast" && rapid.IntRange(0, 3).Draw(t, "fast") > 0 {
				continue
			}
			for v := versions; v >= 1; v-- {
				line := fmt.Sprintf("%s/%s %s.v%d.0.0", name, channel, name, v)
				if v > 1 {
					line += fmt.Sprintf(" replaces=%s.v%d.0.0", name, v-1)
				}
				if v > 2 && rapid.IntRange(0, 3).Draw(t, "skips") == 0 {
					line += fmt.Sprintf(" skips=%s.v%d.0.0", name, v-2)
				}
				if v > 2 && rapid.IntRange(0, 4).Draw(t, "skipRange") == 0 {
					line += fmt.Sprintf(" range=\">=1.0.0 <%d.0.0\"", v)
				}
				if channel == "stable" && rapid.IntRange(0, 2).Draw(t, "needs") == 0 {
					other := rapid.IntRange(0, packages-1).Draw(t, "other")
					at := rapid.IntRange(1, 6).Draw(t, "at")
					if other != p {
						line += fmt.Sprintf(" needs=%s@%s%d.0.0", string(rune('a'+other)), rapid.SampledFrom([]string{">=", "<=", ""}).Draw(t, "op"), at)
					}
				}
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// drawPackages draws what to mirror of a catalog.
func drawPackages(t *rapid.T, lines []string) []string {
	var names []string
	for _, line := range lines {
		name, _, _ := strings.Cut(line, "/")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var out []string
	for _, name := range names {
		switch rapid.IntRange(0, 6).Draw(t, "wanted") {
		case 0:
			out = append(out, "{name: "+name+"}")
		case 4:
			out = append(out, "{name: "+name+"x}")
		case 5:
			out = append(out, "{name: "+name+", channels: [{name: stable}, {name: fats}]}")
		case 6:
			out = append(out, fmt.Sprintf("{name: %s, bundles: [{name: %s.v%d.0.0}]}", name, name, rapid.IntRange(1, 6).Draw(t, "single")))
		case 1:
			low := rapid.IntRange(1, 3).Draw(t, "low")
			out = append(out, fmt.Sprintf("{name: %s, minVersion: %d.0.0, maxVersion: %d.0.0}", name, low, low+rapid.IntRange(0, 3).Draw(t, "span")))
		}
	}
	if len(out) == 0 {
		out = []string{"{name: a}"}
	}
	return out
}

// mirrored is the written catalog of a plan, read back.
func mirrored(t require.TestingT, plan *mirror.Plan, whole []json.RawMessage) *cache.Catalog {
	var text bytes.Buffer
	w := mirror.NewCatalogWriter(&text, plan.Selections[0])
	for _, raw := range whole {
		var b struct{ Schema, Package, Name string }
		require.NoError(t, json.Unmarshal(raw, &b))
		require.NoError(t, w.Add(fbc.Blob{Schema: b.Schema, Package: b.Package, Name: b.Name, Raw: raw}))
	}
	return testkit.Must(fbc.Read(context.Background(), &text, "catalog.json", fbc.Options{}))(t)
}

// TestCompletedResolves: of what a completed configuration mirrors, each bundle of which
// the plan does not say otherwise can be installed on an empty cluster, and every
// installed version of which it does not say otherwise moves to its head. The catalog is
// that which is written, not what the plan was made with.
func TestCompletedResolves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := drawLines(t)
		text := strings.Join(lines, "\n")
		whole, content := universe.Blobs(t, text), universe.Content(t, text)
		text = configText(false, drawPackages(t, lines))
		config := testkit.Must(mirror.Parse(context.Background(), "isc.yaml", []byte(text)))(t)
		opts := mirror.Options{Catalogs: []mirror.Catalog{{Ref: indexRef, Content: content}}}
		var installed string
		if rapid.Bool().Draw(t, "installed") {
			line := rapid.SampledFrom(lines).Draw(t, "which")
			words := strings.Fields(line)
			pkg, channel, _ := strings.Cut(words[0], "/")
			installed = words[1]
			opts.Installed = cluster([]string{installed + " by " + pkg + " in " + channel})
		}
		r := resolver.New()
		plan, err := mirror.Make(context.Background(), r, config, opts)
		if unknown := (*mirror.UnknownError)(nil); errors.As(err, &unknown) {
			opts.IgnoreMissing = true
			plan, err = mirror.Make(context.Background(), r, config, opts)
		}
		if refused := (*mirror.SelectionError)(nil); errors.As(err, &refused) {
			t.Skip("oc-mirror would refuse it")
		}
		require.NoError(t, err)
		selectsNoMore(t, plan, content)
		if len(plan.Selections) == 0 {
			require.Equal(t, []string{indexRef}, plan.OmittedCatalogs)
			require.False(t, plan.Clean())
			return
		}

		read := mirrored(t, plan, whole)
		checkSame(t, plan, read)
		catalogs := []resolver.Catalog{{Key: cache.Key{Namespace: "m", Name: "m"}, Content: read}}
		for p := range read.Packages() {
			for _, ch := range p.Channels {
				for _, bundle := range ch.Candidates() {
					if slices.ContainsFunc(plan.Unresolved, func(u mirror.Unresolved) bool { return u.Bundle == bundle.Name && u.Channel == ch.Name }) {
						continue
					}
					_, err := r.Resolve(context.Background(), resolver.Request{Catalogs: catalogs, Subscriptions: []resolver.Subscription{{
						Name: "s", Package: p.Name, Channels: []string{ch.Name}, StartingCSV: bundle.Name}}})
					require.NoError(t, err, "%s\n%s", text, strings.Join(lines, "\n"))
				}
			}
		}
		if installed == "" || slices.ContainsFunc(plan.Stuck, func(s mirror.Stuck) bool { return s.Bundle == installed }) {
			return
		}
		req := opts.Installed[0]
		ch := read.Package(req.Subscriptions[0].Package)
		if ch == nil {
			return // the mirror is not for it
		}
		head := ch.Channel(req.Subscriptions[0].Channels[0])
		require.NotNil(t, head)
		p, err := r.Converge(context.Background(), withProperties(req, catalogs, content), resolver.ConvergeOptions{})
		require.NoError(t, err)
		require.Equal(t, head.Head().Name, p.Final.Subscriptions[0].InstalledCSV, "%s\n%s\n%s", text, strings.Join(lines, "\n"), installed)
	})
}

// selectsNoMore: what the completed configuration selects as it is written was selected
// before, or is an addition that the plan names.
func selectsNoMore(t require.TestingT, plan *mirror.Plan, content *cache.Catalog) {
	known := make(map[string]bool)
	for _, p := range plan.Packages {
		for _, ch := range p.Channels {
			for _, b := range ch.Entries {
				known[p.Name+"/"+b] = true
			}
		}
		for _, b := range p.Bundles {
			known[p.Name+"/"+b] = true
		}
	}
	for _, a := range plan.Added {
		known[a.Package+"/"+a.Bundle] = true
	}
	var text bytes.Buffer
	require.NoError(t, plan.WriteConfiguration(&text))
	again, err := mirror.Parse(context.Background(), "completed.yaml", text.Bytes())
	require.NoError(t, err, text.String())
	for _, o := range again.Operators {
		sel, err := mirror.Select(context.Background(), content, o)
		require.NoError(t, err, text.String())
		for _, p := range sel.Packages {
			for _, b := range p.Bundles {
				require.True(t, known[p.Name+"/"+b], "%s is selected by\n%s", b, text.String())
			}
		}
	}
}

// withProperties is a cluster with the catalogs of the mirror, where what is installed has
// its properties from the whole catalog.
func withProperties(req resolver.Request, catalogs []resolver.Catalog, whole *cache.Catalog) resolver.Request {
	req.Catalogs = catalogs
	req.Policy.Failures = resolver.FailuresPartial
	req.Installed = slices.Clone(req.Installed)
	for i := range req.Installed {
		req.Installed[i].Properties = &whole.Bundle(whole.Named(req.Installed[i].Name)[0]).Properties
	}
	req.Subscriptions = slices.Clone(req.Subscriptions)
	for i := range req.Subscriptions {
		req.Subscriptions[i].Catalog = cache.Key{}
	}
	return req
}

// checkSame: the written catalog has exactly the selected bundles.
func checkSame(t require.TestingT, plan *mirror.Plan, read *cache.Catalog) {
	var want, got []string
	for _, p := range plan.Selections[0].Packages {
		for _, ch := range p.Channels {
			want = append(want, p.Name+"/"+ch.Name+": "+strings.Join(ch.Entries, " "))
		}
		want = append(want, p.Name+": "+p.DefaultChannel+" "+strings.Join(p.Bundles, " "))
	}
	for p := range read.Packages() {
		require.Nil(t, p.Quarantine)
		for _, ch := range p.Channels {
			require.Nil(t, ch.Quarantine)
			var entries []string
			for _, e := range ch.Entries {
				entries = append(entries, e.Name)
			}
			got = append(got, p.Name+"/"+ch.Name+": "+strings.Join(entries, " "))
		}
		var bundles []string
		for _, b := range p.Bundles {
			bundles = append(bundles, b.Name)
		}
		got = append(got, p.Name+": "+p.DefaultChannel+" "+strings.Join(bundles, " "))
	}
	slices.Sort(want)
	slices.Sort(got)
	require.Empty(t, cmp.Diff(want, got))
}
