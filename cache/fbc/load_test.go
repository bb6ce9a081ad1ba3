package fbc_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// file is a file of a tree that a test makes.
func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestDirectory(t *testing.T) {
	noise := file("this is not read")
	tree := fstest.MapFS{
		"etcd/package.yaml":         file(asDocuments(t, packageBlob)),
		"etcd/channels/stable.json": file(channelBlob),
		"etcd/v1.jsonl":             file(bundleV1),
		"etcd/v2.yml.gz":            {Data: testkit.Gzip(asDocuments(t, bundleV2))},
		"README.md":                 noise,
		"etcd/readme":               noise,
		".git/x.yaml":               noise,
		"etcd/.hidden.yaml":         noise,
		".indexignore":              file("*.txt\n/drafts/*\n!/drafts/LICENSE\n"),
		"notes.txt":                 noise,
		"etcd/deep/notes.txt":       noise,
		"drafts/v3.yaml":            noise,
		"drafts/LICENSE":            noise,
		"etcd/.indexignore":         file("# of this directory\nold/\n[oops\n"),
		"etcd/old/v0.yaml":          noise,
		"etcd/Makefile":             noise,
	}
	c, err := fbc.Load(context.Background(), tree, fbc.Options{Catalog: cache.Key{Namespace: "olm", Name: "community"}})
	require.NoError(t, err)
	require.Equal(t, []string{"etcd.v2", "etcd.v1"}, bundleNames(c))
	require.Equal(t, []string{
		"drafts/LICENSE:0 warning fileSkipped",
		"etcd/.indexignore:3 warning ignorePattern",
		"etcd/Makefile:0 warning fileSkipped",
	}, found(c))
	for _, p := range c.Problems() {
		require.Equal(t, "olm/community", p.Catalog)
	}
	require.Equal(t, graph.Pos{File: "etcd/v2.yml.gz", Line: 2}, c.Package("etcd").Bundle("etcd.v2").Pos())
}

// TestOrderOfFiles: of what is declared twice the first counts, by the order
// of the paths, however many files are read at a time.
func TestOrderOfFiles(t *testing.T) {
	tree := fstest.MapFS{"a.json": file(goodLines), "b.json": file("{}\n"), "a/b.json": file(bundleV1), "a-b.json": file("{}")}
	for i := range 30 {
		tree["z/"+strings.Repeat("z", i+1)+".json"] = file(strings.Repeat("{}\n", 30-i) + strings.Replace(bundleV2, "i2", "late", 1))
	}
	var first string
	for parallel := range 9 {
		c := testkit.Must(fbc.Load(context.Background(), tree, fbc.Options{Parallel: parallel}))(t)
		require.Equal(t, "a.json", c.Package("etcd").Bundle("etcd.v2").Pos().File)
		require.Equal(t, "a/b.json", c.Package("etcd").Bundle("etcd.v1").Pos().File, "a directory comes before the file of a longer name")
		require.Equal(t, "i2", c.Package("etcd").Bundle("etcd.v2").Image)
		got := dump(c) + strings.Join(found(c), "\n")
		if first == "" {
			first = got
		}
		require.Equal(t, first, got)
	}
}

// broken is a file system in which some names cannot be opened.
type broken struct {
	fs.FS
	names []string
}

var errBroken = errors.New("permission denied by the test")

func (b broken) Open(name string) (fs.File, error) {
	for _, n := range b.names {
		if n == name {
			return nil, &fs.PathError{Op: "open", Path: name, Err: errBroken}
		}
	}
	return b.FS.Open(name)
}

