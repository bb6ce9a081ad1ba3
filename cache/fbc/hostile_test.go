package fbc_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// peakHeap runs fn and returns by how much the heap grew at its highest.
func peakHeap(fn func()) int64 {
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	var peak atomic.Uint64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), m.HeapAlloc))
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	fn()
	close(stop)
	<-done
	return int64(peak.Load()) - int64(before.HeapAlloc)
}

// TestHugeBlob: a blob of 100 MB (8 MB every day) is skipped without being held, whatever
// it looks like, and what comes behind it is read.
func TestHugeBlob(t *testing.T) {
	const most = 1 << 20
	size := testkit.Times[int64](8<<20, 100<<20)
	if underRace {
		size = 10 << 20
	}
	// Garbage is no value of any size, and the parser gives up on ten
	// thousand levels before it looks at the size.
	other := map[string]graph.Code{"JSON, garbage": fbc.CodeSyntax, "JSON, one line, unbalanced": fbc.CodeSyntax}
	tests := map[string]struct{ name, head, fill, tail string }{
		"JSON, one line, one string":  {"f.jsonl", `{"schema":"olm.bundle","x":"`, "aé ", "\"}\n"},
		"JSON, one line, many values": {"f.jsonl", `{"schema":"olm.bundle","x":[0`, ",[]", "]}\n"},
		"JSON, one line, unbalanced":  {"f.jsonl", `{"schema":"olm.bundle","x":[0`, ",[", "\n"},
		"JSON, one line, open string": {"f.jsonl", `{"schema":"olm.bundle","x":"`, "abc", "\n"},
		"JSON, many lines":            {"f.json", "{\n\"schema\":\"olm.bundle\",\n\"x\":[0", ",\n\"}]\\\"\"", "]\n}\n"},
		"JSON, garbage":               {"f.jsonl", "", "garbage", "\n"},
		"JSON, white space":           {"f.jsonl", "", " \n", "\n"},
		"YAML, one line":              {"f.yaml", "schema: olm.bundle\nx: ", "a b", "\n---\n"},
		"YAML, many lines":            {"f.yaml", "schema: olm.bundle\nx:\n", "- y\n", "\n---\n"},
		"YAML, comments":              {"f.yaml", "# x", "x\n#", "\n---\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			good := goodLines
			if test.name == "f.yaml" {
				good = asDocuments(t, packageBlob, channelBlob, bundleV1, bundleV2)
			}
			grown := peakHeap(func() {
				r := io.MultiReader(strings.NewReader(test.head), testkit.Repeat(test.fill, size), strings.NewReader(test.tail+good))
				c := testkit.Must(fbc.Read(context.Background(), r, test.name, fbc.Options{MaxBlobBytes: most}))(t)
				require.Equal(t, []string{"etcd.v2", "etcd.v1"}, bundleNames(c))
				if name == "JSON, white space" {
					require.Empty(t, c.Problems())
					return
				}
				want := cmp.Or(other[name], fbc.CodeTooLarge)
				require.Equal(t, []string{test.name + ":1 error " + string(want)}, found(c))
			})
			require.Less(t, grown, int64(24*most), "memory grows with the input")
		})
	}
}

// TestLargeBlob: what is within the limit is read, whatever the size of the
// buffer.
func TestLargeBlob(t *testing.T) {
	filler := strings.Repeat(`"a":[{}],`, 100_000)
	line := strings.Replace(bundleV1, `"package"`, filler+`"package"`, 1)
	c := read(t, "f.yaml", lines(strings.Replace(packageBlob, `"name"`, filler+`"name"`, 1), channelBlob, bundleV1, bundleV2), fbc.Options{})
	require.Empty(t, c.Problems(), "JSON that is called YAML is JSON, however long its first value is")
	for _, text := range []string{line, pretty(line)} {
		c := read(t, "f", lines(packageBlob, channelBlob, text, bundleV2), fbc.Options{})
		require.Empty(t, c.Problems())
		require.Equal(t, 2, c.Len())
		size := int64(len(text))
		c = read(t, "f", lines(packageBlob, channelBlob, text, bundleV2), fbc.Options{MaxBlobBytes: size})
		require.Empty(t, c.Problems())
		c = read(t, "f", lines(packageBlob, channelBlob, text, bundleV2), fbc.Options{MaxBlobBytes: size - 1})
		require.Equal(t, []string{"f:2 warning entryWithoutBundle", "f:3 error tooLarge"}, found(c))
	}
}

