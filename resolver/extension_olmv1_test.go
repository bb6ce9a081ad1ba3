package resolver_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// A second reading of OLM v1: the rules of operator-controller (which bundles of a package
// count, which follow the installed one, in which order they come, what several catalogs
// do), on blobs as they are written. It shares nothing with the resolver.

// v1Blob is a blob of a catalog, as far as OLM v1 looks at it.
type v1Blob struct {
	Schema, Package, Name string
	Entries               []struct {
		Name, Replaces, SkipRange string
		Skips                     []string
		Reference                 struct{ Schema, Name string }
	}
	Properties []struct {
		Type  string
		Value json.RawMessage
	}
}

// v1Catalog is the blobs of a catalog by package.
type v1Catalog struct {
	priority int
	packages map[string][]v1Blob
	bundles  map[string][]v1Bundle
}

func readV1(t require.TestingT, data []byte) v1Catalog {
	c := v1Catalog{packages: make(map[string][]v1Blob), bundles: make(map[string][]v1Bundle)}
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		var b v1Blob
		err := dec.Decode(&b)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		pkg := b.Package
		if b.Schema == "olm.package" {
			pkg = b.Name
		}
		c.packages[pkg] = append(c.packages[pkg], b)
	}
	for name, blobs := range c.packages {
		c.bundles[name] = bundlesV1(blobs)
	}
	return c
}

// v1Bundle is a bundle with its version; release is its build metadata, if that is one.
type v1Bundle struct {
	name              string
	version           semver.Version
	release           []semver.PRVersion
	deprecated, needs bool
}

// versionV1 takes a version apart.
func versionV1(text string) (v semver.Version, release []semver.PRVersion, ok bool) {
	v, err := semver.Parse(text)
	if err != nil {
		return v, nil, false
	}
	if build := strings.Join(v.Build, "."); len(build) <= 20 {
		for _, part := range v.Build {
			id, err := semver.NewPRVersion(part)
			if err != nil {
				return v, nil, true
			}
			release = append(release, id)
		}
	}
	return v, release, true
}

// compare orders versions with their releases.
func (b v1Bundle) compare(o v1Bundle) int {
	if c := b.version.Compare(o.version); c != 0 || len(b.release)+len(o.release) == 0 {
		return c
	}
	if len(b.release) == 0 || len(o.release) == 0 {
		return cmp.Compare(len(b.release), len(o.release))
	}
	return semver.Version{Pre: b.release}.Compare(semver.Version{Pre: o.release})
}

// bundlesV1 are the bundles of a package that can be read.
func bundlesV1(blobs []v1Blob) []v1Bundle {
	deprecated := make(map[string]bool)
	for _, b := range blobs {
		for _, e := range b.Entries {
			if b.Schema == "olm.deprecations" && e.Reference.Schema == "olm.bundle" {
				deprecated[e.Reference.Name] = true
			}
		}
	}
	var out []v1Bundle
	for _, b := range blobs {
		bundle := v1Bundle{name: b.Name, deprecated: deprecated[b.Name]}
		readable := false
		for _, p := range b.Properties {
			switch p.Type {
			case "olm.package":
				var value struct{ Version string }
				_ = json.Unmarshal(p.Value, &value)
				bundle.version, bundle.release, readable = versionV1(value.Version)
			case "olm.package.required", "olm.gvk.required", "olm.constraint":
				bundle.needs = true
			}
		}
		if b.Schema == "olm.bundle" && readable {
			out = append(out, bundle)
		}
	}
	return out
}

// best is the bundle of a package that OLM v1 would take of one catalog.
func (c v1Catalog) best(e resolver.Extension, installed *v1Bundle) (v1Bundle, bool) {
	blobs := c.packages[e.Package]
	listed, follows := make(map[string]bool), make(map[string]bool)
	for _, ch := range blobs {
		if ch.Schema != "olm.channel" || len(e.Channels) > 0 && !slices.Contains(e.Channels, ch.Name) {
			continue
		}
		for _, entry := range ch.Entries {
			listed[entry.Name] = true
			if installed == nil {
				continue
			}
			in, err := semver.ParseRange(entry.SkipRange)
			follows[entry.Name] = follows[entry.Name] || entry.Replaces == installed.name || slices.Contains(entry.Skips, installed.name) ||
				entry.SkipRange != "" && err == nil && in(installed.version)
		}
	}
	list := slices.DeleteFunc(slices.Clone(c.bundles[e.Package]), func(b v1Bundle) bool {
		if len(e.Channels) > 0 && !listed[b.name] {
			return true
		}
		if e.VersionRange != "" {
			in, err := masterminds.NewConstraint(e.VersionRange)
			v, _ := masterminds.NewVersion(b.version.String())
			if err != nil || !in.Check(v) {
				return true
			}
		}
		return installed != nil && e.Upgrades != resolver.UpgradesSelfCertified && !follows[b.name] && b.compare(*installed) != 0
	})
	slices.SortStableFunc(list, func(a, b v1Bundle) int {
		if a.deprecated != b.deprecated {
			return map[bool]int{true: 1, false: -1}[a.deprecated]
		}
		return b.compare(a)
	})
	if len(list) == 0 {
		return v1Bundle{}, false
	}
	return list[0], true
}

