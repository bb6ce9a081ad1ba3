package bundledir_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/bundledir"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

const etcdImage = "quay.io/example/etcd-bundle:v0.9.4"

// testdata/etcd.opm.json is what opm v1.30.1 printed of an image that umoci made
// of testdata/etcd: opm render quay.io/example/etcd-bundle:v0.9.4. The module
// cache/opmgrpc does that again where opm is at hand.
func TestSameAsOPM(t *testing.T) {
	want := testkit.Must(os.ReadFile("testdata/etcd.opm.json"))(t)
	b := testkit.Must(bundledir.ReadDir(t.Context(), "testdata/etcd", bundledir.Options{}))(t)
	got := testkit.Must(b.Blob(etcdImage))(t)
	require.JSONEq(t, string(want), string(got))
	again := testkit.Must(bundledir.Read(t.Context(), os.DirFS("testdata/etcd"), bundledir.Options{}))(t)
	require.Equal(t, string(got), string(testkit.Must(again.Blob(etcdImage))(t)))
}

func TestBundle(t *testing.T) {
	b := testkit.Must(bundledir.ReadDir(t.Context(), "testdata/etcd", bundledir.Options{}))(t)
	require.Equal(t, "etcd.v0.9.4", b.Name)
	require.Equal(t, "etcd", b.Package)
	require.Equal(t, "0.9.4", b.Version)
	require.Equal(t, []string{"singlenamespace-alpha", "clusterwide-alpha"}, b.Channels)
	require.Equal(t, "singlenamespace-alpha", b.DefaultChannel)
	require.Equal(t, "etcd.v0.9.2", b.Replaces)
	require.Equal(t, []string{"etcd.v0.9.3", "etcd.v0.9.3-1"}, b.Skips)
	require.Equal(t, ">=0.9.0 <0.9.4", b.SkipRange)
	require.Len(t, b.Problems, 1)
	require.Equal(t, "manifests/NOTES.txt", b.Problems[0].File)
	require.Equal(t, graph.SeverityWarning, b.Problems[0].Severity)
}

// Without an image the objects are in the blob: all manifests, and nothing else.
func TestWithoutImage(t *testing.T) {
	b := testkit.Must(bundledir.ReadDir(t.Context(), "testdata/etcd", bundledir.Options{}))(t)
	raw := testkit.Must(b.Blob(""))(t)
	var blob struct {
		Image      *string
		Properties []struct {
			Type  string
			Value json.RawMessage
		}
		RelatedImages []struct{ Image string }
	}
	require.NoError(t, json.Unmarshal(raw, &blob))
	require.Nil(t, blob.Image)
	var kinds []string
	for _, p := range blob.Properties {
		require.NotEqual(t, "olm.csv.metadata", p.Type)
		if p.Type != "olm.bundle.object" {
			continue
		}
		var object struct{ Data []byte }
		require.NoError(t, json.Unmarshal(p.Value, &object))
		var meta struct{ Kind string }
		require.NoError(t, json.Unmarshal(object.Data, &meta))
		kinds = append(kinds, meta.Kind)
	}
	require.Equal(t, []string{"ClusterServiceVersion", "CustomResourceDefinition", "CustomResourceDefinition", "ClusterRole"}, kinds)
	for _, i := range blob.RelatedImages {
		require.NotEmpty(t, i.Image)
	}
}

// Whichever way the blob is made, a catalog of it has a bundle that runs where
// the ClusterServiceVersion says.
func TestBlobInCatalog(t *testing.T) {
	b := testkit.Must(bundledir.ReadDir(t.Context(), "testdata/etcd", bundledir.Options{}))(t)
	for _, image := range []string{etcdImage, ""} {
		blob := testkit.Must(b.Blob(image))(t)
		catalog, err := fbc.FromBlobs(t.Context(), []json.RawMessage{
			json.RawMessage(`{"schema":"olm.package","name":"etcd","defaultChannel":"alpha"}`),
			json.RawMessage(`{"schema":"olm.channel","package":"etcd","name":"alpha","entries":[{"name":"etcd.v0.9.4"}]}`), blob,
		}, fbc.Options{})
		require.NoError(t, err)
		require.Empty(t, catalog.Problems())
		found := catalog.Package("etcd").Bundle("etcd.v0.9.4")
		require.Equal(t, "0.9.4", found.Version.String())
		modes := found.Compatibility.InstallModes
		require.Equal(t, properties.OwnNamespace|properties.SingleNamespace, modes&(properties.OwnNamespace|properties.SingleNamespace|properties.MultiNamespace|properties.AllNamespaces))
	}
}

