package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// Catalogs that the repository carries.
const (
	community = "../../examples/catalogs/community"
	untidied  = "../../examples/catalogs/untidy.yaml"
	platform  = "../../examples/catalogs/platform.jsonl"
)

func TestGraphExitStatuses(t *testing.T) {
	waysOut(t, map[string]wayOut{
		"all channels":          {[]string{"graph", community, "etcd"}, 0, ""},
		"one channel":           {[]string{"graph", community, "etcd", "clusterwide-alpha"}, 0, ""},
		"a broken one":          {[]string{"graph", untidied, "jaeger"}, 0, ""},
		"no package":            {[]string{"graph", community}, 2, "graph needs CATALOG PACKAGE [CHANNEL]"},
		"too many":              {[]string{"graph", community, "etcd", "a", "b"}, 2, "graph needs CATALOG PACKAGE [CHANNEL]"},
		"unknown package":       {[]string{"graph", community, "etc"}, 2, `../../examples/catalogs/community has no package "etc"; did you mean etcd?`},
		"another one":           {[]string{"graph", community, "zzz"}, 2, `has no package "zzz"; it has 12 packages`},
		"unknown channel":       {[]string{"graph", community, "etcd", "beta"}, 2, "package etcd has no channel beta; it has singlenamespace-alpha and clusterwide-alpha"},
		"the same, as JSON":     {[]string{"graph", "-o", "json", community, "etcd", "beta"}, 2, "package etcd has no channel beta"},
		"the same, as SVG":      {[]string{"graph", "-o", "svg", community, "etcd", "beta"}, 2, "package etcd has no channel beta"},
		"missing catalog":       {[]string{"graph", "nowhere", "etcd"}, 2, "nowhere: no such file"},
		"not a catalog":         {[]string{"graph", write(t, "garbage.json", "]]]\n"), "etcd"}, 2, "resolute validate lists its problems"},
		"an empty directory":    {[]string{"graph", t.TempDir(), "etcd"}, 2, "empty"},
		"time over":             {[]string{"graph", "--timeout", "1ns", community, "etcd"}, 3, "../../examples/catalogs/community: reading stopped"},
		"unknown form":          {[]string{"graph", "-o", "xml", community, "etcd"}, 2, "is not text, dot, mermaid, svg, html or json"},
		"installed nothing":     {[]string{"graph", "--installed", "@1.0.0", community, "etcd"}, 2, "the bundle's name is missing"},
		"installed badly":       {[]string{"graph", "--installed", "a@one", community, "etcd"}, 2, `"one" is not a version such as 1.2.3`},
		"across":                {[]string{"graph", "--across", "a=" + community, "b=" + platform, "etcd"}, 0, ""},
		"across nothing":        {[]string{"graph", "--across", "etcd"}, 2, "graph --across needs KEY=CATALOG... PACKAGE"},
		"across no key":         {[]string{"graph", "--across", community, "etcd"}, 2, "must have the form KEY=CATALOG"},
		"across twice":          {[]string{"graph", "--across", "a=" + community, "a=" + platform, "etcd"}, 2, `two catalogs have the key "a"`},
		"across an unknown one": {[]string{"graph", "--across", "a=" + community, "etc"}, 2, `has no package "etc"; did you mean etcd?`},
		"across as SVG":         {[]string{"graph", "-o", "svg", "--across", "a=" + community, "etcd"}, 2, "--across supports the formats text, json and html, not svg"},
		"across all edges":      {[]string{"graph", "--all-edges", "--across", "a=" + community, "etcd"}, 2, "remove it, or --across"},
		"across from two":       {[]string{"graph", "--installed", "a", "--installed", "b", "--across", "a=" + community, "etcd"}, 2, "give --installed once"},
		"across from unknown":   {[]string{"graph", "--installed", "etcdoperator.v0.9.3", "--across", "a=" + community, "etcd"}, 2, "etcdoperator.v0.9.3@VERSION"},
		"across nowhere":        {[]string{"graph", "--across", "a=nowhere", "etcd"}, 2, "nowhere: no such file"},
		"installed, everywhere": {[]string{"graph", "--installed", "etcdoperator.v0.9.0", community, "etcd"}, 0, ""},
	})
}

// graphOf draws a package in one form.
func graphOf(t *testing.T, form string, args ...string) string {
	t.Helper()
	got := resolute(context.Background(), "", append([]string{"graph", "-o", form}, args...)...)
	require.Zero(t, got.status, got.errOut)
	return got.out
}

