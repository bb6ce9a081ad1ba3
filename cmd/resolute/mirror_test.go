package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const mirrorCatalog = `{"schema":"olm.package","name":"foo","defaultChannel":"stable"}
{"schema":"olm.channel","package":"foo","name":"stable","entries":[{"name":"foo.v3","replaces":"foo.v2"},{"name":"foo.v2","replaces":"foo.v1"},{"name":"foo.v1"}]}
{"schema":"olm.bundle","package":"foo","name":"foo.v3","image":"example.com/foo:3","relatedImages":[{"image":"example.com/foo-operand:3"},{"image":"example.com/icons:3"}],"properties":[{"type":"olm.package","value":{"packageName":"foo","version":"3.0.0"}},{"type":"olm.package.required","value":{"packageName":"bar","versionRange":">=1.0.0"}}]}
{"schema":"olm.bundle","package":"foo","name":"foo.v2","image":"example.com/foo:2","properties":[{"type":"olm.package","value":{"packageName":"foo","version":"2.0.0"}}]}
{"schema":"olm.bundle","package":"foo","name":"foo.v1","image":"example.com/foo:1","properties":[{"type":"olm.package","value":{"packageName":"foo","version":"1.0.0"}}]}
{"schema":"olm.package","name":"bar","defaultChannel":"stable"}
{"schema":"olm.channel","package":"bar","name":"stable","entries":[{"name":"bar.v1"}]}
{"schema":"olm.bundle","package":"bar","name":"bar.v1","image":"example.com/bar:1","properties":[{"type":"olm.package","value":{"packageName":"bar","version":"1.0.0"}}]}
{"schema":"example.com/note","package":"bar", "text":"kept  as it is"}
`

const mirrorConfiguration = `kind: ImageSetConfiguration
apiVersion: mirror.openshift.io/v2alpha1
archiveSize: 4
mirror:
  operators:
  - catalog: example.com/index:v1
    targetTag: mine
    packages: [{name: foo}, {name: fo}]
  blockedImages: [{name: ".*icons.*"}]
`

// mirrorFiles are the arguments for a configuration, its catalog and a cluster.
func mirrorFiles(t *testing.T, configuration string) []string {
	t.Helper()
	catalog := write(t, "catalog.jsonl", mirrorCatalog)
	cluster := write(t, "cluster.yaml", `
installed: [{name: foo.v1, package: foo, version: 1.0.0}]
subscriptions: [{name: foo, package: foo, channel: stable, installedCSV: foo.v1}]
`)
	return []string{"mirror", write(t, "isc.yaml", configuration), "--catalog", "example.com/index:v1=" + catalog, "--installed", cluster}
}

// TestMirror: selected and added bundles, in each format.
func TestMirror(t *testing.T) {
	args := append(mirrorFiles(t, mirrorConfiguration), "--ignore-missing")
	run := func(form string) string {
		got := resolute(context.Background(), "", append(args, "-o", form)...)
		require.Equal(t, exitNo, got.status, got.errOut)
		return got.out
	}
	text := run("text")
	require.Contains(t, text, "selected: 1 bundle of 1 package, 1 channel\n")
	require.Contains(t, text, "the catalog has no package fo; did you mean foo?")
	require.Contains(t, text, "bar.v1 of package bar, channel stable\n    - for foo.v3: package bar in range >=1.0.0\n")
	require.Contains(t, text, "foo.v2 of package foo, channel stable\n    - for foo.v1: the upgrade path from it to foo.v3 in channel stable\n")

	var plan map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(run("json")), &plan))
	require.JSONEq(t, `[{"name":"foo","defaultChannel":"stable","channels":[{"name":"stable","head":"foo.v3","bundles":["foo.v3"]}]}]`, string(plan["packages"]))
	require.JSONEq(t, `["example.com/bar:1","example.com/foo-operand:3","example.com/foo:2","example.com/foo:3"]`, string(plan["images"]))
	require.Equal(t, "example.com/bar:1\nexample.com/foo-operand:3\nexample.com/foo:2\nexample.com/foo:3\n", run("images"))

	require.Contains(t, run("isc"), "minVersion: \"2.0.0\"\n")
	lines := strings.Split(mirrorCatalog, "\n")
	require.Equal(t, lines[0]+"\n"+
		`{"entries":[{"name":"foo.v3","replaces":"foo.v2"},{"name":"foo.v2","replaces":"foo.v1"}],"name":"stable","package":"foo","schema":"olm.channel"}`+"\n"+
		lines[2]+"\n"+lines[3]+"\n"+strings.Join(lines[5:9], "\n")+"\n", run("catalog"))
	page := run("html")
	require.Contains(t, page, "<title>The selected bundles can be installed and reach their heads only with 2 more bundles</title>")
	require.Contains(t, page, "<svg")
	require.Contains(t, page, "foo.v2 (added)")
	require.NotContains(t, page, "<script")
	_, cells, _ := strings.Cut(page, `>foo stable</text>`)
	require.Less(t, strings.Index(cells, "foo.v2 (added)"), strings.Index(cells, "foo.v3"), "the head is last")
}