func TestUnreadable(t *testing.T) {
	ctx := context.Background()
	tree := fstest.MapFS{"a.json": file(goodLines), "b.json": file("{}"), "c/d.json": file("{}"), "e/.indexignore": file("x"), "e/f.json": file("{}")}
	c := testkit.Must(fbc.Load(ctx, broken{tree, []string{"b.json", "c", "e/.indexignore"}}, fbc.Options{}))(t)
	require.Equal(t, []string{
		"b.json:0 error unreadable", "c:0 error unreadable", "e/.indexignore:0 error unreadable", "e/f.json:1 error schemaMissing",
	}, found(c))
	require.Equal(t, 2, c.Len())

	_, err := fbc.Load(ctx, broken{tree, []string{"."}}, fbc.Options{})
	unreadable := testkit.As[*fbc.UnreadableError](t, err)
	require.ErrorIs(t, err, errBroken)

	_, err = fbc.Load(ctx, tree, fbc.Options{File: "absent.yaml"})
	require.ErrorAs(t, err, &unreadable)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "absent.yaml")

	_, err = fbc.Load(ctx, os.DirFS(filepath.Join(t.TempDir(), "absent")), fbc.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)

	_, err = fbc.Load(ctx, fstest.MapFS{}, fbc.Options{})
	require.ErrorAs(t, err, &unreadable)
	require.ErrorContains(t, err, "is empty")

	_, err = fbc.Load(ctx, fstest.MapFS{"x": file("")}, fbc.Options{File: "x"})
	require.ErrorContains(t, err, "is empty")

	_, err = fbc.Read(ctx, strings.NewReader("\x1f\x8bnot gzip"), "", fbc.Options{})
	require.ErrorAs(t, err, &unreadable)
	require.ErrorContains(t, err, "the input")

	_, err = fbc.Load(ctx, fstest.MapFS{"x.json": file("x"), "y.json": file("y")}, fbc.Options{})
	require.ErrorAs(t, err, &unreadable)
	require.Len(t, unreadable.Problems, 2)
	require.Equal(t, "x.json", testkit.As[*graph.Problem](t, err).File)
}

// TestTruncatedGzip: the part before the end is read.
func TestTruncatedGzip(t *testing.T) {
	for _, name := range []string{"f.jsonl.gz", "f.yaml.gz"} {
		text := goodLines + strings.Repeat(`{"schema":"x"}`+"\n", 100_000)
		if name == "f.yaml.gz" {
			text = goodYAML + strings.Repeat("---\nschema: x\n", 10_000)
		}
		packed := testkit.Gzip(text)
		c, err := fbc.Read(context.Background(), bytes.NewReader(packed[:len(packed)/2]), name, fbc.Options{})
		require.NoError(t, err)
		require.Equal(t, 2, c.Len())
		require.Len(t, c.Problems(), 1)
		require.Equal(t, fbc.CodeUnreadable, c.Problems()[0].Code)
		require.Greater(t, c.Problems()[0].Line, 4)
		require.Contains(t, c.Problems()[0].Message, "cut off")
	}
}

func TestStrict(t *testing.T) {
	ctx := context.Background()
	_, err := fbc.Read(ctx, strings.NewReader(goodLines), "f", fbc.Options{Strict: true})
	require.NoError(t, err)
	_, err = fbc.Read(ctx, strings.NewReader(lines(packageBlob, channelBlob, bundleV1)), "f", fbc.Options{Strict: true})
	require.Len(t, testkit.As[*fbc.ProblemsError](t, err).Problems, 1)
	require.ErrorContains(t, err, "a problem: f:2: ")
	problem := testkit.As[*graph.Problem](t, err)
	require.Equal(t, graph.Code("entryWithoutBundle"), problem.Code)
	_, err = fbc.Read(ctx, strings.NewReader(lines(packageBlob, channelBlob, bundleV1, "{}")), "f", fbc.Options{Strict: true})
	require.ErrorContains(t, err, "2 problems, first: f:2: ")
}

func TestProgress(t *testing.T) {
	tree := fstest.MapFS{"a.json": file(goodLines), "b.json": file(`{"schema":"x"}`), "c.json": file(strings.Repeat(`{"schema":"x"}`+"\n", 1<<20))}
	var calls []fbc.Progress
	_, err := fbc.Load(context.Background(), tree, fbc.Options{Progress: func(p fbc.Progress) { calls = append(calls, p) }})
	require.NoError(t, err)
	require.Greater(t, len(calls), 4)
	last := calls[len(calls)-1]
	require.Equal(t, fbc.Progress{Files: 3, FilesDone: 3, Bytes: int64(len(goodLines) + 14 + 15<<20), Blobs: 5 + 1<<20, Foreign: 1 + 1<<20}, last)
	for i := 1; i < len(calls); i++ {
		require.GreaterOrEqual(t, calls[i].Bytes, calls[i-1].Bytes)
		require.GreaterOrEqual(t, calls[i].FilesDone, calls[i-1].FilesDone)
	}
}

