package fbc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
)

// mustUnion puts parts together.
func mustUnion(t require.TestingT, opts fbc.Options, parts ...fbc.Part) cache.Source {
	u, err := fbc.Union(opts, parts...)
	require.NoError(t, err)
	return u
}

// TestUnionEqualsOneDirectory: parts are as directories beside each other.
func TestUnionEqualsOneDirectory(t *testing.T) {
	loaded, failed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		disks := map[string]*disk{"a": newDisk(map[string]string{"a.json": goodLines}), "b": newDisk(map[string]string{"a.json": `{"schema":"x"}`}), "c/d": newDisk(nil)}
		opts := fbc.Options{Catalog: cache.Key{Namespace: "n", Name: "c"}}
		whole := fstest.MapFS{}
		source := mustUnion(t, opts,
			fbc.Part{Name: "a", Source: fbc.Directory(disks["a"], fbc.Options{Strict: true, Catalog: cache.Key{Namespace: "not", Name: "this"}})},
			fbc.Part{Name: "b", Source: fbc.Directory(disks["b"], fbc.Options{})},
			fbc.Part{Name: "c", Source: mustUnion(t, fbc.Options{}, fbc.Part{Name: "d", Source: fbc.File(disks["c/d"], "one", fbc.Options{})})})
		var last *cache.Content
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			edit(t, disks["a"])
			edit(t, disks["b"])
			disks["c/d"].write("one", "\n"+drawText(t))
			clear(whole)
			broken := map[string]error{}
			for part, d := range disks {
				for name, file := range d.files {
					if name == "one" {
						name = "one.jsonl" // for Load to read it
					}
					whole[part+"/"+name] = file
				}
				for name, err := range d.broken {
					broken[part+"/"+name] = err
				}
			}
			got, err := source.Load(context.Background(), last)
			if err != nil {
				var part *fbc.PartError
				require.ErrorAs(t, err, &part)
				require.Contains(t, []string{"a", "b", "c"}, part.Part)
				failed++
				continue
			}
			if len(broken) > 0 {
				continue // their messages tell the paths apart
			}
			want, err := fbc.Load(context.Background(), whole, opts)
			require.NoError(t, err)
			require.Equal(t, strings.ReplaceAll(dumpAll(want), "one.jsonl", "one"), dumpAll(got.Catalog))
			last = got
			require.Same(t, last, mustLoad(t, source, last))
			loaded++
		}
	})
	require.Positive(t, loaded)
	require.Positive(t, failed)
}

// TestUnionMeets: a package in several parts is one package.
func TestUnionMeets(t *testing.T) {
	base := newDisk(map[string]string{"etcd.json": lines(packageBlob, channelBlob, bundleV1)})
	more := newDisk(map[string]string{"etcd.json": bundleV2})
	source := mustUnion(t, fbc.Options{}, fbc.Part{Name: "base", Source: fbc.Directory(base, fbc.Options{})}, fbc.Part{Name: "more", Source: fbc.File(more, "etcd.json", fbc.Options{})})
	one := mustLoad(t, source, nil)
	require.Empty(t, one.Catalog.Problems())
	require.Equal(t, []string{"etcd.v2", "etcd.v1"}, bundleNames(one.Catalog))
	require.Equal(t, graph.Pos{File: "more/etcd.json", Line: 1}, one.Catalog.Package("etcd").Bundle("etcd.v2").Pos())

	base.opens()
	more.opens()
	more.write("etcd.json", lines(bundleV2, bundleV1))
	two := mustLoad(t, source, one)
	require.Empty(t, base.opens(), "what did not change is not read again")
	require.NotEmpty(t, more.opens())
	require.NotEqual(t, one.Digest, two.Digest)
	problems := two.Catalog.Problems()
	require.Len(t, problems, 1)
	require.Equal(t, graph.CodeBundleDuplicate, problems[0].Code)
	require.Equal(t, "more/etcd.json", problems[0].File)
	require.Contains(t, problems[0].Message, "base/etcd.json:3", "both places are named")

	require.Same(t, two, mustLoad(t, source, two))

	base.opens()
	restored := &cache.Content{Catalog: two.Catalog, Digest: two.Digest}
	require.Same(t, restored, mustLoad(t, source, restored))
	require.Equal(t, map[string]int{"etcd.json": 1}, base.opens(), "read once, to compare")
	base.write("etcd.json", lines(packageBlob, channelBlob))
	require.NotEqual(t, two.Digest, mustLoad(t, source, restored).Digest)
}