// resolveV1 is the bundle that OLM v1 would install.
func resolveV1(catalogs []v1Catalog, e resolver.Extension, installed *v1Bundle) (v1Bundle, bool) {
	type found struct {
		v1Bundle
		priority int
	}
	var all []found
	for _, c := range catalogs {
		if b, ok := c.best(e, installed); ok {
			all = append(all, found{b, c.priority})
		}
	}
	if slices.ContainsFunc(all, func(f found) bool { return !f.deprecated }) {
		all = slices.DeleteFunc(all, func(f found) bool { return f.deprecated })
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.priority, a.priority) })
	if len(all) == 0 || len(all) > 1 && all[0].priority == all[1].priority || all[0].needs {
		return v1Bundle{}, false
	}
	return all[0].v1Bundle, true
}

// holdV1 holds an answer of the resolver against the second reading.
func holdV1(t require.TestingT, catalogs []v1Catalog, req resolver.Request, installed *v1Bundle) {
	e := req.Extensions[0]
	if installed != nil {
		v := installed.version
		req.Installed = []resolver.Installed{{Name: installed.name, Package: e.Package, Version: &v, Properties: new(properties.Set)}} // which requires nothing
		req.Extensions = []resolver.Extension{e}
		req.Extensions[0].InstalledCSV = installed.name
	}
	want, ok := resolveV1(catalogs, e, installed)
	sol, err := resolver.New().Resolve(context.Background(), req)
	said := fmt.Sprintf("%s %q %q, installed %+v: %v", e.Package, e.VersionRange, e.Channels, installed, err)
	var conflict *resolver.Conflict
	if !ok {
		require.ErrorAs(t, err, &conflict, "%s, not %s", said, want.name)
		return
	}
	require.NoError(t, err, said)
	require.Equal(t, []string{want.name}, sol.Set(), said)
	keeps := installed != nil && installed.name == want.name && installed.compare(want) == 0
	if keeps {
		want = *installed // which may write the version in another way
	}
	require.Equal(t, want.version.String(), sol.Steps[0].Version.String(), said)
	require.Equal(t, keeps, sol.Steps[0].Action == resolver.Keep, said)
	for _, w := range sol.Warnings {
		require.NotEqual(t, resolver.WarningQuarantined, w.Kind, said)
	}
}

// drawV1 draws the blobs of a catalog with a package, whatever may be wrong with them.
func drawV1(t *rapid.T, label string) []byte {
	versions := []string{"1.0.0", "1.1.0", "1.1.0+1", "1.1.0+01", "1.1.0+10", "1.2.0-rc.1", "2.0.0", "", "two"}
	names := []string{"", "a.b0", "a.b1", "a.b2", "a.b3", "a.b4", "a.b5", "a.gone"}
	name := func(what string, from int) string {
		return rapid.SampledFrom(names[from:]).Draw(t, label+what)
	}
	var out bytes.Buffer
	write := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	if rapid.IntRange(0, 9).Draw(t, label+"defined") > 0 {
		write(`{"schema":"olm.package","name":"a","defaultChannel":"x"}`)
	}
	for range rapid.IntRange(0, 3).Draw(t, label+"channels") {
		var entries []string
		for range rapid.IntRange(0, 5).Draw(t, label+"entries") {
			skips, _ := json.Marshal(rapid.SliceOfN(rapid.SampledFrom(names[1:]), 0, 2).Draw(t, label+"skips"))
			entries = append(entries, fmt.Sprintf(`{"name":%q,"replaces":%q,"skips":%s,"skipRange":%q}`, name("entry", 1), name("replaces", 0), skips,
				rapid.SampledFrom([]string{"", "", "", "<1.1.0", ">=1.0.0 <2.0.0", "none"}).Draw(t, label+"range")))
		}
		write(`{"schema":"olm.channel","package":"a","name":%q,"entries":[%s]}`,
			rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, label+"channel"), strings.Join(entries, ","))
	}
	bundles := slices.Clone(names[1 : 2+rapid.IntRange(0, 5).Draw(t, label+"bundles")])
	for _, b := range rapid.Permutation(bundles).Draw(t, label+"order") {
		var props []string
		if v := rapid.SampledFrom(versions).Draw(t, label+"version"); v != "" {
			props = append(props, fmt.Sprintf(`{"type":"olm.package","value":{"packageName":"a","version":%q}}`, v))
		}
		if rapid.IntRange(0, 4).Draw(t, label+"needs") == 0 {
			props = append(props, `{"type":"olm.package.required","value":{"packageName":"b","versionRange":">=1.0.0"}}`)
		}
		write(`{"schema":"olm.bundle","package":"a","name":%q,"image":"i","properties":[%s]}`, b, strings.Join(props, ","))
	}
	if rapid.Bool().Draw(t, label+"deprecations") {
		write(`{"schema":"olm.deprecations","package":"a","entries":[{"reference":{"schema":"olm.bundle","name":%q},"message":"m"}]}`, name("deprecated", 1))
	}
	return out.Bytes()
}

