package mirror_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

const configHead = "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n"

// TestParseProblems: what is wrong with a configuration is said with its line, and what
// to do.
func TestParseProblems(t *testing.T) {
	operators := configHead + "  operators:\n  - catalog: example.com/index:v1\n"
	for _, tt := range []struct{ text, want string }{
		{"", "isc.yaml"},
		{"- a\n", "isc.yaml:1: want a mapping with keys, got an array"},
		{"kind: [", "isc.yaml:1"},
		{"kind: X\napiVersion: mirror.openshift.io/v2alpha1\nmirror: {}\n", `kind: want ImageSetConfiguration, got "X"`},
		{"kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v1alpha2\nmirror: {}\n", "is the format of oc-mirror v1"},
		{"kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v3\nmirror: {}\n", "apiVersion: want mirror.openshift.io/v2alpha1"},
		{"kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\n", "mirror: it is missing"},
		{configHead + "  operators: {}\n", "isc.yaml:4: mirror.operators: want a list, got an object"},
		{configHead + "  operators:\n  - packages: []\n", "isc.yaml:5: mirror.operators[0].catalog: it is missing"},
		{operators + "    full: 1\n", "want true or false, got a number"},
		{operators + "    packages:\n    - {channels: []}\n", "packages[0].name: it is missing"},
		{operators + "    packages:\n    - {name: foo, channels: [{}]}\n", "channels[0].name: it is missing"},
		{operators + "    packages:\n    - {name: foo, minVersion: 1.5}\n", "isc.yaml:7: mirror.operators[0].packages[0].minVersion: want text, got a number, 1.5; put it in quotes"},
		{operators + "    packages:\n    - {name: foo, minVersion: abc}\n", `"abc" is not a version`},
		{operators + "    packages:\n    - {name: foo, minVersion: 2.0.0, maxVersion: 1.0.0}\n", "minVersion 2.0.0 is above maxVersion 1.0.0"},
		{operators + "    packages:\n    - {name: foo, minVersion: 1.0.0, channels: [{name: a, maxVersion: 2.0.0}]}\n", "give the range either for the package or for each channel"},
		{operators + "    full: true\n    packages:\n    - {name: foo, minVersion: 1.0.0}\n", "full: true takes every version and cannot have a range"},
		{operators + "    full: true\n    packages:\n    - {name: foo, channels: [{name: a, maxVersion: 1.0.0}]}\n", "full: true takes every version and cannot have a range"},
		{operators + "    packages:\n    - {name: foo, bundles: [{name: a}], minVersion: 1.0.0}\n", "package foo has bundles and also channels or versions"},
		{operators + "    packages:\n    - {name: foo, bundles: [{name: a}], channels: [{name: b}]}\n", "package foo has bundles and also channels or versions"},
		{operators + "    full: true\n    packages:\n    - {name: foo, bundles: [{name: a}]}\n", "cannot have bundles"},
		{operators + "    packages:\n    - {name: foo, bundles: [{}]}\n", "bundles[0].name: it is missing"},
		{operators + "    packages:\n    - {name: foo}\n    - {name: foo}\n", "package foo is given twice"},
		{operators + "    packages:\n    - {name: foo, channels: [{name: a}, {name: a}]}\n", "channel a is given twice"},
		{configHead + "  blockedImages: [{name: \"(\"}]\n", "is not a regular expression"},
		{configHead + "  operator: []\n", `isc.yaml:4: mirror: unknown key "operator", and oc-mirror refuses that (unknown field); did you mean operators?`},
		{operators + "    packages:\n    - {name: foo, minVersoin: 1.0.0}\n", `packages[0]: unknown key "minVersoin"`},
		{configHead + "  platform: {channels: [{names: a}]}\n", `mirror.platform.channels[0]: unknown key "names"`},
		{"storageConfig: {}\n" + configHead, `unknown key "storageConfig"`},
		{"kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nMirror: {}\n", "mirror: it is missing"},
		{operators + "  - catalog: docker://example.com/index:v1\n", "catalog example.com/index:v1 is given twice, and oc-mirror refuses that (duplicate found in configuration)"},
		{operators + "    targetCatalog: a/b\n  - {catalog: \"example.com/other:v1\", targetCatalog: a/b}\n", "duplicate found in configuration"},
		{operators + "    targetTag: v2\n  - {catalog: \"example.com/index:v2\"}\n", "duplicate found in configuration"},
		{operators + "    targetCatalog: a/b:v1\n", "it should not contain a tag or a digest"},
		{operators + "    targetCatalog: a@sha256:00\n", "it should not contain a tag or a digest"},
	} {
		_, err := mirror.Parse(context.Background(), "isc.yaml", []byte(tt.text))
		var bad *scenario.Error
		require.ErrorAs(t, err, &bad, tt.text)
		require.ErrorContains(t, err, tt.want, tt.text)
	}
}