// TestMirrorUnknown: a name that the catalog lacks is an error in every form, and with
// --ignore-missing a warning, which never widens the selection.
func TestMirrorUnknown(t *testing.T) {
	args := mirrorFiles(t, strings.Replace(mirrorConfiguration, "{name: foo}, {name: fo}", "{name: fooo, minVersion: 1.0.0}", 1))
	for _, form := range []string{"text", "json", "html", "isc", "catalog", "images"} {
		got := resolute(context.Background(), "", append(args, "-o", form)...)
		require.Equal(t, exitUnusable, got.status, form)
		require.Contains(t, got.errOut, "isc.yaml: line 8: catalog example.com/index:v1: the catalog has no package fooo; did you mean foo?\n")
		require.Contains(t, got.errOut, "--ignore-missing")
		if form == "json" {
			require.Equal(t, []string{"file", "status", "error", "problems"}, keys(t, got.out))
			require.Contains(t, got.out, `"problems":[{"code":"packageUnknown","subject":"fooo","catalog":"example.com/index:v1","near":["foo"]}]`)
			continue
		}
		require.Empty(t, got.out, form)
	}
	args = append(args, "--ignore-missing")
	for form, want := range map[string]string{"text": "nothing is selected: there is nothing to mirror\n", "json": `"omittedCatalogs":["example.com/index:v1"]`, "html": "<h1>Nothing is selected: there is nothing to mirror</h1>", "isc": "# catalog example.com/index:v1 is omitted", "images": ""} {
		got := resolute(context.Background(), "", append(args, "-o", form)...)
		require.Equal(t, exitNo, got.status, form)
		require.Contains(t, got.out, want, form)
		require.NotContains(t, got.out, "can be installed, and", form)
		require.NotContains(t, got.out, "- catalog:", form)
		if form == "isc" || form == "images" {
			require.Contains(t, got.errOut, "is omitted", form)
		}
	}
	got := resolute(context.Background(), "", append(args, "-o", "catalog")...)
	require.Equal(t, exitUnusable, got.status)
	require.Contains(t, got.errOut, "nothing to print")
}

// TestMirrorMistakes: each says what to do.
func TestMirrorMistakes(t *testing.T) {
	good := mirrorFiles(t, mirrorConfiguration)
	with := func(old, replacement string) []string {
		return mirrorFiles(t, strings.Replace(mirrorConfiguration, old, replacement, 1))
	}
	for want, args := range map[string][]string{
		"did you mean targetTag?":                   with("targetTag", "targetTaq"),
		"is not given; specify it, as in --catalog": good[:2],
		"must have the form REF=CATALOG":            append(good[:2:2], "--catalog", "x"),
		"no such file":                              {"mirror", filepath.Join(t.TempDir(), "none.yaml")},
	} {
		got := resolute(context.Background(), "", args...)
		require.Equal(t, exitUnusable, got.status, want)
		require.Contains(t, got.errOut, want)
	}
}