// TestUnionPartFails: a part that fails fails all, and is named.
func TestUnionPartFails(t *testing.T) {
	good, bad := newDisk(map[string]string{"a.json": goodLines}), newDisk(map[string]string{"a.txt": ""})
	source := mustUnion(t, fbc.Options{}, fbc.Part{Name: "good", Source: fbc.Directory(good, fbc.Options{})}, fbc.Part{Name: "bad", Source: fbc.Directory(bad, fbc.Options{})})
	_, err := source.Load(context.Background(), nil)
	var part *fbc.PartError
	require.ErrorAs(t, err, &part)
	require.Equal(t, "bad", part.Part)
	require.ErrorContains(t, err, `part "bad": nothing in the catalog`)
	var unreadable *fbc.UnreadableError
	require.ErrorAs(t, err, &unreadable)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = source.Load(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// TestUnionLimits: the limits of the union hold for all parts together, its
// strictness too.
func TestUnionLimits(t *testing.T) {
	parts := []fbc.Part{
		{Name: "a", Source: fbc.Directory(newDisk(map[string]string{"a.json": goodLines}), fbc.Options{})},
		{Name: "b", Source: fbc.Directory(newDisk(map[string]string{"a.json": goodLines}), fbc.Options{})},
	}
	load := func(opts fbc.Options) error {
		_, err := mustUnion(t, opts, parts...).Load(context.Background(), nil)
		return err
	}
	require.NoError(t, load(fbc.Options{MaxBlobs: 8, MaxTotalBytes: int64(2 * len(goodLines))}))
	var limit *fbc.LimitError
	require.ErrorAs(t, load(fbc.Options{MaxBlobs: 7}), &limit)
	require.ErrorAs(t, load(fbc.Options{MaxTotalBytes: int64(2*len(goodLines)) - 1}), &limit)
	require.ErrorAs(t, load(fbc.Options{MaxBlobs: 3}), &limit, "already one of them has more")
	var problems *fbc.ProblemsError
	require.ErrorAs(t, load(fbc.Options{Strict: true}), &problems)
}

// TestUnionOfFinished: catalogs that are finished already are taken by the
// package, or not at all.
func TestUnionOfFinished(t *testing.T) {
	ctx := context.Background()
	dangling := `{"schema":"olm.deprecations","package":"gone","entries":[{"reference":{"schema":"olm.package"},"message":"x"}]}`
	kafka := strings.ReplaceAll(goodLines, "etcd", "kafka")
	finished := func(text string) *cache.Memory { return cache.NewMemory(read(t, "finished.json", text, fbc.Options{})) }
	memory := finished(kafka + "{}\n" + dangling)
	files := newDisk(map[string]string{"a.json": goodLines})
	source := mustUnion(t, fbc.Options{}, fbc.Part{Name: "memory", Source: memory}, fbc.Part{Name: "files", Source: fbc.Directory(files, fbc.Options{})})
	one := mustLoad(t, source, nil)
	require.Equal(t, []string{"etcd.v2", "etcd.v1", "kafka.v2", "kafka.v1"}, bundleNames(one.Catalog))
	require.Equal(t, []string{"finished.json:5 error schemaMissing", "finished.json:6 warning deprecationDangling"}, found(one.Catalog))
	require.Same(t, one, mustLoad(t, source, one))
	content, err := memory.Load(ctx, nil)
	require.NoError(t, err)
	require.NotSame(t, content.Catalog.Package("kafka"), one.Catalog.Package("kafka"), "its bundles have other numbers")
	require.Equal(t, int32(0), content.Catalog.Package("kafka").Bundle("kafka.v2").ID)

	files.write("a.json", goodLines+"\n"+strings.ReplaceAll(goodLines, "etcd", "argo"))
	two := mustLoad(t, source, one)
	require.Equal(t, []string{"argo.v2", "argo.v1", "etcd.v2", "etcd.v1", "kafka.v2", "kafka.v1"}, bundleNames(two.Catalog))
	memory.Set(read(t, "finished.json", strings.ReplaceAll(kafka, "2.0.0", "2.1.0"), fbc.Options{}))
	three := mustLoad(t, source, two)
	require.Equal(t, "2.1.0", three.Catalog.Package("kafka").Bundle("kafka.v2").Version.String())
	require.Same(t, two.Catalog.Package("etcd"), three.Catalog.Package("etcd"))

	for name, tt := range map[string]struct{ finished, files, pkg string }{
		"channel":                                {kafka, strings.ReplaceAll(channelBlob, "etcd", "kafka"), "kafka"},
		"deprecations of what is finished":       {kafka, lines(`{"schema":"x"}`, strings.ReplaceAll(dangling, "gone", "kafka")), "kafka"},
		"finished deprecations of what is there": {kafka + dangling, strings.ReplaceAll(goodLines, "etcd", "gone"), "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			source := mustUnion(t, fbc.Options{}, fbc.Part{Name: "memory", Source: finished(tt.finished)},
				fbc.Part{Name: "files", Source: fbc.File(fstest.MapFS{"f": file(tt.files)}, "f", fbc.Options{})})
			_, err := source.Load(ctx, nil)
			var overlap *fbc.OverlapError
			require.ErrorAs(t, err, &overlap)
			require.Equal(t, &fbc.OverlapError{Package: tt.pkg, Finished: "memory", Other: "files"}, overlap)
			require.ErrorContains(t, err, "finished catalog")
		})
	}
	both := mustUnion(t, fbc.Options{}, fbc.Part{Name: "a", Source: finished(kafka)}, fbc.Part{Name: "b", Source: finished(kafka)})
	_, err = both.Load(ctx, nil)
	require.EqualError(t, err, `package "kafka" comes from the parts "a" and "b", and "a" is a finished catalog, to which nothing can be added: give all of the package to one part, or read "a" from files`)
}