// TestGraphForms: each form is of the channels asked for. How they look is tested
// where they are drawn.
func TestGraphForms(t *testing.T) {
	for form, begins := range map[string]string{"text": "package etcd, default channel singlenamespace-alpha\n", "dot": "digraph ", "mermaid": "flowchart ", "svg": "<svg "} {
		all := graphOf(t, form, community, "etcd")
		require.True(t, strings.HasPrefix(all, begins), all)
		require.Contains(t, all, "singlenamespace-alpha")
		require.Contains(t, all, "0.9.4-clusterwide")
		one := graphOf(t, form, community, "etcd", "singlenamespace-alpha")
		require.Contains(t, one, "0.9.2")
		require.NotContains(t, one, "0.9.4-clusterwide")
	}

	// v1 goes to v4; that v3 holds it as well is shown when all edges are.
	ranges := write(t, "ranges.json", universe.JSON(t, `
		a/c a.v1 a.v2
		a/c a.v3 replaces=a.v2 range=<3.0.0
		a/c a.v4 replaces=a.v3 range=<4.0.0`))
	few, all := graphOf(t, "dot", ranges, "a"), graphOf(t, "dot", "--all-edges", ranges, "a")
	require.Less(t, strings.Count(few, " -> "), strings.Count(all, " -> "))
}

// TestGraphOfAnInstalledBundle: it is marked, with what it can be upgraded to and
// its way to the head.
func TestGraphOfAnInstalledBundle(t *testing.T) {
	_, told, ok := strings.Cut(graphOf(t, "text", "--installed", "etcdoperator.v0.9.0", "--installed", "etcdoperator.v0.9.4", community, "etcd", "singlenamespace-alpha"), "\n\ninstalled ")
	require.True(t, ok)
	require.Equal(t, `etcdoperator.v0.9.0, in channel singlenamespace-alpha:
  etcdoperator.v0.9.0 → etcdoperator.v0.9.2 (replaces in singlenamespace-alpha)
  etcdoperator.v0.9.0 reaches etcdoperator.v0.9.4 in 2 steps in channel singlenamespace-alpha: etcdoperator.v0.9.0 → etcdoperator.v0.9.2 (replaces) → etcdoperator.v0.9.4 (replaces)

installed etcdoperator.v0.9.4, in channel singlenamespace-alpha:
  it is the head
`, told)

	// One that the catalog does not have: by name, and once its version is known,
	// by the ranges that hold it. cert-manager.v1.16.1 has the skipRange ">=1.14.0 <1.16.1".
	without := graphOf(t, "text", "--installed", "cert-manager.v1.15.9", community, "cert-manager", "stable")
	require.Contains(t, without, "installed cert-manager.v1.15.9, in channel stable:\n  no upgrades lead from cert-manager.v1.15.9 to ")
	require.Contains(t, without, "its version is unknown, so skip ranges are ignored; set --installed cert-manager.v1.15.9@VERSION")
	with := graphOf(t, "text", "--installed", "cert-manager.v1.15.9@1.15.9", community, "cert-manager", "stable")
	require.Contains(t, with, "  cert-manager.v1.15.9 → cert-manager.v1.16.1 (skipRange in stable)\n")
	require.NotContains(t, with, "is unknown")

	require.Contains(t, graphOf(t, "text", "--installed", "jaeger-operator.v1.62.0", untidied, "jaeger", "stable"), "  the channel has no head, so it offers no upgrade\n")
	for _, form := range []string{"dot", "mermaid", "svg"} {
		require.Contains(t, graphOf(t, form, "--installed", "etcdoperator.v0.9.0", community, "etcd"), "installed", form)
	}
}

// TestGraphAsJSON holds the keys and their order against the format.
func TestGraphAsJSON(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(graphOf(t, "json", community, "etcd"), "\n"), "\n")
	require.Len(t, lines, 2, "one object a channel")
	require.Equal(t, []string{"package", "channel", "head", "entries", "problems"}, keys(t, lines[0]))
	var view struct {
		Head     string
		Problems []struct {
			File string
			Line int
		}
		Installed []json.RawMessage
	}
	line := graphOf(t, "json", "--installed", "etcdoperator.v0.9.1", community, "etcd", "singlenamespace-alpha")
	require.Equal(t, []string{"package", "channel", "head", "entries", "problems", "installed"}, keys(t, line))
	require.NoError(t, json.Unmarshal([]byte(line), &view))
	require.Equal(t, []string{"bundle", "successors", "toHead"}, keys(t, string(view.Installed[0])))
	require.Contains(t, line, `"installed":[{"bundle":"etcdoperator.v0.9.1","successors":["etcdoperator.v0.9.2"],"toHead":{"from":"etcdoperator.v0.9.1",`)

	require.NoError(t, json.Unmarshal([]byte(graphOf(t, "json", untidied, "jaeger", "stable")), &view))
	require.Empty(t, view.Head)
	require.Equal(t, untidied, view.Problems[0].File, "as it can be opened from here")
	require.Equal(t, 6, view.Problems[0].Line)
}
