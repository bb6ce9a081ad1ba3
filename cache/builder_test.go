package cache_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
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
