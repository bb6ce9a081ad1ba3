package mirror_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/resolver"
)

// TestPlanText: everything that a plan says, with the catalog where there are several.
func TestPlanText(t *testing.T) {
	plan := mirror.Plan{
		Packages: []mirror.SelectedPackage{{Catalog: "c:v1", Name: "a", DefaultChannel: "x", Channels: []mirror.SelectedChannel{
			{Name: "x", Head: "a.v2", Bundles: []string{"a.v2", "a.v1"}}, {Name: "y", Head: "a.v2", Bundles: []string{"a.v2"}}}}},
		Added:      []mirror.Added{{Package: "b", Bundle: "b.v1", Channel: "x", Because: []mirror.Reason{{Bundle: "a.v2", Constraint: "package b"}, {Constraint: "it stands between"}}}},
		Unresolved: []mirror.Unresolved{{Catalog: "c:v1", Package: "d", Channel: "x", Bundle: "d.v1", Conflict: &resolver.Conflict{Minimal: true, Words: "no e\nat all"}}},
		Stuck: []mirror.Stuck{{Bundle: "f.v1", Channel: "x", Head: "f.v3", Reaches: "f.v2", Conflict: &resolver.Conflict{Minimal: true, Words: "no way on"}},
			{Bundle: "g.v1", Channel: "x", Head: "g.v2", Conflict: &resolver.Conflict{Minimal: true, Words: "none"}}},
		Warnings: []string{"a\nnote"},
		Images:   []string{"i\x1b[31m"},
	}
	var b bytes.Buffer
	require.NoError(t, plan.WriteText(&b))
	require.Equal(t, `selected: 2 bundles of 1 package, 2 channels
  a, catalog c:v1
    x (default): a.v2, also a.v1
    y: a.v2
to be added: 1 bundle
  b.v1 of package b, channel x
    - for a.v2: package b
    - it stands between
cannot be installed, and no addition helps:
  d.v1 of package d, channel x, catalog c:v1
    no e
    at all
do not reach the head, and no addition helps:
  f.v1 does not reach f.v3 in channel x, only to f.v2
    no way on
  g.v1 does not reach g.v2 in channel x
    none
note: a note
images: 1
  i\x1b[31m
`, b.String())
	require.False(t, plan.Clean())
	b.Reset()
	require.NoError(t, (&mirror.Plan{Packages: []mirror.SelectedPackage{{Name: "a", Channels: []mirror.SelectedChannel{{Name: "x", Bundles: []string{"a.v1"}}}}}}).WriteText(&b))
	require.Contains(t, b.String(), "all selected bundles can be installed and reach their heads")
}

// TestVerdicts: a plan is clean, and says so, only if that is so of something.
func TestVerdicts(t *testing.T) {
	const all = "all selected bundles can be installed"
	selected := []mirror.SelectedPackage{{Name: "a", Channels: []mirror.SelectedChannel{{Name: "x", Bundles: []string{"a.v1"}}}}}
	configured := &mirror.Configuration{Operators: []mirror.Operator{{Catalog: "c:v1"}}}
	for want, tt := range map[string]struct {
		plan  mirror.Plan
		clean bool
	}{
		all:                            {mirror.Plan{Packages: selected, Configuration: configured}, true},
		"all other selected bundles":   {mirror.Plan{Packages: selected, UpgradeOnly: []mirror.UpgradeOnly{{Bundle: "a.v0"}}}, true},
		"no operators are selected":    {mirror.Plan{Configuration: new(mirror.Configuration)}, true},
		"nothing is selected":          {mirror.Plan{Configuration: configured}, false},
		"nothing is selected: there":   {mirror.Plan{Configuration: new(mirror.Configuration), OmittedCatalogs: []string{"c:v1"}}, false},
		"some selected bundles":        {mirror.Plan{Packages: selected, Unresolved: []mirror.Unresolved{{Conflict: new(resolver.Conflict)}}}, false},
		"some selected bundles cannot": {mirror.Plan{Packages: selected, Stuck: []mirror.Stuck{{Conflict: new(resolver.Conflict)}}}, false},
		"only with 1 more bundle":      {mirror.Plan{Packages: selected, Added: []mirror.Added{{}}}, false},
	} {
		require.Contains(t, tt.plan.Verdict(), want)
		require.Equal(t, tt.clean, tt.plan.Clean(), want)
		var b bytes.Buffer
		require.NoError(t, tt.plan.WriteText(&b))
		require.Equal(t, want == all, strings.Contains(b.String(), all), b.String())
	}
}

// TestCatalogWriter: the written part of each blob of a catalog.
func TestCatalogWriter(t *testing.T) {
	var b bytes.Buffer
	w := mirror.NewCatalogWriter(&b, &mirror.Selection{Packages: []mirror.SelectedPackage{{Name: "a", DefaultChannel: "x", Bundles: []string{"a.v1"},
		Channels: []mirror.SelectedChannel{{Name: "x", Entries: []string{"a.v1"}}}}}})
	for _, raw := range []string{
		`{"schema":"olm.package","name":"a","defaultChannel":"y"}`,
		`{"schema":"olm.package","name":"b"}`,
		`{"schema":"olm.channel","package":"a","name":"x","entries":[{"name":"a.v2","replaces":"a.v1"},{"name":"a.v1"},7]}`,
		`{"schema":"olm.channel","package":"a","name":"y","entries":[{"name":"a.v2"}]}`,
		`{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i"}`,
		`{"schema":"olm.bundle","package":"a","name":"a.v2","image":"i"}`,
		`{"schema":"olm.deprecations","package":"a","entries":[{"reference":{"schema":"olm.package"}},{"reference":{"schema":"olm.channel","name":"x"}},` +
			`{"reference":{"schema":"olm.channel","name":"y"}},{"reference":{"schema":"olm.bundle","name":"a.v1"}},{"reference":{"schema":"olm.bundle","name":"a.v2"}},3]}`,
		`{"schema":"some.other","package":"a","x":[1]}`,
		`{"schema":"some.other","package":"b"}`,
		`{"schema":"some.other"}`,
	} {
		var head fbc.Blob
		require.NoError(t, json.Unmarshal([]byte(raw), &head))
		head.Raw = json.RawMessage(raw)
		require.NoError(t, w.Add(head))
	}
	require.Equal(t, `{"defaultChannel":"x","name":"a","schema":"olm.package"}
{"entries":[{"name":"a.v1"}],"name":"x","package":"a","schema":"olm.channel"}
{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i"}
{"entries":[{"reference":{"schema":"olm.package"}},{"reference":{"schema":"olm.channel","name":"x"}},{"reference":{"schema":"olm.bundle","name":"a.v1"}}],"package":"a","schema":"olm.deprecations"}
{"schema":"some.other","package":"a","x":[1]}
{"schema":"some.other"}
`, b.String())
}