// TestYAMLBomb: a document that would grow without bound is a problem.
func TestYAMLBomb(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("schema: olm.bundle\nl0: &l0 lol\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&laughs, "l%d: &l%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*l%d,", i-1), 9), ","))
	}
	merges := "schema: olm.bundle\nm0: &m0 {a: 1}\n"
	for i := 1; i < 30; i++ {
		merges += fmt.Sprintf("m%d: &m%d {<<: [*m%d, *m%d, *m%d], k%d: x}\n", i, i, i-1, i-1, i-1, i)
	}
	long := "schema: olm.bundle\ns: &s " + strings.Repeat("x", 1<<20) + "\nl: [" + strings.Repeat("*s,", 10_000) + "]\n"
	for name, bomb := range map[string]string{
		"aliases": laughs.String(), "merge keys": merges, "a long text": long,
		"many values": "schema: olm.bundle\nx: [" + strings.Repeat("a,", 4_000_000) + "]\n",
	} {
		t.Run(name, func(t *testing.T) {
			grown := peakHeap(func() {
				c := read(t, "f.yaml", bomb+"---\n"+goodYAML, fbc.Options{MaxNodes: 100_000})
				require.Len(t, c.Problems(), 1)
				require.Equal(t, fbc.CodeTooLarge, c.Problems()[0].Code, c.Problems()[0].Message)
				require.Equal(t, 2, c.Len())
			})
			require.Less(t, grown, int64(200<<20))
		})
	}
}

// TestManyDirectives: each directive that names the version of YAML is made a comment in one
// copy of the text: it was a copy for each, 100 GB of them here.
func TestManyDirectives(t *testing.T) {
	text := strings.Repeat("%YAML 1.2\n", 100_000) + "---\n" + goodYAML
	before := testkit.Allocated()
	_, err := fbc.Read(t.Context(), strings.NewReader(text), "f.yaml", fbc.Options{})
	require.Less(t, testkit.Allocated()-before, uint64(100<<20), "%v", err)
}

// TestManyIgnoreRules: patterns of .indexignore files are limited, and the end of the context
// takes effect between two files that are held against them.
func TestManyIgnoreRules(t *testing.T) {
	rules := func(n int) *fstest.MapFile { return &fstest.MapFile{Data: []byte(strings.Repeat("x*y*z\n", n))} }
	files := fstest.MapFS{".indexignore": rules(fbc.MaxIgnoreRules), "a/f.json": {Data: []byte(goodLines)}}
	c, err := fbc.Load(t.Context(), files, fbc.Options{})
	require.NoError(t, err)
	require.Empty(t, c.Problems())
	files["a/.indexignore"] = rules(1)
	c, err = fbc.Load(t.Context(), files, fbc.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"a/.indexignore:0 error unreadable"}, found(c))
	require.Contains(t, c.Problems()[0].Message, "MaxIgnoreRules")

	const n = 2000
	for i := range n {
		files[fmt.Sprintf("b/%d.json", i)] = &fstest.MapFile{}
	}
	ctx := &testkit.CountingContext{Context: t.Context()}
	_, err = fbc.Load(ctx, files, fbc.Options{Parallel: 1})
	require.NoError(t, err)
	ended := &testkit.CountingContext{Context: t.Context(), Ends: n / 2}
	_, err = fbc.Load(ended, files, fbc.Options{Parallel: 1})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, ended.Count.Load(), int64(n/2+64), "the files are listed on")
}

// TestGzipBomb: what is small when compressed and large otherwise is stopped
// by the limit on the catalog as a whole.
func TestGzipBomb(t *testing.T) {
	bomb := testkit.Gzip(strings.Repeat(`{"schema":"x"}`+"\n", 1<<20))
	_, err := fbc.Read(context.Background(), bytes.NewReader(bomb), "f.json.gz", fbc.Options{MaxTotalBytes: 8 << 20})
	require.Equal(t, fbc.LimitError{Limit: "MaxTotalBytes", Max: 8 << 20}, *testkit.As[*fbc.LimitError](t, err))
	require.ErrorContains(t, err, "more than 8388608 bytes")
}