// tree is the tree of testdata/etcd, with files changed; a file that is nil is
// skipped.
func tree(t *testing.T, changes map[string]*string) fstest.MapFS {
	all := fstest.MapFS{}
	require.NoError(t, fs.WalkDir(os.DirFS("testdata/etcd"), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var data []byte
			data, err = os.ReadFile(filepath.Join("testdata/etcd", name))
			all[name] = &fstest.MapFile{Data: data}
		}
		return err
	}))
	for name, text := range changes {
		delete(all, name)
		if text != nil {
			all[name] = &fstest.MapFile{Data: []byte(*text)}
		}
	}
	return all
}

// Each fault is one error with the file and line where it is.
func TestFaults(t *testing.T) {
	const csvFile = "manifests/etcd.clusterserviceversion.yaml"
	csv := testkit.Must(os.ReadFile("testdata/etcd/" + csvFile))(t)
	edit := func(old, with string) map[string]*string {
		require.Contains(t, string(csv), old)
		text := strings.Replace(string(csv), old, with, 1)
		return map[string]*string{csvFile: &text}
	}
	file := func(name, text string) map[string]*string { return map[string]*string{name: &text} }
	line := func(text string) int {
		before, _, found := strings.Cut(string(csv), text)
		require.True(t, found)
		return 1 + strings.Count(before, "\n")
	}
	tests := []struct {
		name    string
		changes map[string]*string
		file    string
		line    int
		code    graph.Code
		says    string
	}{
		{"no CSV", map[string]*string{csvFile: nil}, "manifests", 0, bundledir.CodeNotBundle, "no ClusterServiceVersion"},
		{"two CSVs", file("manifests/z.yaml", "\nkind: ClusterServiceVersion\n"), "manifests/z.yaml", 2, bundledir.CodeManifest, "second ClusterServiceVersion"},
		{"broken YAML", file("manifests/z.yaml", "kind: A\nb: [\n"), "manifests/z.yaml", 2, fbc.CodeSyntax, "not valid YAML"},
		{"no kind", file("manifests/z.yaml", "a: b\n"), "manifests/z.yaml", 1, bundledir.CodeManifest, "no kind"},
		{"a list", file("manifests/z.yaml", "- a\n"), "manifests/z.yaml", 1, fbc.CodeNotObject, "an array"},
		{"comment before ---", file("manifests/z.yaml", "# c\n\n---\nkind: A\n"), "manifests/z.yaml", 3, fbc.CodeSyntax, "remove this line"},
		{"no version", edit("  version: 0.9.4\n", ""), csvFile, 1, bundledir.CodeManifest, "no spec.version"},
		{"bad version", edit("version: 0.9.4", "version: 0.9"), csvFile, line("  version: 0.9.4"), bundledir.CodeManifest, "spec.version must be text"},
		{"bad version in quotes", edit("version: 0.9.4", `version: "0.9"`), csvFile, line("  version: 0.9.4"), bundledir.CodeManifest, "not a semantic version"},
		{"no name", edit("  name: etcd.v0.9.4\n", ""), csvFile, 1, bundledir.CodeManifest, "metadata.name"},
		{"wrong type in a list", edit("{type: MultiNamespace, supported: false}", "{type: MultiNamespace, supported: maybe}"), csvFile, line("{type: MultiNamespace"), bundledir.CodeManifest, "spec.installModes.supported must be true or false"},
		{"wrong type of an API", edit("displayName: etcd Cluster", "displayName: 1"), csvFile, line("      displayName: etcd Cluster"), bundledir.CodeManifest, "spec.customresourcedefinitions.owned.displayName must be text"},
		{"owned but not there", edit("version: v1beta2, kind: EtcdBackup", "version: v9, kind: EtcdBackup"), csvFile, line("- {name: etcdbackups"), bundledir.CodeNotOwned, "v9"},
		{"required without a group", edit("name: services.monitoring.example.com", "name: services"), csvFile, line("- {name: services.monitoring"), bundledir.CodeManifest, "PLURAL.GROUP"},
		{"olm.properties", edit(`"value": "4.20"}`, `"value": }`), csvFile, line("    olm.properties"), bundledir.CodeManifest, "not a list of properties"},
		{"no annotations", map[string]*string{"metadata/annotations.yaml": nil}, "metadata", 0, bundledir.CodeMetadata, "annotations.yaml"},
		{"no package", file("metadata/annotations.yaml", "annotations:\n  operators.operatorframework.io.bundle.channels.v1: a\n"), "metadata/annotations.yaml", 2, bundledir.CodeMetadata, "package.v1"},
		{"dependencies no list", file("metadata/dependencies.yaml", "dependencies: {}\n"), "metadata/dependencies.yaml", 1, bundledir.CodeMetadata, "must be a list"},
		{"dependency without type", file("metadata/dependencies.yaml", "dependencies:\n- value: 1\n"), "metadata/dependencies.yaml", 2, bundledir.CodeMetadata, "has a type"},
		{"dependency with a number", file("metadata/dependencies.yaml", "dependencies:\n- type: olm.package\n  value: {packageName: a, version: 1}\n"), "metadata/dependencies.yaml", 3, bundledir.CodeMetadata, "is invalid"},
		{"broken metadata", file("metadata/x.yaml", "{"), "metadata/x.yaml", 1, fbc.CodeSyntax, "not valid YAML"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := bundledir.Read(t.Context(), tree(t, tt.changes), bundledir.Options{})
			failed := testkit.As[*bundledir.Error](t, err)
			var errs []graph.Problem
			for _, p := range failed.Problems {
				if p.Severity == graph.SeverityError {
					errs = append(errs, p)
				}
			}
			require.Len(t, errs, 1, "%v", errs)
			require.Equal(t, tt.file, errs[0].File)
			require.Equal(t, tt.line, errs[0].Line)
			require.Equal(t, tt.code, errs[0].Code)
			require.Contains(t, errs[0].Message, tt.says)
			require.Contains(t, err.Error(), tt.file)
		})
	}
}