// TestParseLeniently: keys match in any case, a catalog may have several targets, and what
// has no effect is told.
func TestParseLeniently(t *testing.T) {
	c := testkit.Must(mirror.Parse(context.Background(), "isc.yaml", []byte(configHead+`  Operators:
  - Catalog: example.com/index:v1
    skipDependencies: true
    Packages:
    - {Name: foo, minversion: 1.0.0, maxVersion: 2.0.0, channels: [{NAME: a}]}
  - {catalog: "example.com/index:v1", targetCatalog: a/b, targetTag: x}
`)))(t)
	require.Equal(t, "1.0.0", c.Operators[0].Packages[0].MinVersion)
	require.Equal(t, "a", c.Operators[0].Packages[0].Channels[0].Name)
	require.Len(t, c.Warnings, 1)
	require.Equal(t, scenario.Problem{Line: 6, Path: "mirror.operators[0].skipDependencies", Message: "it is of oc-mirror v1 and has no effect: v2 never follows dependencies"},
		c.Warnings[0])
	var out strings.Builder
	require.NoError(t, (&mirror.Plan{Configuration: c}).WriteConfiguration(&out))
	_, err := mirror.Parse(context.Background(), "again", []byte(out.String()))
	require.NoError(t, err, out.String())
}

// TestCatalogsNotGiven: each catalog of the configuration has to be given, and none else.
func TestCatalogsNotGiven(t *testing.T) {
	config := configuration(t, false, nil)
	content := universe.Content(t, "foo/stable foo.v1.0.0")
	for _, tt := range []struct {
		refs []string
		want string
	}{
		{nil, "line 5: the catalog example.com/index:v1 is not given"},
		{[]string{"example.com/index:v2"}, "did you mean example.com/index:v2?"},
		{[]string{indexRef, "example.com/other:v1"}, "the configuration does not name the catalog example.com/other:v1"},
	} {
		var opts mirror.Options
		for _, ref := range tt.refs {
			opts.Catalogs = append(opts.Catalogs, mirror.Catalog{Ref: ref, Content: content})
		}
		_, err := mirror.Make(context.Background(), resolver.New(), config, opts)
		testkit.As[*mirror.CatalogError](t, err)
		require.ErrorContains(t, err, tt.want)
	}
	// A transport makes no difference.
	_, err := mirror.Make(context.Background(), resolver.New(), config, mirror.Options{Catalogs: []mirror.Catalog{{Ref: "docker://" + indexRef, Content: content}}})
	require.NoError(t, err)
}

// FuzzParse: no input panics, and parsed input can be written and parsed again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(configHead + "  operators:\n  - catalog: a\n    full: true\n    packages: [{name: b, channels: [{name: c, minVersion: 1.0.0}]}]\n"))
	f.Add([]byte(configHead + "  platform: {channels: []}\n  blockedImages: [{name: \"x.*\"}]\narchiveSize: 4\n"))
	f.Add([]byte("{\"kind\": \"ImageSetConfiguration\"}"))
	if data, err := os.ReadFile("testdata/plans.txt"); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := mirror.Parse(context.Background(), "f", data)
		if err != nil {
			return
		}
		var text strings.Builder
		require.NoError(t, (&mirror.Plan{Configuration: c}).WriteConfiguration(&text))
		again, err := mirror.Parse(context.Background(), "f", []byte(text.String()))
		require.NoError(t, err, text.String())
		require.Len(t, again.Operators, len(c.Operators))
		for i, o := range c.Operators {
			require.Equal(t, o.Catalog, again.Operators[i].Catalog)
			require.Len(t, again.Operators[i].Packages, len(o.Packages))
		}
	})
}
