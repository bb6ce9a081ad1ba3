package olm_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/olm"
)

// sub returns a subscription in YAML.
func sub(namespace, name string) string {
	return fmt.Sprintf(`apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata:
  name: %s
  namespace: %s
spec:
  name: %s
  channel: stable
  source: cs
  sourceNamespace: %s
`, name, namespace, name, namespace)
}

// csv returns a ClusterServiceVersion in YAML with the given specification.
func csv(namespace, name, spec string) string {
	return fmt.Sprintf(`apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: %s
  namespace: %s
spec:
%s  version: 1.0.0
status:
  phase: Succeeded
`, name, namespace, spec)
}

// tarOf returns a tar archive of files in order.
func tarOf(t testing.TB, files ...string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: files[i], Size: int64(len(files[i+1])), Mode: 0o644, Typeflag: tar.TypeReg, Format: tar.FormatPAX}))
		_, err := io.WriteString(w, files[i+1])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// zipOf returns a zip archive of files in order.
func zipOf(t testing.TB, files ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		_, err := io.WriteString(testkit.Must(w.Create(files[i]))(t), files[i+1])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// onlySubscription returns the name of the only subscription of a cluster.
func onlySubscription(t testing.TB, c *olm.Cluster) string {
	namespaces := captureOf(t, c, olm.Options{}).Namespaces
	require.Len(t, namespaces, 1)
	require.Len(t, namespaces[0].Scenario.Subscriptions, 1)
	return namespaces[0].Scenario.Subscriptions[0].Name
}

// read reads a dump from memory.
func read[T ~string | ~[]byte](t testing.TB, content T) (*olm.Cluster, error) {
	var c olm.Cluster
	return &c, c.Read(t.Context(), bytes.NewReader([]byte(content)), "dump")
}

func codes(c *olm.Cluster) []string {
	out := []string{}
	for _, p := range c.Problems() {
		out = append(out, string(p.Code))
	}
	return out
}

// The objects before a truncation are used, and the truncation is reported.
func TestTruncatedArchive(t *testing.T) {
	whole := tarOf(t, "a.yaml", sub("n", "first"), "b.yaml", sub("n", "second"))
	for _, content := range [][]byte{
		whole[:1024+300],
		testkit.Gzip(string(whole))[:200],
		testkit.Gzip(sub("n", "first"))[:60],
	} {
		c, err := read(t, content)
		if err != nil { // no object before the cut
			require.ErrorAs(t, err, new(*olm.EmptyError))
		}
		require.Equal(t, []string{"archive"}, codes(c), "%d bytes", len(content))
		require.Contains(t, c.Problems()[0].Message, "truncated")
	}
	c := testkit.Must(read(t, whole[:1024+512+100]))(t)
	require.Equal(t, "first", onlySubscription(t, c))

	dir := t.TempDir()
	zipped := zipOf(t, "a.yaml", sub("n", "first"))
	testkit.WriteFiles(t, dir, map[string][]byte{"cut.zip": zipped[:len(zipped)/2], "whole.zip": zipped})
	c = new(olm.Cluster)
	require.ErrorAs(t, c.ReadFile(t.Context(), filepath.Join(dir, "cut.zip")), new(*olm.EmptyError))
	require.Equal(t, []string{"archive"}, codes(c))
	c = new(olm.Cluster)
	require.NoError(t, c.ReadFile(t.Context(), filepath.Join(dir, "whole.zip")))
	require.Empty(t, codes(c))
	require.Len(t, captureOf(t, c, olm.Options{}).Namespaces, 1)
}

// An object too large for an API server is used and reported; one beyond MaxObjectBytes is
// skipped.
func TestLargeObjects(t *testing.T) {
	description := "  description: " + strings.Repeat("x", 10<<20) + "\n"
	rules := "  install:\n" + strings.Repeat("    - {verbs: [get, list, watch], resources: [pods, services]}\n", 10<<20/60)
	for name, spec := range map[string]string{"one text": description, "many values": rules} {
		t.Run(name, func(t *testing.T) {
			c := testkit.Must(read(t, csv("n", "big.v1", spec)+"---\n"+sub("n", "s")))(t)
			require.Equal(t, []string{"large"}, codes(c))
			s := captureOf(t, c, olm.Options{}).Namespaces[0].Scenario
			require.Equal(t, "big.v1", s.Installed[0].Name)
			require.Len(t, s.Subscriptions, 1)
		})
	}
	c, err := read(t, csv("n", "huge.v1", "  description: "+strings.Repeat("x", 33<<20)+"\n")+"---\n"+sub("n", "s"))
	require.NoError(t, err)
	require.Equal(t, []string{"large"}, codes(c))
	require.Empty(t, captureOf(t, c, olm.Options{}).Namespaces[0].Scenario.Installed)

	list := `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"name":"big.v1","namespace":"n"},"spec":{"description":"` + strings.Repeat("x", 10<<20) + `"}}]}`
	c = testkit.Must(read(t, list))(t)
	require.Equal(t, []string{"large"}, codes(c))
	require.Len(t, captureOf(t, c, olm.Options{}).Namespaces, 1)
}

func TestUnknownVersions(t *testing.T) {
	c, err := read(t, strings.ReplaceAll(sub("n", "s"), "v1alpha1", "v7")+"---\n"+strings.ReplaceAll(sub("n", "other"), "operators.coreos.com", "messaging.knative.dev"))
	require.NoError(t, err)
	require.Equal(t, []string{"unknownVersion"}, codes(c)) // subscriptions of other groups are ignored
	require.Empty(t, captureOf(t, c, olm.Options{}).Namespaces)
}

func TestTwoClusters(t *testing.T) {
	with := func(uid string) string {
		return strings.Replace(sub("n", "s"), "metadata:\n", "metadata:\n  uid: "+uid+"\n", 1)
	}
	_, err := read(t, with("one")+"---\n"+with("two"))
	require.Equal(t, "Subscription n/s", testkit.As[*olm.TwoClustersError](t, err).Object)
	c := testkit.Must(read(t, with("one")+"---\n"+with("one")))(t)
	require.Len(t, captureOf(t, c, olm.Options{}).Namespaces[0].Scenario.Subscriptions, 1)
}

// Names that point outside a folder are neither read nor passed on.
func TestEscapingNames(t *testing.T) {
	c, err := read(t, tarOf(t, "../../evil.yaml", sub("n", "s"), "/etc/evil.yaml", sub("n", "s2"), "ok.yaml", sub("n", "ok")))
	require.NoError(t, err)
	require.Equal(t, []string{"path", "path"}, codes(c))
	require.Len(t, captureOf(t, c, olm.Options{}).Namespaces[0].Scenario.Subscriptions, 1)
	for _, namespace := range []string{"../../etc", "a/b", `"a\\b"`, `".."`, `"n\nm"`, strings.Repeat("x", 64)} {
		c := testkit.Must(read(t, sub(namespace, "s")))(t)
		require.Equal(t, []string{"path"}, codes(c), namespace)
		require.Empty(t, captureOf(t, c, olm.Options{}).Namespaces)
	}
}

// Links of a folder are not followed. Links to the outside are reported.
func TestLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret.yaml")
	testkit.WriteFiles(t, outside, map[string]string{"secret.yaml": sub("secret", "s"), "current.log": ""})
	testkit.WriteFiles(t, dir, map[string]string{"here.yaml": sub("here", "here")})
	for name, target := range map[string]string{
		"link.yaml": secret, "folder": outside, "broken.yaml": filepath.Join(dir, "nowhere.yaml"), // reported
		"inside.yaml": "here.yaml", "again": ".", "a.log": filepath.Join(outside, "current.log"), "gone.log": "nowhere", // not
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	var c olm.Cluster
	require.NoError(t, c.ReadFile(t.Context(), dir))
	var reported []string
	for _, p := range c.Problems() {
		require.EqualValues(t, "path", p.Code)
		reported = append(reported, filepath.Base(p.File))
	}
	require.Equal(t, []string{"broken.yaml", "folder", "link.yaml"}, reported)
	require.Equal(t, "here", onlySubscription(t, &c))
}

// Links of archives are not followed. Links to the outside are reported.
func TestLinksOfArchives(t *testing.T) {
	links := []struct {
		name, target string
		hard, out    bool
	}{
		{"n/a.yaml", "/etc/a.yaml", false, true}, {"n/b.yaml", "../../b.yaml", false, true}, {"c.yaml", "../c.yaml", true, true},
		{"n/d.yaml", "../ok.yaml", false, false}, {"n/e.yaml", "ok.yaml", true, false}, {"n/f.log", "../../f.log", false, false},
	}
	var tarred, zipped bytes.Buffer
	to, zo := tar.NewWriter(&tarred), zip.NewWriter(&zipped)
	var wantTar, wantZip []string
	for _, l := range links {
		kind := byte(tar.TypeSymlink)
		if l.hard {
			kind = tar.TypeLink
		}
		require.NoError(t, to.WriteHeader(&tar.Header{Name: l.name, Linkname: l.target, Typeflag: kind}))
		if l.out {
			wantTar = append(wantTar, "path")
		}
		if l.hard {
			continue // zip has no hard links
		}
		header := &zip.FileHeader{Name: l.name}
		header.SetMode(fs.ModeSymlink | 0o777)
		f := testkit.Must(zo.CreateHeader(header))(t)
		_, err := f.Write([]byte(l.target))
		require.NoError(t, err)
		if l.out {
			wantZip = append(wantZip, "path")
		}
	}
	require.NoError(t, to.WriteHeader(&tar.Header{Name: "ok.yaml", Typeflag: tar.TypeReg, Size: int64(len(sub("n", "s")))}))
	for _, w := range []io.Writer{to, testkit.Must(zo.Create("ok.yaml"))(t)} {
		_, err := io.WriteString(w, sub("n", "s"))
		require.NoError(t, err)
	}
	require.NoError(t, to.Close())
	require.NoError(t, zo.Close())
	for name, test := range map[string]struct {
		content []byte
		want    []string
	}{"tar": {tarred.Bytes(), wantTar}, "zip": {zipped.Bytes(), wantZip}} {
		dir := t.TempDir()
		testkit.WriteFiles(t, dir, map[string][]byte{name: test.content})
		var c olm.Cluster
		require.NoError(t, c.ReadFile(t.Context(), filepath.Join(dir, name)))
		require.Equal(t, test.want, codes(&c), name)
		require.Len(t, captureOf(t, &c, olm.Options{}).Namespaces, 1)
	}
}

// A dump in any encoding of Unicode that tools write is read: PowerShell writes UTF-16
// with a byte order mark, other tools UTF-8 with one.
func TestEncodings(t *testing.T) {
	yaml := sub("n", "s") + "# ü\n"
	json := `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"s","namespace":"n"},"spec":{"name":"p"}}]}`
	for name, text := range map[string]string{"yaml": yaml, "yaml of windows": strings.ReplaceAll(yaml, "\n", "\r\n"), "json": json} {
		little, big := []byte{}, []byte{}
		for _, u := range utf16.Encode([]rune(text)) {
			little, big = append(little, byte(u), byte(u>>8)), append(big, byte(u>>8), byte(u))
		}
		for encoding, content := range map[string][]byte{
			"UTF-8": []byte(text), "UTF-8 with a mark": []byte("\ufeff" + text),
			"UTF-16LE": little, "UTF-16LE with a mark": append([]byte{0xff, 0xfe}, little...),
			"UTF-16BE": big, "UTF-16BE with a mark": append([]byte{0xfe, 0xff}, big...),
			"compressed": testkit.Gzip(string(append([]byte{0xff, 0xfe}, little...))),
		} {
			c, err := read(t, content)
			require.NoError(t, err, "%s %s", name, encoding)
			require.Empty(t, c.Problems(), "%s %s", name, encoding)
			require.Equal(t, "s", onlySubscription(t, c), "%s %s", name, encoding)
		}
	}
}

// A catalog key that neither the cluster has nor a subscription names is an error with a
// suggestion.
func TestUnknownCatalog(t *testing.T) {
	c, err := read(t, strings.Replace(sub("n", "s"), "sourceNamespace: olm", "sourceNamespace: far", 1)+"---\napiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\nmetadata: {name: goods, namespace: shop}\n")
	require.NoError(t, err)
	for _, key := range []string{"shop/goods", "goods"} {
		got := captureOf(t, c, olm.Options{Catalogs: map[string]string{key: "x"}})
		require.Equal(t, "x", got.Catalogs[len(got.Catalogs)-1].Path)
	}
	for _, key := range []string{"shop/gods", "shop", "olm/goods", ""} {
		_, err := c.Capture(t.Context(), olm.Options{Catalogs: map[string]string{key: "x"}})
		var unknown *olm.UnknownCatalogError
		require.ErrorAs(t, err, &unknown, key)
		require.Equal(t, key, unknown.Key)
		require.Contains(t, unknown.Known, "shop/goods")
	}
	_, err = c.Capture(t.Context(), olm.Options{Catalogs: map[string]string{"shop/gods": "x"}})
	require.ErrorContains(t, err, "did you mean")
}

// A dump without an object of a cluster is an error that describes the expected input. An object
// of an unsupported kind is an object, too.
func TestNoObjects(t *testing.T) {
	for name, content := range map[string]string{
		"empty": "", "blank": "\n\n", "a text": "Error from server (Forbidden): you may not\n", "an empty list": "apiVersion: v1\nitems: []\nkind: List\n",
		"an empty list in JSON": `{"apiVersion":"v1","kind":"List","items":[]}`, "other YAML": "a: b\n", "other JSON": `{"a":"b"}`, "numbers": "[1, 2]", "an archive": string(tarOf(t, "a.yaml", "a: b")),
	} {
		_, err := read(t, content)
		var empty *olm.EmptyError
		require.ErrorAs(t, err, &empty, name)
		require.ErrorContains(t, err, "kubectl get olm -A -o yaml")
	}
	var c olm.Cluster
	require.ErrorAs(t, c.ReadFile(t.Context(), t.TempDir()), new(*olm.EmptyError))
	for _, content := range []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: n}\n", `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod"}]}`, `{"apiVersion":"v1","kind":"Pod"}`} {
		_, err := read(t, content)
		require.NoError(t, err, content)
	}
}

// bomb returns the compressed repetition of a line.
func bomb(t testing.TB, line string, bytes int) []byte {
	return testkit.Gzip(strings.Repeat(line, bytes/len(line)))
}

// Decompression bombs are read in bounded memory.
func TestBombs(t *testing.T) {
	aliases := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := 'b'; i < 'k'; i++ {
		aliases += fmt.Sprintf("%c: &%[1]c [*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c]\n", i, i-1)
	}
	size := testkit.Times(20<<20, 100<<20)
	for name, content := range map[string][]byte{
		"one long line":  bomb(t, "x", 3*size),
		"one open list":  bomb(t, "[", size),
		"open objects":   bomb(t, `{"a":`, size),
		"one string":     testkit.Gzip(`{"a":"` + strings.Repeat("x", 2*size)),
		"aliases":        []byte("apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\n" + aliases),
		"gzip in itself": testkit.Gzip(string(testkit.Gzip(string(testkit.Gzip(string(testkit.Gzip(string(testkit.Gzip(sub("n", "s")))))))))),
		"lists in lists": []byte(strings.Repeat(`{"apiVersion":"v1","kind":"List","items":[`, 200) + `{"kind":"Foo"}` + strings.Repeat("]}", 200)),
		"items":          testkit.Gzip("items:\n" + strings.Repeat("- {}\n", size/100)),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			c, err := read(t, content)
			runtime.ReadMemStats(&after)
			if name != "items" {
				require.True(t, err != nil || len(codes(c)) > 0)
			}
			require.Less(t, after.HeapSys, before.HeapSys+400<<20)
			require.Empty(t, captureOf(t, c, olm.Options{}).Namespaces)
		})
	}
}