// An error counts and contains the problems.
func TestSeveralFaults(t *testing.T) {
	broken, other := "kind: A\nb: [\n", "- a\n"
	_, err := bundledir.Read(t.Context(), tree(t, map[string]*string{"manifests/y.yaml": &broken, "manifests/z.yaml": &other}), bundledir.Options{})
	require.ErrorContains(t, err, "it has 2 errors, first: manifests/y.yaml:2")
	testkit.As[*graph.Problem](t, err)
	require.EqualError(t, &bundledir.Error{}, "the bundle directory cannot be read")
	text := "just text"
	b, err := bundledir.Read(t.Context(), tree(t, map[string]*string{"manifests/notes.txt": &text}), bundledir.Options{})
	require.NoError(t, err)
	last := b.Problems[len(b.Problems)-1]
	require.Equal(t, "manifests/notes.txt", last.File)
	require.Contains(t, last.Message, "not YAML or JSON")
	csv := testkit.Must(os.ReadFile("testdata/etcd/manifests/etcd.clusterserviceversion.yaml"))(t)
	for _, with := range []string{"  version: [1]", "  version: 0.9.4\n  keywords: etcd", "  version: 0.9.4\n  provider: [a]", "  version: 0.9.4\n  skips: {a: b}"} {
		text := strings.Replace(string(csv), "  version: 0.9.4", with, 1)
		_, err := bundledir.Read(t.Context(), tree(t, map[string]*string{"manifests/etcd.clusterserviceversion.yaml": &text}), bundledir.Options{})
		require.Error(t, err, with)
	}
}

// A second document is skipped, with a warning at its line.
func TestSecondDocument(t *testing.T) {
	text := "kind: A\n---\nkind: B\n"
	b, err := bundledir.Read(t.Context(), tree(t, map[string]*string{"manifests/z.yaml": &text}), bundledir.Options{})
	require.NoError(t, err)
	last := b.Problems[len(b.Problems)-1]
	require.Equal(t, "manifests/z.yaml", last.File)
	require.Equal(t, 2, last.Line)
}