// foreign is a source of another kind.
type foreign func(context.Context, *cache.Content) (*cache.Content, error)

func (f foreign) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	return f(ctx, last)
}

// TestUnionOfForeign: a foreign part gets back what it returned, and may be
// wrong.
func TestUnionOfForeign(t *testing.T) {
	c := read(t, "f.json", goodLines, fbc.Options{})
	var got []*cache.Content
	n := 0
	source := mustUnion(t, fbc.Options{}, fbc.Part{Name: "f", Source: foreign(func(_ context.Context, last *cache.Content) (*cache.Content, error) {
		got = append(got, last)
		n++
		return &cache.Content{Catalog: c, Digest: fmt.Sprint(n / 2)}, nil
	})})
	one := mustLoad(t, source, nil)
	two := mustLoad(t, source, one)
	require.NotSame(t, one, two)
	require.Same(t, two, mustLoad(t, source, two), "its digest is the same")
	require.Nil(t, got[0])
	require.Equal(t, "0", got[1].Digest)
	require.Equal(t, "1", got[2].Digest)
	for _, none := range []*cache.Content{nil, {}} {
		source := mustUnion(t, fbc.Options{}, fbc.Part{Name: "f", Source: foreign(func(context.Context, *cache.Content) (*cache.Content, error) { return none, nil })})
		_, err := source.Load(context.Background(), nil)
		require.ErrorContains(t, err, `part "f": its source returned no catalog`)
	}
}

func TestUnionOfNothing(t *testing.T) {
	source := fbc.Directory(fstest.MapFS{}, fbc.Options{})
	for want, parts := range map[string][]fbc.Part{
		"at least one part":       nil,
		"no source":               {{Name: "a"}},
		`part 2 of the union is`:  {{Name: "a", Source: source}, {Source: source}},
		`is called "a/"`:          {{Name: "a/", Source: source}},
		`is called "/a"`:          {{Name: "/a", Source: source}},
		`is called "."`:           {{Name: ".", Source: source}},
		`is called "../a"`:        {{Name: "../a", Source: source}},
		`is called ".."`:          {{Name: "..", Source: source}},
		`two parts of the union`:  {{Name: "a", Source: source}, {Name: "a", Source: source}},
		`give it a name that can`: {{Name: "a//b", Source: source}},
	} {
		_, err := fbc.Union(fbc.Options{}, parts...)
		require.ErrorContains(t, err, want)
	}
}
