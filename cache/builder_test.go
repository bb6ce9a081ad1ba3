package cache_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// A catalog is built of rows, one for each entry of a channel.
func ExampleBuilder() {
	var b cache.Builder
	for _, row := range []struct{ channel, name, replaces, properties string }{
		{"stable", "etcd.v1", "", `[{"type":"olm.package","value":{"packageName":"etcd","version":"1.0.0"}}]`},
		{"stable", "etcd.v2", "etcd.v1", `[{"type":"olm.package","value":{"packageName":"etcd","version":"2.0.0"}}]`},
		{"fast", "etcd.v3", "", `[{"type":"olm.package","value":{"packageName":"etcd","version":"three"}}]`},
	} {
		bundle := graph.BundleDecl{Name: row.name}
		bundle.Properties, bundle.Flaws = b.Properties([]byte(row.properties))
		b.Add("etcd", row.channel, row.channel == "stable", graph.EntryDecl{Name: row.name, Replaces: row.replaces}, bundle)
	}
	catalog := b.Build()
	fmt.Println("head of stable:", catalog.Package("etcd").Channel("stable").Head().Name)
	for _, p := range catalog.Problems() {
		fmt.Println(p.Bundle, p.Code, p.Quarantined)
	}
	// Output:
	// head of stable: etcd.v2
	// etcd.v3 propertyInvalid bundle
}

// A catalog of packages that are no operators can have names of its own.
func ExampleBuilder_packageNames() {
	b := cache.Builder{Options: graph.Options{PackageName: func(string) error { return nil }}}
	bundle := graph.BundleDecl{Name: "libc6_2.41"}
	bundle.Properties, bundle.Flaws = b.Properties([]byte(`[{"type":"olm.package","value":{"packageName":"debian/libc6","version":"2.41.0"}}]`))
	b.Add("debian/libc6", "trixie", true, graph.EntryDecl{Name: "libc6_2.41"}, bundle)
	catalog := b.Build()
	fmt.Println(catalog.Package("debian/libc6").Channel("trixie").Head().Name, catalog.Problems())
	// Output:
	// libc6_2.41 []
}

// TestPackageNames: the check of a package's name is opm's, unless another one is given.
func TestPackageNames(t *testing.T) {
	problems := func(check func(string) error) []string {
		b := cache.Builder{Options: graph.Options{PackageName: check}}
		set := properties.NewSet(testkit.Must(properties.New(properties.TypePackage, []byte(`{"packageName":"Not.A.Label","version":"1.0.0"}`)))(t))
		b.Add("Not.A.Label", "stable", true, graph.EntryDecl{Name: "a.v1"}, graph.BundleDecl{Name: "a.v1", Properties: set})
		var out []string
		for _, p := range b.Build().Problems() {
			out = append(out, string(p.Code)+": "+p.Message)
		}
		return out
	}
	require.Equal(t, []string{`packageNameInvalid: the name of package "Not.A.Label" may have only lower-case letters, digits and hyphens between them, 63 at most: rename it`}, problems(nil))
	require.Empty(t, problems(func(string) error { return nil }))
	require.Equal(t, []string{`packageNameInvalid: the name of package "Not.A.Label" is not ours`}, problems(func(string) error { return errors.New("is not ours") }))
}

// versionOf returns the properties of a version of package p.
func versionOf(t *testing.T, v string) properties.Set {
	p, err := properties.New(properties.TypePackage, []byte(`{"packageName":"p","version":"`+v+`"}`))
	require.NoError(t, err)
	return properties.NewSet(p)
}

// codes returns the codes of the problems of a catalog.
func codes(c *cache.Catalog) (codes []string) {
	for _, p := range c.Problems() {
		codes = append(codes, string(p.Code))
	}
	return codes
}

// TestBuilderRows: what rows declare, right and wrong.
func TestBuilderRows(t *testing.T) {
	one, two := versionOf(t, "1.0.0"), versionOf(t, "2.0.0")
	entry := func(name string) graph.EntryDecl { return graph.EntryDecl{Name: name} }
	bundle := func(set properties.Set) graph.BundleDecl { return graph.BundleDecl{Name: "p.v1", Properties: set} }
	for name, test := range map[string]struct {
		add  func(b *cache.Builder)
		want []string
	}{
		"nothing": {func(*cache.Builder) {}, nil},
		"a bundle in two channels": {func(b *cache.Builder) {
			b.Add("p", "a", true, entry("p.v1"), bundle(one))
			b.Add("p", "b", false, entry("p.v1"), bundle(one))
		}, nil},
		"a bundle with two versions": {func(b *cache.Builder) {
			b.Add("p", "a", true, entry("p.v1"), bundle(one))
			b.Add("p", "b", false, entry("p.v1"), bundle(two))
		}, []string{"bundleDuplicate"}},
		"an entry alone": {func(b *cache.Builder) {
			b.Add("p", "a", true, entry("p.v1"), graph.BundleDecl{})
		}, []string{"entryWithoutBundle"}},
		"an entry before its bundle": {func(b *cache.Builder) {
			b.Add("p", "a", true, entry("p.v1"), graph.BundleDecl{})
			b.Add("p", "", false, graph.EntryDecl{}, bundle(one))
		}, nil},
		"two default channels": {func(b *cache.Builder) {
			b.Add("p", "a", true, entry("p.v1"), bundle(one))
			b.Add("p", "b", true, entry("p.v1"), bundle(one))
			b.Add("p", "b", true, graph.EntryDecl{Name: "p.v1"}, bundle(one))
		}, []string{"entryDuplicate", "packageDuplicate"}},
		"no default channel": {func(b *cache.Builder) {
			b.Add("p", "a", false, entry("p.v1"), bundle(one))
		}, []string{"defaultChannelMissing"}},
		"no package": {func(b *cache.Builder) {
			b.Add("", "a", true, entry("p.v1"), bundle(one))
		}, []string{"packageInvalid"}},
	} {
		t.Run(name, func(t *testing.T) {
			var b, again cache.Builder
			test.add(&b)
			test.add(&again)
			c := b.Build()
			require.ElementsMatch(t, test.want, codes(c))
			require.Equal(t, c.Digest(), b.Build().Digest())
			require.Equal(t, c.Digest(), again.Build().Digest())
		})
	}
}

// TestBuilderProperties: properties in error become flaws, and equal ones are shared.
func TestBuilderProperties(t *testing.T) {
	var b cache.Builder
	set, flaws := b.Properties([]byte(`[{"type":"a","value":1},{"type":"olm.gvk","value":{}},{"value":1}]`))
	require.Equal(t, 1, set.Len())
	require.Len(t, flaws, 2)
	require.Equal(t, "olm.gvk", flaws[0].Property)
	other, none := b.Properties([]byte(`[{"type":"b","value":1},{"type":"a","value": 1}]`))
	require.Empty(t, none)
	require.Same(t, set.At(0), other.At(1))
	_, flaws = b.Properties([]byte(`{`))
	require.Len(t, flaws, 1)

	b.Add("p", "c", true, graph.EntryDecl{Name: "p.v1"}, graph.BundleDecl{Name: "p.v1", Properties: versionOf(t, "1.0.0")})
	before := b.Build()
	b.Deprecate("p", graph.DeprecationDecl{Schema: graph.SchemaBundle, Name: "p.v1", Message: "old"})
	require.False(t, before.Package("p").Bundle("p.v1").Deprecated)
	require.Equal(t, "old", b.Build().Package("p").Bundle("p.v1").Deprecation)
	require.Equal(t, 1, len(slices.Collect(before.Packages())))
}
