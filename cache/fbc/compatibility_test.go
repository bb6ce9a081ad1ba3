package fbc_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// Metadata and manifests of cluster service versions, and what they say.
const (
	metadataOwn = `{"type":"olm.csv.metadata","value":{"description":"own","installModes":[{"type":"OwnNamespace","supported":true}],"minKubeVersion":"1.20.0"}}`
	csvAll      = `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","spec":{"installModes":[{"type":"AllNamespaces","supported":true}],"minKubeVersion":"1.25.0"}}`
	csvAllYAML  = "# by hand\napiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nspec:\n  installModes:\n  - {type: AllNamespaces, supported: true}\n  minKubeVersion: 1.25.0\n"
	saysOwn     = "OwnNamespace 1.20.0"
	saysAll     = "AllNamespaces 1.25.0"
)

// inObject is an olm.bundle.object property with that manifest.
func inObject(manifest string) string {
	return `{"type":"olm.bundle.object","value":{"data":"` + base64.StdEncoding.EncodeToString([]byte(manifest)) + `"}}`
}

// says renders where a bundle runs.
func says(b *graph.Bundle) string {
	if b.Compatibility == nil {
		return ""
	}
	text := b.Compatibility.InstallModes.String() + " " + b.Compatibility.MinKubeVersion.Text
	if m := b.Compatibility.MaxOpenShift; !m.IsZero() {
		text += " " + m.Text + " " + m.Invalid
	}
	return strings.TrimSpace(text)
}

// withProperties is bundle v1 with further properties, first.
func withProperties(properties ...string) string {
	return strings.Replace(bundleV1, `"properties":[`, `"properties":[`+strings.Join(append(properties, ""), ","), 1)
}