// TestLimitsAcrossFiles: the limits on the catalog hold for all files
// together, and end all that are being read.
func TestLimitsAcrossFiles(t *testing.T) {
	tree := fstest.MapFS{}
	for _, name := range []string{"a", "b", "c", "d"} {
		tree[name+".json"] = file(strings.Repeat(`{"schema":"x"}`+"\n", 1000))
	}
	for _, opts := range []fbc.Options{{MaxBlobs: 3500}, {MaxTotalBytes: 50_000}} {
		_, err := fbc.Load(context.Background(), tree, opts)
		testkit.As[*fbc.LimitError](t, err)
	}
	_, err := fbc.Load(context.Background(), tree, fbc.Options{MaxBlobs: 4000, MaxTotalBytes: 60_000})
	require.NoError(t, err)
}

// TestEmptyCatalogs: blobs that stand inside of something else may be none.
func TestEmptyCatalogs(t *testing.T) {
	c := testkit.Must(fbc.FromNodes(context.Background(), nil, "f", fbc.Options{}))(t)
	require.Zero(t, c.Len())
	c = testkit.Must(fbc.FromNodes(context.Background(), []*document.Node{nil}, "f", fbc.Options{}))(t)
	require.Equal(t, []string{"f:0 error notObject"}, found(c))
	c = testkit.Must(fbc.FromBlobs(context.Background(), nil, fbc.Options{}))(t)
	require.Zero(t, c.Len())
	_, err := fbc.FromBlobs(context.Background(), nil, fbc.Options{})
	require.NoError(t, err)
}

// TestNothingOfTheInputIsKept: the buffers that a catalog was read from can be
// written to without any effect on it.
func TestNothingOfTheInputIsKept(t *testing.T) {
	input := []byte(goodLines)
	r := &reusing{data: input}
	c := testkit.Must(fbc.Read(context.Background(), r, "f", fbc.Options{}))(t)
	before := dump(c)
	for _, p := range r.seen {
		clear(p)
	}
	clear(input)
	require.Equal(t, before, dump(c))
}

// reusing is a reader that remembers the buffers that it wrote to.
type reusing struct {
	data []byte
	at   int
	seen [][]byte
}

func (r *reusing) Read(p []byte) (int, error) {
	if r.at == len(r.data) {
		return 0, io.EOF
	}
	r.seen = append(r.seen, p)
	n := copy(p, r.data[r.at:])
	r.at += n
	return n, nil
}

// TestNodesKnowTheirLines: problems in blobs that stand in a scenario name the
// line of the scenario.
func TestNodesKnowTheirLines(t *testing.T) {
	const scenario = `catalogs:
- name: c
  blobs:
  - {schema: olm.package, name: a, defaultChannel: stable}
  - schema: olm.channel
    package: a
    name: stable
    entries:
    - {name: a.v1}
    - {name: a.v2}
  - schema: olm.bundle
    package: a
    name: a.v1
    image: i
    properties:
    - {type: olm.package, value: {packageName: a, version: 1.0.0}}
    - type: olm.gvk
      value: {group: foos.example.com, version: v1}
`
	n := testkit.Must(document.Decode(context.Background(), []byte(scenario), "s.yaml", document.Limits{}))(t)
	c, err := fbc.FromNodes(context.Background(), n.Field("catalogs").Items[0].Field("blobs").Items, "s.yaml", fbc.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{
		"s.yaml:5 error severalHeads quarantines channel",
		"s.yaml:10 warning entryWithoutBundle",
		"s.yaml:17 error propertyInvalid quarantines bundle",
	}, found(c))
}

// TestCausesAreFound: errors lead to what caused them.
func TestCausesAreFound(t *testing.T) {
	_, err := fbc.Load(context.Background(), fstest.MapFS{}, fbc.Options{File: "missing.json"})
	unreadable := testkit.As[*fbc.UnreadableError](t, err)
	require.ErrorIs(t, err, fs.ErrNotExist)

	_, err = fbc.Load(context.Background(), fstest.MapFS{"bad.json": {Data: []byte("{\n")}}, fbc.Options{File: "bad.json"})
	require.ErrorAs(t, err, &unreadable)
	require.Equal(t, "bad.json", testkit.As[*graph.Problem](t, err).File)

	cut := &fbc.CutError{Name: "far", Bytes: 7, Err: fbc.ErrHalfValue}
	require.ErrorIs(t, cut, fbc.ErrHalfValue)
	require.EqualError(t, cut, "the catalog far did not arrive whole, only 7 bytes of it: it ends in the middle of a value; what came is not used")
	require.False(t, errors.Is(cut, fs.ErrNotExist))
}