// Objects of the wrong shape are reported with their location; the others are read.
func TestWrongShapes(t *testing.T) {
	text := sub("n", "fine") + "---\n" + strings.Replace(sub("n", "bad"), "channel: stable", "channel: [stable]", 1) +
		"---\napiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\n\tbad: yaml\n---\n" + sub("n", "too")
	c := testkit.Must(read(t, text))(t)
	require.Equal(t, []string{"object", "syntax"}, codes(c))
	require.Len(t, captureOf(t, c, olm.Options{}).Namespaces[0].Scenario.Subscriptions, 2)

	bad := strings.Replace(csv("n", "c.v1", ""), "metadata:\n", "metadata:\n  annotations:\n    operatorframework.io/properties: '{\"properties\": 7}'\n", 1)
	c = testkit.Must(read(t, bad))(t)
	got := captureOf(t, c, olm.Options{})
	require.EqualValues(t, "properties", got.Problems[0].Code)
	require.Equal(t, got, captureOf(t, c, olm.Options{})) // a second capture is the same
}

// The result is the same for every format of the same objects.
func TestForms(t *testing.T) {
	object := `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"s","namespace":"n"},"spec":{"name":"s","channel":"stable","source":"cs","sourceNamespace":"n"}}`
	flow := sub("n", "s")
	indented := "    " + strings.ReplaceAll(strings.TrimSuffix(flow, "\n"), "\n", "\n    ") + "\n"
	want := ""
	for name, text := range map[string]string{
		"document":            flow,
		"second document":     "---\nkind: Nothing\n---\n" + flow,
		"windows":             strings.ReplaceAll(flow, "\n", "\r\n"),
		"list":                "apiVersion: v1\nitems:\n- " + strings.ReplaceAll(strings.TrimSuffix(flow, "\n"), "\n", "\n  ") + "\nkind: List\n",
		"indented list":       "kind: List\nitems:\n  - " + strings.TrimPrefix(indented, "    "),
		"list in the middle":  "items:\n- kind: Nothing\n- " + strings.ReplaceAll(strings.TrimSuffix(flow, "\n"), "\n", "\n  ") + "\nkind: List\n---\n{}\n",
		"flow list":           "kind: List\nitems: [" + object + "]\n",
		"JSON":                object,
		"JSON lines":          `{"kind":"Nothing"}` + "\n" + object + "\n",
		"JSON list":           `{"apiVersion":"v1","items":[` + object + `],"kind":"List"}`,
		"JSON array":          `[` + object + `]`,
		"JSON list in a list": `{"kind":"List","items":[{"kind":"List","items":[` + object + `]}]}`,
		"archive":             string(testkit.Gzip(string(tarOf(t, "x/y.log", "no", "x/s.yaml", flow)))),
	} {
		t.Run(name, func(t *testing.T) {
			c := testkit.Must(read(t, text))(t)
			require.Empty(t, c.Problems())
			got := marshal(t, captureOf(t, c, olm.Options{}))
			require.Contains(t, got, `"name": "s"`)
			if want == "" {
				want = got
			}
			require.Equal(t, want, got)
		})
	}
	var c olm.Cluster
	folder := t.TempDir()
	testkit.WriteFiles(t, folder, map[string]string{"a/s.yaml": flow, "a/notes.txt": "kind: x"})
	require.NoError(t, c.ReadFile(t.Context(), folder))
	require.Equal(t, want, marshal(t, captureOf(t, &c, olm.Options{})))
	c = olm.Cluster{}
	require.NoError(t, c.Add([]byte(object)))
	require.Equal(t, want, marshal(t, captureOf(t, &c, olm.Options{})))
}