// TestDefinitions reads the resource definitions among the manifests of a bundle, whatever
// else is among them, and keeps them when a catalog is written exactly.
func TestDefinitions(t *testing.T) {
	const foos = `"metadata":{"name":"foos.example.com"},"spec":{"group":"example.com","names":{"kind":"Foo","plural":"foos"},`
	crd := func(rest string) string { return `{"kind":"CustomResourceDefinition",` + foos + rest + `}}` }
	served := properties.CRDVersion{Name: "v1", Served: true, Storage: true}
	of := func(versions ...properties.CRDVersion) []properties.CRD {
		return []properties.CRD{{Name: "foos.example.com", Group: "example.com", Kind: "Foo", Versions: versions}}
	}
	owned := func(version string) properties.CRD {
		return properties.CRD{Group: "example.com", Kind: "Foo", Versions: []properties.CRDVersion{{Name: version, Served: true}}}
	}
	owns := func(list string) string {
		return `{"type":"olm.csv.metadata","value":{"crdDescriptions":{"required":[{"name":"bars.example.com","version":"v1","kind":"Bar"}],"owned":[` + list + `]}}}`
	}
	bars := properties.CRD{Name: "bars.example.com", Group: "example.com", Kind: "Bar"}
	for name, tt := range map[string]struct {
		properties []string
		want       []properties.CRD
		runs       string
	}{
		"one": {[]string{inObject(crd(`"versions":[{"name":"v1","served":true,"storage":true,"schema":{"name":"no"}},{"name":"v0","served":false}]`))},
			of(served, properties.CRDVersion{Name: "v0"}), "<nil>"},
		"of v1beta1":              {[]string{inObject(crd(`"version":"v1"`))}, of(served), "<nil>"},
		"of v1beta1, with a list": {[]string{inObject(crd(`"version":"v1","versions":[{"name":"v1","served":true,"storage":true}]`))}, of(served), "<nil>"},
		"YAML": {[]string{inObject("# by hand\nkind: CustomResourceDefinition\nmetadata: {name: foos.example.com}\nspec:\n  group: example.com\n  names: {kind: Foo}\n  versions: [{name: v1, served: true, storage: true}]\n")},
			of(served), "<nil>"},
		"two, before and after what says where it runs": {[]string{inObject(crd(`"version":"v1"`)), inObject(csvAll),
			inObject(`{"kind":"CustomResourceDefinition","metadata":{"name":"bars.example.com"},"spec":{"group":"example.com","names":{"kind":"Bar"}}}`)},
			append([]properties.CRD{bars}, of(served)...), "AllNamespaces"},
		"beside metadata":       {[]string{inObject(crd(`"version":"v1"`)), metadataOwn}, of(served), "OwnNamespace"},
		"owned by metadata":     {[]string{owns(`{"name":"foos.example.com","version":"v1","kind":"Foo","displayName":"A foo"},{"name":"foos.example.com","version":"v2","kind":"Foo"}`)}, []properties.CRD{owned("v1"), owned("v2")}, "<nil>"},
		"owned and provided":    {[]string{`{"type":"olm.gvk","value":{"group":"example.com","version":"v1","kind":"Foo"}}`, owns(`{"name":"foos.example.com","version":"v2","kind":"Foo"}`)}, nil, "<nil>"},
		"owned and a manifest":  {[]string{owns(`{"name":"foos.example.com","version":"v1","kind":"Foo"}`), inObject(crd(`"version":"v1"`))}, append(of(served), owned("v1")), "<nil>"},
		"owned, of odd types":   {[]string{owns(`1,null,[],{},{"name":"foos","version":"v1","kind":"Foo"},{"name":7,"version":"v1","kind":"Foo"},{"name":"foos.example.com","kind":"Foo"},{"name":"foos.example.com","version":"v1","kind":"Foo"}`)}, []properties.CRD{owned("v1")}, "<nil>"},
		"twice":                 {[]string{inObject(crd(`"version":"v1"`)), inObject(crd(`"version":"v2"`))}, of(served), "<nil>"},
		"of odd types":          {[]string{inObject(crd(`"versions":[1,{"name":2},{"name":"v1","served":"true","storage":1}]`))}, of(properties.CRDVersion{Name: "v1"}), "<nil>"},
		"without a name":        {[]string{inObject(`{"kind":"CustomResourceDefinition","spec":{"group":"example.com","names":{"kind":"Foo"}}}`)}, nil, "<nil>"},
		"only spoken of":        {[]string{inObject(`{"kind":"Secret","data":"CustomResourceDefinition"}`)}, nil, "<nil>"},
		"neither JSON nor YAML": {[]string{inObject("CustomResourceDefinition: [")}, nil, "<nil>"},
	} {
		t.Run(name, func(t *testing.T) {
			text := packageBlob + "\n" + channelBlob + "\n" + withProperties(tt.properties...) + "\n" + bundleV2 + "\n"
			c := read(t, "c.jsonl", text, fbc.Options{})
			whole := read(t, "again.jsonl", write(t, c, fbc.WriteOptions{Exact: true}), fbc.Options{Exact: true})
			for _, c := range []*cache.Catalog{c, whole} {
				b := c.Package("etcd").Bundle("etcd.v1")
				var got []properties.CRD
				if b.Compatibility != nil {
					got = b.Compatibility.CRDs
					if tt.runs != "<nil>" {
						require.Equal(t, tt.runs, b.Compatibility.InstallModes.String())
					}
				}
				require.Equal(t, tt.want, got)
			}
		})
	}
}