// TestManyBlobs: the number of blobs is limited, even of empty ones.
func TestManyBlobs(t *testing.T) {
	for name, blob := range map[string]string{"f.json": "{}\n", "f.yaml": "---\n{}\n"} {
		_, err := fbc.Read(context.Background(), testkit.Repeat(blob, 1<<20), name, fbc.Options{MaxBlobs: 1000})
		require.Equal(t, "MaxBlobs", testkit.As[*fbc.LimitError](t, err).Limit)
		require.ErrorContains(t, err, "1000 blobs")
	}
}

// TestManyProblems: problems are limited as well.
func TestManyProblems(t *testing.T) {
	broken := strings.Replace(bundleV1, `"properties":[`, `"properties":[`+strings.Repeat(`1,`, 500), 1)
	text := goodLines + strings.Repeat("{}\n", 500)
	c := read(t, "f.json", text, fbc.Options{MaxProblems: 10})
	require.Len(t, c.Problems(), 11)
	require.Equal(t, graph.Code("moreProblems"), c.Problems()[0].Code)
	require.Contains(t, c.Problems()[0].Message, "490 further problems")
	c = read(t, "f.json", lines(packageBlob, channelBlob, broken, bundleV2), fbc.Options{MaxProblems: 10})
	require.Len(t, c.Problems(), 11)
	require.Contains(t, c.Problems()[10].Message+c.Problems()[0].Message, "490 further problems")
}

// TestDeepNesting: ten thousand levels are a problem, not a crash.
func TestDeepNesting(t *testing.T) {
	for _, depth := range []int{300, 10_000, 100_000} {
		deep := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		objects := strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
		for _, value := range []string{deep, objects} {
			for name, text := range map[string]string{
				"property":     strings.Replace(bundleV2, `"value":{"g`, `"value":`+value+`,"x":{"g`, 1),
				"field":        strings.Replace(bundleV2, `"image":"i2"`, `"image":"i2","x":`+value, 1),
				"image":        strings.Replace(bundleV2, `"i2"`, value, 1),
				"another blob": `{"schema":"x","y":` + value + `}`,
			} {
				c := read(t, "f.jsonl", lines(packageBlob, channelBlob, bundleV1, text), fbc.Options{})
				if kept := name == "property" || name == "image"; kept || depth > 300 {
					require.NotEmpty(t, c.Problems(), name)
				} else if name == "field" {
					require.Empty(t, found(c), "what is not kept may be as deep as the parser allows")
				} else {
					require.Len(t, found(c), 1, "the bundle that is missing")
				}
				require.NotNil(t, c.Package("etcd").Bundle("etcd.v1"))
				c = read(t, "f.yaml", "---\n"+text+"\n---\n"+goodYAML, fbc.Options{})
				require.NotNil(t, c.Package("etcd").Bundle("etcd.v1"), name)
				if name != "another blob" || depth > 300 {
					require.NotEmpty(t, c.Problems(), name)
				}
			}
		}
	}
	c := read(t, "f.jsonl", lines(packageBlob, channelBlob, bundleV1, strings.Replace(bundleV2, `"type":"olm.gvk","value":`, `"type":"x","value":`+strings.Repeat("[", 260)+strings.Repeat("]", 260)+`,"y":`, 1)), fbc.Options{})
	require.Equal(t, []string{"f.jsonl:4 error tooLarge quarantines bundle"}, found(c))
}

