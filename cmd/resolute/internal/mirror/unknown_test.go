package mirror_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// two is a configuration of two catalogs.
func two(t *testing.T, first, second string) *mirror.Configuration {
	return testkit.Must(mirror.Parse(t.Context(), "isc.yaml", []byte(configHead+"  operators:\n  - {catalog: a.io/a:v1, packages: ["+first+
		"]}\n  - {catalog: b.io/b:v1, packages: ["+second+"]}\n")))(t)
}

// TestUnknown: what the catalogs lack is one error with all of it; ignored, it is warnings,
// and a catalog of which nothing is left does not turn into a whole one.
func TestUnknown(t *testing.T) {
	a, b := universe.Content(t, "foo/stable foo.v1.0.0\nother/stable other.v1.0.0"), universe.Content(t, "bar/stable bar.v1.0.0")
	opts := mirror.Options{Catalogs: []mirror.Catalog{{Ref: "a.io/a:v1", Content: a}, {Ref: "b.io/b:v1", Content: b}}}
	config := two(t, "{name: fooo}, {name: foo, channels: [{name: fast}]}", "{name: bar}, {name: baz, minVersion: 1.0.0}")
	_, err := mirror.Make(t.Context(), resolver.New(), config, opts)
	unknown := testkit.As[*mirror.UnknownError](t, err)
	require.JSONEq(t, `[{"code":"channelUnknown","subject":"fast","package":"foo","catalog":"a.io/a:v1","near":[]},
		{"code":"packageUnknown","subject":"fooo","catalog":"a.io/a:v1","near":["foo"]},
		{"code":"packageUnknown","subject":"baz","catalog":"b.io/b:v1","near":["bar"]}]`, string(testkit.Must(json.Marshal(unknown.Problems))(t)))
	require.ErrorContains(t, err, "line 5: catalog a.io/a:v1: the catalog has no package fooo; did you mean foo?")

	opts.IgnoreMissing = true
	plan := testkit.Must(mirror.Make(t.Context(), resolver.New(), config, opts))(t)
	require.Equal(t, []string{"a.io/a:v1"}, plan.OmittedCatalogs)
	require.Len(t, plan.Warnings, 4)
	require.True(t, plan.Clean(), "bar is mirrored, and can be installed")
	require.Len(t, plan.Selections, 1)
	var text bytes.Buffer
	require.NoError(t, plan.WriteConfiguration(&text))
	require.Contains(t, text.String(), "# catalog a.io/a:v1 is omitted")
	again := testkit.Must(mirror.Parse(t.Context(), "again", text.Bytes()))(t)
	require.Len(t, again.Operators, 1)
	require.Equal(t, "b.io/b:v1", again.Operators[0].Catalog)
	require.Len(t, again.Operators[0].Packages, 1)

	// Nothing at all is left.
	plan = testkit.Must(mirror.Make(t.Context(), resolver.New(), two(t, "{name: fooo}", "{name: baz}"), opts))(t)
	require.False(t, plan.Clean())
	require.False(t, plan.Selects())
	text.Reset()
	require.NoError(t, plan.WriteConfiguration(&text))
	require.Empty(t, testkit.Must(mirror.Parse(t.Context(), "again", text.Bytes()))(t).Operators, text.String())

	// The rest would be refused.
	_, err = mirror.Make(t.Context(), resolver.New(), two(t, "{name: foo, channels: [{name: stable}], defaultChannel: fast}", "{name: bar}"), opts)
	require.NoError(t, err, "the default channel of the catalog is mirrored")
}

// TestManyUnknown: so many are listed, and the others counted; each once.
func TestManyUnknown(t *testing.T) {
	content := universe.Content(t, "foo/stable foo.v1.0.0")
	o := mirror.Operator{Catalog: indexRef, Packages: []mirror.Package{{Name: "foo", DefaultChannel: "x", Channels: []mirror.Channel{{Name: "x"}, {Name: "x"}}}}}
	for i := range 200 {
		o.Packages = append(o.Packages, mirror.Package{Name: fmt.Sprintf("none-%d", i)})
	}
	sel, err := mirror.Select(t.Context(), content, o)
	unknown := testkit.As[*mirror.UnknownError](t, err)
	require.Len(t, unknown.Problems, 100)
	require.Equal(t, 101, unknown.More)
	require.ErrorContains(t, err, "and 101 more")
	require.Empty(t, sel.Packages)
}

// TestAdditionsFromACatalogThatHasNothingLeft: what another catalog needs is added to it, and
// nothing else of it.
func TestAdditionsFromACatalogThatHasNothingLeft(t *testing.T) {
	a, b := universe.Content(t, "foo/stable foo.v1.0.0\nother/stable other.v1.0.0"), universe.Content(t, "bar/stable bar.v1.0.0 needs=foo@>=1.0.0")
	plan := testkit.Must(mirror.Make(t.Context(), resolver.New(), two(t, "{name: fooo}", "{name: bar}"), mirror.Options{IgnoreMissing: true,
		Catalogs: []mirror.Catalog{{Ref: "a.io/a:v1", Content: a}, {Ref: "b.io/b:v1", Content: b}}}))(t)
	require.Empty(t, plan.OmittedCatalogs)
	require.Len(t, plan.Added, 1)
	require.Len(t, plan.Configuration.Operators[0].Packages, 1)
	require.Equal(t, "foo", plan.Configuration.Operators[0].Packages[0].Name)
}