func TestNoBundle(t *testing.T) {
	_, err := bundledir.Read(t.Context(), fstest.MapFS{}, bundledir.Options{})
	testkit.As[*bundledir.Error](t, err)
	require.ErrorContains(t, err, "no folder manifests")
	_, err = bundledir.ReadDir(t.Context(), filepath.Join(t.TempDir(), "nowhere"), bundledir.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.True(t, bundledir.Is(os.DirFS("testdata/etcd")))
	require.False(t, bundledir.Is(os.DirFS("testdata")))
	require.False(t, bundledir.Is(fstest.MapFS{"manifests/a": {}, "metadata": {}}))
}

func TestBounds(t *testing.T) {
	for _, opts := range []bundledir.Options{{MaxFiles: 7}, {MaxBytes: 1000}} {
		_, err := bundledir.Read(t.Context(), tree(t, nil), opts)
		failed := testkit.As[*bundledir.Error](t, err)
		require.Equal(t, fbc.CodeTooLarge, failed.Problems[len(failed.Problems)-1].Code)
	}
	_, err := bundledir.Read(t.Context(), tree(t, nil), bundledir.Options{MaxFiles: 8, MaxBytes: -1})
	require.NoError(t, err)
	ctx := testkit.Ended()
	_, err = bundledir.Read(ctx, tree(t, nil), bundledir.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// Links that leave the directory are refused, and pipes are not opened.
func TestHostileTree(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no pipes in directories here")
	}
	dir := filepath.Join(t.TempDir(), "bundle")
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/etcd")))
	secret := filepath.Join(filepath.Dir(dir), "secret.yaml")
	require.NoError(t, os.WriteFile(secret, []byte("kind: Secret\n"), 0o600))
	require.NoError(t, os.Symlink("role.yaml", filepath.Join(dir, "manifests/inside.yaml")))
	_, err := bundledir.ReadDir(t.Context(), dir, bundledir.Options{})
	require.NoError(t, err)
	for _, target := range []string{secret, "../../secret.yaml"} {
		link := filepath.Join(dir, "manifests/zlink.yaml")
		require.NoError(t, os.Symlink(target, link))
		_, err = bundledir.ReadDir(t.Context(), dir, bundledir.Options{})
		testkit.As[*bundledir.Error](t, err)
		require.ErrorContains(t, err, "manifests/zlink.yaml")
		require.ErrorContains(t, err, "escapes")
		require.NoError(t, os.Remove(link))
	}
	makePipe(t, filepath.Join(dir, "manifests/zpipe.yaml"))
	_, err = bundledir.ReadDir(t.Context(), dir, bundledir.Options{})
	require.ErrorContains(t, err, "not a regular file")
}

// No input makes it panic, and what is accepted is a blob that the reader of
// catalogs takes.
func FuzzRead(f *testing.F) {
	csv := testkit.Must(os.ReadFile("testdata/etcd/manifests/etcd.clusterserviceversion.yaml"))(f)
	crd := testkit.Must(os.ReadFile("testdata/etcd/manifests/etcdbackups.crd.json"))(f)
	dependencies := testkit.Must(os.ReadFile("testdata/etcd/metadata/dependencies.yaml"))(f)
	f.Add(csv, crd, dependencies)
	f.Add([]byte("kind: ClusterServiceVersion\nmetadata: {name: a.v1}\nspec: {version: 1.0.0}"), []byte("kind: A"), []byte("properties: [{type: olm.package, value: {packageName: b, version: 1.2.3}}]"))
	f.Fuzz(func(t *testing.T, csv, crd, meta []byte) {
		b, err := bundledir.Read(context.Background(), fstest.MapFS{
			"manifests/a.yaml": {Data: csv}, "manifests/b.json": {Data: crd}, "metadata/d.yaml": {Data: meta},
			"metadata/annotations.yaml": {Data: []byte("annotations: {operators.operatorframework.io.bundle.package.v1: p}")},
		}, bundledir.Options{})
		if err != nil {
			require.NotEmpty(t, testkit.As[*bundledir.Error](t, err).Problems)
			return
		}
		for _, image := range []string{"", "i"} {
			require.True(t, json.Valid(testkit.Must(b.Blob(image))(t)))
		}
	})
}