// TestCancel: a context that ends takes effect within 50 ms, wherever reading
// is. The bound here is much wider, for machines that do more than this test; what
// is read without end, or has to be compiled rule by rule, takes longer still.
func TestCancel(t *testing.T) {
	bound := 2 * time.Second
	if underRace {
		bound *= 10
	}
	wide := strings.NewReplacer("etcd.v2", strings.Repeat("v", 100)).Replace(bundleV2)
	tests := map[string]struct{ name, text string }{
		"JSON lines":    {"f.jsonl", wide + "\n"},
		"pretty JSON":   {"f.json", pretty(wide) + "\n"},
		"one long line": {"f.jsonl", `{"a":"b","c":[1,2,3],`},
		"garbage":       {"f.jsonl", "garbage"},
		"YAML":          {"f.yaml", asDocuments(t, wide)},
		"one document":  {"f.yaml", "- {a: b, c: [1, 2, 3]}\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(100*time.Millisecond, cancel)
			opts := fbc.Options{MaxBlobs: -1, MaxTotalBytes: -1, MaxNodes: -1}
			start := time.Now()
			_, err := fbc.Read(ctx, testkit.Repeat(test.text, 1<<40), test.name, opts)
			require.ErrorIs(t, err, context.Canceled)
			require.Less(t, time.Since(start), 100*time.Millisecond+bound)
		})
	}
	// Blobs that take long by themselves: many values, many rules.
	many := strings.Repeat(`{"type":"custom","value":{"a":[]}},`+"\n", 300_000)
	entries := strings.Repeat(`{"name":"x","skips":["y"]},`+"\n", 300_000)
	var rules strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&rules, `{"type":"olm.constraint","value":{"cel":{"rule":"properties.exists(p, p.type == 'x%d')"}}},`, i)
	}
	for name, text := range map[string]string{
		"properties": strings.Replace(bundleV1, `"properties":[`, `"properties":[`+many, 1),
		"entries":    strings.Replace(channelBlob, `"entries":[`, `"entries":[`+entries, 1),
		"rules":      strings.Replace(bundleV1, `"properties":[`, `"properties":[`+rules.String(), 1),
	} {
		t.Run(name, func(t *testing.T) {
			for _, after := range []time.Duration{5, 20, 50, 120} {
				ctx, cancel := context.WithTimeout(context.Background(), after*time.Millisecond)
				start := time.Now()
				_, err := fbc.Read(ctx, strings.NewReader(lines(packageBlob, text)), "f.json", fbc.Options{})
				took := time.Since(start)
				cancel()
				if err != nil {
					require.ErrorIs(t, err, context.DeadlineExceeded)
				}
				require.Less(t, took, after*time.Millisecond+bound)
			}
		})
	}
	ended := testkit.Ended()
	_, err := fbc.Read(ended, strings.NewReader(goodLines), "f", fbc.Options{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = fbc.FromNodes(ended, []*document.Node{{Kind: document.KindMapping}}, "f", fbc.Options{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = fbc.FromBlobs(ended, nil, fbc.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestLongLines: however a catalog is made long, its reader looks at the context
// again and again, and ends when that has ended.
func TestLongLines(t *testing.T) {
	testkit.OnlyLong(t, "reads 8 MiB for each of many places to stop at, in one goroutine")
	const size = 8 << 20
	fill := func(before, each, after string) string {
		return before + strings.Repeat(each, size/len(each)) + after
	}
	// There is a look for each 256 KiB that are read. What takes steps of a few bytes
	// needs more; to count newlines takes no time.
	const atEachRead, least = size / (256 << 10), 200
	for name, tt := range map[string]struct{ file, text string }{
		"entries":           {"c.json", fill(`{"schema":"olm.channel","package":"p","name":"c","entries":[`, `{},`, `{}]}`)},
		"entries, spaced":   {"c.json", fill(`{"schema":"olm.channel", "package":"p","name":"\u0063","entries":[`, `{} ,`, `{}]}`)},
		"another field":     {"c.json", fill(`{"schema":"olm.channel","package":"p","name":"c","x":[`, `{},`, `{}]}`)},
		"fields":            {"c.json", fill(`{"schema":"olm.channel"`, `,"x":0`, `}`)},
		"newlines":          {"c.json", fill(``, "\n", `{"schema":"x"}`)},
		"newlines inside":   {"c.json", fill(`{"schema":"x"`, "\n", `}`)},
		"newlines, no name": {"c", fill(``, "\n", `{"schema":"x"}`)},
		"open, newlines":    {"c.json", fill(`{`, "\n", ``)},
		"open, lines":       {"c.json", fill(`{`, "x\n", ``)},
		"lines of YAML":     {"c.yaml", fill("a: 1\n", "\n", "")},
		"comments of YAML":  {"c.yaml", fill("", "#\n", "")},
		"documents of YAML": {"c.yaml", fill("", "---\n", "")},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(ends int64) (int64, error) {
				ctx := &testkit.CountingContext{Context: t.Context(), Ends: ends}
				_, err := fbc.Read(ctx, strings.NewReader(tt.text), tt.file, fbc.Options{Parallel: 1})
				return ctx.Count.Load(), err
			}
			total, _ := read(0)
			if strings.HasPrefix(name, "newlines") {
				require.Greater(t, total, int64(atEachRead))
			} else {
				require.Greater(t, total, int64(least))
			}
			for _, share := range []int64{4, 2} {
				looks, err := read(total / share)
				require.ErrorIs(t, err, context.Canceled)
				require.Less(t, looks, total/share+20, "it goes on")
			}
		})
	}
}