// TestCompatibility reads where a bundle runs from the metadata of its cluster
// service version, or else from that among its manifests, and keeps neither.
func TestCompatibility(t *testing.T) {
	secret := inObject(`{"kind":"Secret","about":"ClusterServiceVersion"}`)
	large := strings.Replace(metadataOwn, "own", strings.Repeat("own ", 2000), 1)
	limit := func(version string) string { return `{"type":"olm.maxOpenShiftVersion","value":` + version + `}` }
	tests := map[string]struct {
		properties []string
		want       string
		problems   int
	}{
		"nothing":              {nil, "", 0},
		"metadata":             {[]string{metadataOwn}, saysOwn, 0},
		"large metadata":       {[]string{large}, saysOwn, 0},
		"value first":          {[]string{`{"value":{"installModes":[]},"type":"olm.csv.metadata"}`}, "none", 0},
		"more behind":          {[]string{`{"type":"olm.csv.metadata","value":{"installModes":[]},"more":{"minKubeVersion":"1.9.0"}}`}, "none", 0},
		"spaced":               {[]string{strings.ReplaceAll(metadataOwn, `":`, `" : `)}, saysOwn, 0},
		"several":              {[]string{metadataOwn, `{"type":"olm.csv.metadata","value":{}}`}, saysOwn, 0},
		"empty":                {[]string{`{"type":"olm.csv.metadata","value":{}}`}, "none", 0},
		"no object":            {[]string{`{"type":"olm.csv.metadata","value":"x"}`}, "unknown", 1},
		"half wrong":           {[]string{`{"type":"olm.csv.metadata","value":{"minKubeVersion":"1.x","nativeAPIs":7}}`}, "none 1.x", 2},
		"manifests":            {[]string{secret, inObject(csvAll), secret}, saysAll, 0},
		"manifest with space":  {[]string{inObject(" \n" + csvAll + "\n")}, saysAll, 0},
		"manifest as YAML":     {[]string{inObject(csvAllYAML)}, saysAll, 0},
		"other YAML":           {[]string{inObject("kind: Secret\nabout: ClusterServiceVersion\n")}, "", 0},
		"no cluster service":   {[]string{secret}, "", 0},
		"escaped":              {[]string{strings.Replace(inObject(csvAll), `"data":"`, `"data":"\u000a`, 1)}, saysAll, 0},
		"no spec":              {[]string{inObject(`{"kind":"ClusterServiceVersion"}`), inObject(csvAll)}, "none", 0},
		"metadata wins":        {[]string{inObject(csvAll), metadataOwn}, saysOwn, 0},
		"reference":            {[]string{`{"type":"olm.bundle.object","value":{"ref":"objects/csv.yaml"}}`}, "", 0},
		"broken manifest":      {[]string{`{"type":"olm.bundle.object","value":{"data":"x"}}`, inObject("a: [ClusterServiceVersion")}, "unknown", 1},
		"no data":              {[]string{`{"type":"olm.bundle.object","value":{"data":7}}`}, "unknown", 1},
		"no value":             {[]string{`{"type":"olm.bundle.object","value":7}`}, "unknown", 1},
		"one is fine":          {[]string{`{"type":"olm.bundle.object","value":{"data":"x"}}`, inObject(csvAll)}, saysAll, 0},
		"greatest OpenShift":   {[]string{limit(`"4.9"`)}, "unknown  4.9", 0},
		"as a number":          {[]string{limit(`4.10`), metadataOwn}, saysOwn + " 4.10", 0},
		"no greatest":          {[]string{metadataOwn, limit(`"next"`)}, saysOwn + " next is not a version: Invalid character(s) found in major number \"0next\"", 1},
		"several greatest":     {[]string{limit(`"4.9"`), limit(`"4.9"`)}, "unknown  4.9 is given more than once", 1},
		"several, some broken": {[]string{limit(`""`), limit(`"4.9"`)}, "unknown   is given more than once", 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text := lines(packageBlob, channelBlob, withProperties(test.properties...), bundleV2)
			kept := 1
			for _, p := range test.properties {
				if strings.Contains(p, "olm.maxOpenShiftVersion") {
					kept++
				}
			}
			check := func(c *cache.Catalog) {
				b := c.Package("etcd").Bundle("etcd.v1")
				require.Equal(t, test.want, says(b))
				require.Nil(t, b.Quarantine, "nothing of this quarantines a bundle")
				require.Equal(t, kept, b.Properties.Len())
				require.Len(t, c.Problems(), test.problems, "%v", c.Problems())
				for _, p := range c.Problems() {
					require.Equal(t, graph.SeverityWarning, p.Severity)
					require.Equal(t, graph.Code("compatibilityInvalid"), p.Code)
					require.Equal(t, "etcd.v1", p.Bundle)
					require.Positive(t, p.Line)
				}
			}
			check(read(t, "f.json", text, fbc.Options{}))
			check(read(t, "f.json", text, fbc.Options{DropProperties: []string{"olm.csv.metadata", "olm.bundle.object"}}))
			check(read(t, "f.yaml", "# YAML\n"+strings.ReplaceAll(text, "\n", "\n---\n"), fbc.Options{}))
		})
	}
}