// The end of a context stops reading anywhere.
func TestReadEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	endless := io.MultiReader(strings.NewReader("items:\n"), testkit.Repeat("- kind: Nothing\n", 1<<62))
	time.AfterFunc(30*time.Millisecond, cancel)
	var c olm.Cluster
	require.ErrorIs(t, c.Read(ctx, endless, "endless"), context.Canceled)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(sub("n", "s")))
	f.Add([]byte(csv("n", "c.v1", "")))
	f.Add([]byte("items:\n- kind: Subscription\n  apiVersion: operators.coreos.com/v1alpha1\nkind: List\n"))
	f.Add([]byte(`{"items":[{"kind":"OperatorGroup","apiVersion":"operators.coreos.com/v1"}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		var c olm.Cluster
		if c.Read(context.Background(), bytes.NewReader(content), "fuzz") != nil {
			return
		}
		got := captureOf(t, &c, olm.Options{})
		for _, ns := range got.Namespaces {
			require.NotContains(t, ns.Namespace, "/")
			require.NoError(t, ns.Scenario.Validate())
		}
	})
}

// A long chain of replaced CSVs is followed once for all subscriptions, and the end of the
// context stops the capture.
func TestLongChain(t *testing.T) {
	n := testkit.Times(4_000, 20_000)
	var objects []string
	add := func(text string) { objects = append(objects, text) }
	add(object("OperatorGroup", "n/g", "spec: {targetNamespaces: [n], upgradeStrategy: TechPreviewUnsafeFailForward}"))
	for i := range n {
		phase, replaces := "Replacing", ""
		if i == n-1 {
			phase = "Failed"
		}
		if i > 0 {
			replaces = fmt.Sprintf("  replaces: c.v%d\n", i-1)
		}
		add("---\n" + strings.Replace(csv("n", fmt.Sprintf("c.v%d", i), replaces), "phase: Succeeded", "phase: "+phase, 1))
		add(object("Subscription", fmt.Sprintf("n/s%d", i), fmt.Sprintf("spec: {name: c}\nstatus: {installedCSV: c.v%d}", i)))
	}
	c := clusterOf(t, objects...)
	got := captureOf(t, c, olm.Options{}).Namespaces[0].Scenario
	require.Len(t, got.Installed, 1)
	require.Len(t, got.Subscriptions, n)
	for _, s := range got.Subscriptions {
		require.Equal(t, fmt.Sprintf("c.v%d", n-1), s.InstalledCSV)
	}
	_, err := c.Capture(testkit.Ended(), olm.Options{Migration: true})
	require.ErrorIs(t, err, context.Canceled)
}

// A hole of a sparse file counts as read bytes and honours the context, although nothing is read
// from the archive.
func TestHoleOfSparseFile(t *testing.T) {
	const hole = 64 << 20
	record := func(key, value string) string {
		text := fmt.Sprintf(" %s=%s\n", key, value)
		return fmt.Sprintf("%d%s", len(text)+2, text)
	}
	pax := record("GNU.sparse.major", "1") + record("GNU.sparse.minor", "0") + record("GNU.sparse.name", "x.yaml") + record("GNU.sparse.realsize", fmt.Sprint(hole))
	block := func(text string) string { return text + strings.Repeat("\x00", -len(text)&511) }
	header := func(name string, size int, kind byte) string {
		var b bytes.Buffer
		require.NoError(t, tar.NewWriter(&b).WriteHeader(&tar.Header{Name: name, Size: int64(size), Typeflag: tar.TypeReg, Mode: 0o644, Format: tar.FormatUSTAR}))
		h := b.Bytes()[:512]
		copy(h[148:156], "        ")
		h[156] = kind
		sum := 0
		for _, c := range h {
			sum += int(c)
		}
		copy(h[148:], fmt.Sprintf("%06o\x00", sum))
		return string(h)
	}
	archive := header("pax", len(pax), tar.TypeXHeader) + block(pax) + header("x.yaml", 512, tar.TypeReg) + block(fmt.Sprintf("1\n%d\n0\n", hole)) + block(" ") + block(" ")
	ctx := &testkit.CountingContext{Context: t.Context()}
	var c olm.Cluster
	require.ErrorAs(t, c.Read(ctx, strings.NewReader(archive[:len(archive)-1024]+strings.Repeat("\x00", 1024)), "dump"), new(*olm.EmptyError))
	require.NotEmpty(t, codes(&c), "an object of so many zeros")
	require.Greater(t, ctx.Count.Load(), int64(hole>>20))
}

// Reading the directory of a zip archive honours the context and a limit.
func TestLongListOfZip(t *testing.T) {
	b := zipOf(t, strings.Repeat("x", 60_000), "")
	end := b[len(b)-22:]
	size := int(binary.LittleEndian.Uint32(end[12:]))
	file := b[:len(b)-22-size]
	entry := b[len(file) : len(file)+size]
	archive := func(n int) string {
		last := slices.Clone(end)
		binary.LittleEndian.PutUint16(last[8:], uint16(n))
		binary.LittleEndian.PutUint16(last[10:], uint16(n))
		binary.LittleEndian.PutUint32(last[12:], uint32(n*size))
		dir := t.TempDir()
		testkit.WriteFiles(t, dir, map[string][]byte{"long.zip": slices.Concat(file, bytes.Repeat(entry, n), last)})
		return filepath.Join(dir, "long.zip")
	}
	ctx := &testkit.CountingContext{Context: t.Context()}
	var c olm.Cluster
	require.ErrorAs(t, c.ReadFile(ctx, archive(20)), new(*olm.EmptyError))
	require.Greater(t, ctx.Count.Load(), int64(20+20), "for each file, and while the list is read")
	require.ErrorContains(t, c.ReadFile(t.Context(), archive(1200)), "exceeds the limit of 67108864 bytes of a list of files")
}

// The kept bytes of a cluster and the content of one object are limited, however well they
// compress.
func TestKeptIsBounded(t *testing.T) {
	object := func(name, spec string) []byte {
		return fmt.Appendf(nil, `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"namespace":"n","name":%q},"spec":{"version":"1.0.0",%s}}`, name, spec)
	}
	var c olm.Cluster
	require.NoError(t, c.Add(object("items", `"customresourcedefinitions":{"owned":[`+strings.Repeat("{},", olm.MaxItems)+`{}]}`)))
	require.NoError(t, c.Add(object("levels", `"customresourcedefinitions":`+strings.Repeat("[", 100)+strings.Repeat("]", 100))))
	require.Equal(t, []string{"large", "large"}, codes(&c))

	long := strings.Repeat("x", 10_000)
	c.Fill(olm.MaxKeptBytes - 3*len(long))
	for i := range 10 {
		require.NoError(t, c.Add(object("again", `"replaces":"`+long+`"`)), "a later state of the same object does not count again")
		require.NoError(t, c.Add(object(fmt.Sprint("left", i), `"description":"`+long+`"`)), "unused fields do not count")
	}
	require.NoError(t, c.Add(object("last", `"replaces":"`+long+`"`)))
	require.ErrorContains(t, c.Add(object("more", `"replaces":"`+long+`"`)), "exceeds the limit of 268435456 bytes of objects")
}

// A copy is detected by its label, its status, or its annotation, in any format.
func TestSignsOfACopy(t *testing.T) {
	home := "  annotations:\n    olm.operatorNamespace: %s\n"
	for text, want := range map[string]int{
		strings.Replace(csv("n", "c.v1", ""), "metadata:\n", "metadata:\n  labels:\n    olm.copiedFrom: x\n", 1):                  1,
		strings.Replace(csv("n", "c.v1", ""), "metadata:\n", "metadata:\n  labels: {olm.copiedFrom: x}\n", 1):                     1,
		strings.Replace(csv("n", "c.v1", ""), "phase: Succeeded", "reason: Copied", 1):                                            1,
		strings.Replace(csv("n", "c.v1", ""), "metadata:\n", "metadata:\n"+fmt.Sprintf(home, "x"), 1):                             1,
		strings.Replace(csv("n", "c.v1", ""), "metadata:\n", "metadata:\n"+fmt.Sprintf(home, "n"), 1):                             0,
		csv("n", "c.v1", "  description: |\n    olm.copiedFrom: x\n    reason: Copied\n"):                                         0,
		csv("n", "c.v1", "  install:\n    metadata:\n      labels:\n        olm.copiedFrom: x\n"):                                 0,
		strings.Replace(csv("n", "c.v1", ""), "metadata:\n", "metadata:\n  annotations:\n    a: |\n      olm.copiedFrom: x\n", 1): 0,
	} {
		json := testkit.Must(document.Decode(t.Context(), []byte(text), "", document.Limits{}))(t).JSON()
		for _, form := range []string{text, string(json)} {
			c := testkit.Must(read(t, form))(t)
			require.Equal(t, want, c.Copied(), form)
			require.Len(t, captureOf(t, c, olm.Options{}).Namespaces, 1-want)
		}
	}
}