// TestExtensionsAsOLMv1: on catalogs in which anything may be wrong, an extension gets
// what OLM v1 gives it.
func TestExtensionsAsOLMv1(t *testing.T) {
	resolved := 0
	rapid.Check(t, func(t *rapid.T) {
		req := resolver.Request{Namespace: "n"}
		var catalogs []v1Catalog
		for i := range rapid.IntRange(1, 2).Draw(t, "catalogs") {
			data := drawV1(t, fmt.Sprintf("%d ", i))
			content := testkit.Must(fbc.Read(context.Background(), bytes.NewReader(data), "c.jsonl", fbc.Options{}))(t)
			c := readV1(t, data)
			c.priority = rapid.IntRange(0, 1).Draw(t, "priority")
			catalogs = append(catalogs, c)
			req.Catalogs = append(req.Catalogs, resolver.Catalog{Key: cache.Key{Namespace: "n", Name: fmt.Sprint(i)}, Priority: c.priority, Content: content})
		}
		e := resolver.Extension{Name: "e", Package: "a",
			Channels:     rapid.SampledFrom([][]string{nil, nil, {"x"}, {"y", "x"}}).Draw(t, "channels"),
			VersionRange: rapid.SampledFrom([]string{"", "", "^1", ">=1.1.0-0", "<1.1"}).Draw(t, "range")}
		if rapid.IntRange(0, 4).Draw(t, "any version") == 0 {
			e.Upgrades = resolver.UpgradesSelfCertified
		}
		req.Extensions = []resolver.Extension{e}
		var installed *v1Bundle
		if rapid.Bool().Draw(t, "installed") {
			installed = &v1Bundle{name: rapid.SampledFrom([]string{"a.b0", "a.b1", "a.b2", "a.gone", "a.other"}).Draw(t, "name")}
			installed.version, installed.release, _ = versionV1(rapid.SampledFrom([]string{"1.0.0", "1.1.0", "1.1.0+1", "1.1.0+01", "2.0.0"}).Draw(t, "at"))
		}
		if _, ok := resolveV1(catalogs, e, installed); ok {
			resolved++
		}
		holdV1(t, catalogs, req, installed)
	})
	require.Positive(t, resolved)
}

// TestExtensionsAsOLMv1OnRealCatalogs: on a real catalog every package is installed, and
// every version of it upgraded, as OLM v1 does it; and in one where nothing is required,
// for then OLM v1 refuses nothing.
func TestExtensionsAsOLMv1OnRealCatalogs(t *testing.T) {
	const name = "community-v4.19.jsonl.gz"
	packed := testkit.Must(fs.ReadFile(testkit.Data(t, name), name))(t)
	data := testkit.Must(io.ReadAll(testkit.Must(gzip.NewReader(bytes.NewReader(packed)))(t)))(t)
	for _, plain := range []bool{false, true} {
		if plain {
			data = bytes.ReplaceAll(data, []byte(`.required"`), []byte(`.noticed"`))
			data = bytes.ReplaceAll(data, []byte(`"olm.constraint"`), []byte(`"olm.noticed"`))
		}
		content := testkit.Must(fbc.Read(t.Context(), bytes.NewReader(data), "c.jsonl", fbc.Options{}))(t)
		catalogs := []v1Catalog{readV1(t, data)}
		installs, upgrades := 0, 0
		for name, bundles := range catalogs[0].bundles {
			req := resolver.Request{Namespace: "n", Catalogs: []resolver.Catalog{{Key: cache.Key{Namespace: "n", Name: "c"}, Content: content}},
				Extensions: []resolver.Extension{{Name: "e", Package: name}}}
			installs++
			holdV1(t, catalogs, req, nil)
			for _, b := range bundles {
				if !plain {
					break // once is enough
				}
				upgrades++
				holdV1(t, catalogs, req, &b)
			}
		}
		require.Equal(t, 320, installs)
		require.Equal(t, map[bool]int{true: 5735}[plain], upgrades)
	}
}