// TestCompatibilityLines: a warning names the line of the property.
func TestCompatibilityLines(t *testing.T) {
	text := lines(packageBlob, channelBlob, bundleV2, `{
	"schema": "olm.bundle", "package": "etcd", "name": "etcd.v1", "image": "i", "properties": [
		{"type": "olm.package", "value": {"packageName": "etcd", "version": "1.0.0"}},
		{"type": "olm.maxOpenShiftVersion", "value": "4.9.1"},
		{
			"type": "olm.csv.metadata",
			"value": {"minKubeVersion": "latest"}
		}
	]}`)
	require.Equal(t, []string{"f:7 warning compatibilityInvalid", "f:8 warning compatibilityInvalid"}, found(read(t, "f", text, fbc.Options{})))
}

// TestCompatibilityShared: bundles that say the same share what they say, be
// they read together or in files of their own.
func TestCompatibilityShared(t *testing.T) {
	v1 := withProperties(metadataOwn)
	v2 := strings.Replace(bundleV2, `"properties":[`, `"properties":[`+strings.Replace(metadataOwn, `"own"`, `"v2"`, 1)+",", 1)
	c := read(t, "f.json", lines(packageBlob, channelBlob, v1, v2), fbc.Options{})
	p := c.Package("etcd")
	require.Same(t, p.Bundle("etcd.v1").Compatibility, p.Bundle("etcd.v2").Compatibility)
	if underRace {
		return // what reads files is pooled, and the race detector empties pools by chance
	}

	files := fstest.MapFS{
		"a.json": {Data: []byte(lines(packageBlob, channelBlob))}, "b.json": {Data: []byte(v1)}, "c.json": {Data: []byte(v2)},
	}
	last := mustLoad(t, fbc.Directory(files, fbc.Options{Parallel: 1}), nil)
	p = last.Catalog.Package("etcd")
	require.Equal(t, saysOwn, says(p.Bundle("etcd.v1")))
	require.Same(t, p.Bundle("etcd.v1").Compatibility, p.Bundle("etcd.v2").Compatibility)
}

// TestCompatibilityChanges: a source sees that nothing but the metadata changed,
// and so does the digest of a catalog.
func TestCompatibilityChanges(t *testing.T) {
	text := func(metadata string) []byte {
		return []byte(lines(packageBlob, channelBlob, withProperties(metadata), bundleV2))
	}
	files := fstest.MapFS{"f.json": {Data: text(metadataOwn)}}
	source := fbc.Directory(files, fbc.Options{})
	first := mustLoad(t, source, nil)
	files["f.json"] = &fstest.MapFile{Data: text(strings.Replace(metadataOwn, "1.20.0", "1.21.0", 1))}
	second := mustLoad(t, source, first)
	require.Equal(t, "OwnNamespace 1.21.0", says(second.Catalog.Package("etcd").Bundle("etcd.v1")))
	require.NotEqual(t, first.Catalog.Digest(), second.Catalog.Digest())
	files["f.json"] = &fstest.MapFile{Data: text(strings.Replace(metadataOwn, `"own"`, `"another description"`, 1))}
	third := mustLoad(t, source, second)
	require.Equal(t, first.Catalog.Digest(), third.Catalog.Digest(), "nothing that is kept changed")
}