// TestSkippedBundles: each bundle that oc-mirror skips is unresolved, and so is what needs it;
// its images are not mirrored.
func TestSkippedBundles(t *testing.T) {
	images := new(mirror.Images)
	for name, raw := range map[string]string{
		"foo.v2": `{"image":"r.example/foo:2","relatedImages":[{"image":"oci://r.example/db"},{"image":"r.example/only:2"}]}`,
		"foo.v1": `{"image":"r.example/foo:1","relatedImages":[{"image":"oci://r.example/db"}]}`,
		"foo.v0": `{"image":"oci://r.example/foo"}`,
		"app.v1": `{"image":"r.example/app:1"}`,
		"bar.v1": `{"image":"r.example/bar:1"}`,
	} {
		images.Add(fbc.Blob{Schema: "olm.bundle", Package: name[:3], Name: name, Raw: []byte(raw)})
	}
	content := universe.Content(t, "foo/stable foo.v0 foo.v1 foo.v2\napp/stable app.v1\nbundle app.v1 needs=foo@>=1.0.0\nbar/stable bar.v1\nbundle foo.v2 version=2.0.0\nbundle foo.v1 version=1.0.0\nbundle foo.v0 version=0.1.0")
	plan := planOf(t, configuration(t, false, []string{"{name: foo, minVersion: 0.1.0}", "{name: app}", "{name: bar}"}), mirror.Catalog{Content: content, Images: images})
	var bundles []string
	for _, u := range plan.Unresolved {
		bundles = append(bundles, u.Bundle)
		require.Equal(t, "stable", u.Channel)
		if u.Package == "foo" {
			require.Contains(t, u.Conflict.Text(), "oc-mirror skips it, because it cannot mirror its image oci://")
		}
	}
	require.ElementsMatch(t, []string{"app.v1", "foo.v0", "foo.v1", "foo.v2"}, bundles)
	require.Equal(t, []string{"r.example/app:1", "r.example/bar:1"}, plan.Images)
	require.NotContains(t, plan.Verdict(), "all selected bundles can be installed")
	require.False(t, plan.Clean())
}

// TestNotInstallable: a bundle that the catalog lacks, or that is never offered, is not
// counted as installable.
func TestNotInstallable(t *testing.T) {
	head := testkit.Must(fbc.FromBlobs(t.Context(), []json.RawMessage{
		[]byte(`{"schema":"olm.package","name":"foo","defaultChannel":"stable"}`),
		[]byte(`{"schema":"olm.channel","package":"foo","name":"stable","entries":[{"name":"foo.v2","replaces":"foo.v1"},{"name":"foo.v1"}]}`),
		[]byte(`{"schema":"olm.bundle","package":"foo","name":"foo.v1","properties":[{"type":"olm.package","value":{"packageName":"foo","version":"1.0.0"}}]}`),
	}, fbc.Options{}))(t)
	plan := planOf(t, configuration(t, false, []string{"{name: foo}"}), mirror.Catalog{Content: head})
	require.Len(t, plan.Unresolved, 1)
	require.Equal(t, "foo.v2", plan.Unresolved[0].Bundle)
	require.False(t, plan.Clean())

	skips := universe.Content(t, "foo/stable foo.v2.0.0 skips=foo.v1.0.0\nfoo/stable foo.v1.0.0")
	plan = planOf(t, configuration(t, true, []string{"{name: foo}"}), mirror.Catalog{Content: skips})
	require.Equal(t, []mirror.UpgradeOnly{{Package: "foo", Bundle: "foo.v1.0.0"}}, plan.UpgradeOnly)
	require.True(t, plan.Clean())

	deprecated := universe.Content(t, "foo/stable foo.v1.0.0\nproperty foo.v1.0.0 olm.deprecated {}")
	plan = planOf(t, configuration(t, false, []string{"{name: foo}"}), mirror.Catalog{Content: deprecated})
	require.Len(t, plan.Unresolved, 1)
	require.Contains(t, plan.Unresolved[0].Conflict.Text(), "olm.deprecated")
}

// TestUpgradeOrder: the head of a channel is last, in whatever order the catalog lists it.
func TestUpgradeOrder(t *testing.T) {
	for catalog, want := range map[string][]string{
		"foo/stable foo.v3.0.0 replaces=foo.v2.0.0\nfoo/stable foo.v2.0.0 replaces=foo.v1.0.0\nfoo/stable foo.v1.0.0":  {"foo.v1.0.0", "foo.v2.0.0", "foo.v3.0.0"},
		"foo/stable foo.v1.0.0\nfoo/stable foo.v2.0.0 replaces=foo.v1.0.0\nfoo/stable foo.v3.0.0 replaces=foo.v2.0.0":  {"foo.v1.0.0", "foo.v2.0.0", "foo.v3.0.0"},
		"foo/stable foo.v9.0.0\nfoo/stable foo.v2.0.0 replaces=foo.v9.0.0\nfoo/stable foo.v10.0.0 replaces=foo.v2.0.0": {"foo.v9.0.0", "foo.v2.0.0", "foo.v10.0.0"},
		"foo/stable foo.v2.0.0 skips=foo.v1.5.0 replaces=foo.v1.0.0\nfoo/stable foo.v1.5.0\nfoo/stable foo.v1.0.0":     {"foo.v1.0.0", "foo.v1.5.0", "foo.v2.0.0"},
	} {
		sel := testkit.Must(mirror.Select(t.Context(), universe.Content(t, catalog), mirror.Operator{Full: true}))(t)
		require.Equal(t, want, sel.Packages[0].Channels[0].Upgrades, catalog)
	}
	// Entries that skip each other have no order, and none is lost.
	circle := universe.Content(t, "foo/stable foo.v1.0.0 skips=foo.v2.0.0\nfoo/stable foo.v2.0.0 skips=foo.v1.0.0")
	sel, err := mirror.Select(t.Context(), circle, mirror.Operator{Full: true})
	require.NoError(t, errors.Unwrap(err))
	require.Equal(t, []string{"foo.v1.0.0", "foo.v2.0.0"}, sel.Packages[0].Channels[0].Upgrades)
}