// TestReleases: bundles of one version are distinguished by their release.
func TestReleases(t *testing.T) {
	v1 := strings.Replace(bundleV1, `"version":"1.0.0"`, `"version":"1.0.0","release":"2"`, 1)
	v2 := strings.Replace(bundleV2, `"version":"2.0.0"`, `"version":"1.0.0","release":"10"`, 1)
	p := read(t, "f.json", lines(packageBlob, channelBlob, v1, v2), fbc.Options{}).Package("etcd")
	require.Equal(t, "1.0.0 release 2", p.Bundle("etcd.v1").VersionText())
	require.Negative(t, p.Bundle("etcd.v1").CompareVersion(p.Bundle("etcd.v2")))
	c := read(t, "f.json", lines(packageBlob, channelBlob, strings.Replace(v1, `"2"`, `"02"`, 1), v2), fbc.Options{})
	require.Equal(t, []string{"f.json:3 error propertyInvalid quarantines bundle", "f.json:4 error releaseNotNormalized"}, found(c))
}

// TestRealCompatibility holds what real catalogs say against what Go's own JSON
// library reads there.
func TestRealCompatibility(t *testing.T) {
	type spec struct {
		InstallModes []struct {
			Type      string
			Supported bool
		}
		MinKubeVersion string
		NativeAPIs     []properties.GVK
	}
	testkit.OnlyLong(t, "reads 126 MB of JSON with a slow reader")
	data := realData(t)
	for _, file := range []string{"community-v4.19-full.jsonl.gz", "community-v4.14-full.jsonl.gz"} {
		c := testkit.Must(fbc.Load(context.Background(), data, fbc.Options{File: file}))(t)
		bundles, manifests, distinct := 0, 0, map[*properties.Compatibility]bool{}
		for line := range testkit.Lines(t, file) {
			var blob struct {
				Schema, Package, Name string
				Properties            []struct {
					Type  string
					Value json.RawMessage
				}
			}
			require.NoError(t, json.Unmarshal(line, &blob))
			if blob.Schema != "olm.bundle" {
				continue
			}
			bundles++
			var want *spec
			for _, p := range blob.Properties {
				switch {
				case p.Type == "olm.csv.metadata":
					want = &spec{}
					require.NoError(t, json.Unmarshal(p.Value, want))
				case p.Type == "olm.bundle.object" && want == nil:
					var object struct{ Data []byte }
					var manifest struct {
						Kind string
						Spec spec
					}
					require.NoError(t, json.Unmarshal(p.Value, &object))
					if json.Unmarshal(object.Data, &manifest) == nil && manifest.Kind == "ClusterServiceVersion" {
						want = &manifest.Spec
						manifests++
					}
				}
			}
			require.NotNil(t, want)
			got := c.Package(blob.Package).Bundle(blob.Name).Compatibility
			require.True(t, got.InstallModes.Known())
			for i, name := range []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"} {
				supported := false
				for _, m := range want.InstallModes {
					supported = supported || m.Type == name && m.Supported
				}
				require.Equal(t, supported, got.InstallModes.Has(1<<i), "%s %s", blob.Name, name)
			}
			require.Equal(t, want.MinKubeVersion, got.MinKubeVersion.Text, blob.Name)
			require.Equal(t, want.NativeAPIs, got.NativeAPIs, blob.Name)
			distinct[got] = true
		}
		require.Equal(t, c.Len(), bundles)
		t.Logf("%s: %d bundles, %d of them by their manifests, %d different values", file, bundles, manifests, len(distinct))
		require.Less(t, len(distinct), bundles/10)
	}
}

// TestFullMemory: a catalog with all metadata keeps at most a tenth more in
// memory than the same one without.
func TestFullMemory(t *testing.T) {
	data := realData(t)
	size := func(file string) int64 {
		c := testkit.Must(fbc.Load(context.Background(), data, fbc.Options{File: file}))(t)
		return kept(&c)
	}
	size("community-v4.19.jsonl.gz") // what the first load alone sets up is not the catalog's
	without, with := size("community-v4.19.jsonl.gz"), size("community-v4.19-full.jsonl.gz")
	t.Logf("%d bytes without metadata, %d with it", without, with)
	require.Less(t, float64(with), 1.1*float64(without))
}

// kept returns how many bytes of memory the catalog keeps.
func kept(c **cache.Catalog) int64 {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	with := heap()
	runtime.KeepAlive(*c)
	*c = nil
	return with - heap()
}
