package fbc_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// tinyBundles writes n packages of one tiny bundle each, without holding them.
type tinyBundles struct {
	n, next int
	rest    []byte
}

func (r *tinyBundles) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.next == r.n {
			return 0, io.EOF
		}
		i := r.next
		r.next++
		r.rest = fmt.Appendf(r.rest[:0], `{"schema":"olm.package","name":"p%d","defaultChannel":"c"}
{"schema":"olm.channel","package":"p%d","name":"c","entries":[{"name":"p%d.v1"}]}
{"schema":"olm.bundle","package":"p%d","name":"p%d.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p%d","version":"1.0.0"}}]}
`, i, i, i, i, i, i)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestManyTinyBundles: a catalog of very many packages is read in memory that
// grows with their number and is bounded for each. RESOLUTE_BUNDLES=1000000 reads
// a million.
func TestManyTinyBundles(t *testing.T) {
	n := 50_000
	if underRace {
		n = 5_000
	}
	if s := os.Getenv("RESOLUTE_BUNDLES"); s != "" {
		n = testkit.Must(strconv.Atoi(s))(t)
	}
	var c *cache.Catalog
	grown := peakHeap(func() {
		c = testkit.Must(fbc.Read(context.Background(), &tinyBundles{n: n}, "many.jsonl", fbc.Options{}))(t)
	})
	require.Equal(t, n, c.Len())
	require.Empty(t, c.Problems())
	t.Logf("%d bundles in %d MB at most, %d bytes each", n, grown>>20, grown/int64(n))
	require.Less(t, grown, int64(n)*6_000+64<<20)
	_, err := fbc.Read(context.Background(), &tinyBundles{n: n}, "many.jsonl", fbc.Options{MaxBlobs: int64(n)})
	require.Equal(t, "MaxBlobs", testkit.As[*fbc.LimitError](t, err).Limit)
}

// TestLongNames: a name that is longer than allowed costs what has it, and is not
// repeated in what is said about that.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("n", (1 << 10))
	tests := map[string]struct {
		blob string
		want string // the problem
		left []string
	}{
		"bundle":      {strings.Replace(bundleV1, `"name":"etcd.v1"`, `"name":"`+long+`"`, 1), "f.json:4 error tooLarge", []string{"etcd.v2", "etcd.v1"}},
		"its package": {strings.Replace(bundleV1, `"package":"etcd"`, `"package":"`+long+`"`, 1), "f.json:4 error tooLarge", []string{"etcd.v2", "etcd.v1"}},
		"channel":     {`{"schema":"olm.channel","package":"etcd","name":"` + long + `"}`, "f.json:4 error tooLarge", []string{"etcd.v2", "etcd.v1"}},
		"default":     {`{"schema":"olm.package","name":"x","defaultChannel":"` + long + `"}`, "f.json:4 error tooLarge", []string{"etcd.v2", "etcd.v1"}},
		"entry":       {`{"schema":"olm.channel","package":"etcd","name":"alpha","entries":[{"name":"` + long + `"},{"name":"etcd.v1"}]}`, "f.json:4 error tooLarge quarantines channel", []string{"etcd.v2", "etcd.v1"}},
		"replaces":    {`{"schema":"olm.channel","package":"etcd","name":"alpha","entries":[{"name":"etcd.v1","replaces":"` + long + `"}]}`, "f.json:4 error tooLarge quarantines channel", []string{"etcd.v2", "etcd.v1"}},
		"skips":       {`{"schema":"olm.channel","package":"etcd","name":"alpha","entries":[{"name":"etcd.v1","skips":["` + long + `"]}]}`, "f.json:4 error tooLarge quarantines channel", []string{"etcd.v2", "etcd.v1"}},
		"deprecation": {`{"schema":"olm.deprecations","package":"` + long + `","entries":[]}`, "f.json:4 error tooLarge", []string{"etcd.v2", "etcd.v1"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := read(t, "f.json", lines(packageBlob, channelBlob, bundleV2, test.blob, bundleV1), fbc.Options{})
			require.Contains(t, found(c), test.want)
			require.ElementsMatch(t, test.left, bundleNames(c))
			for _, p := range c.Problems() {
				require.Less(t, len(p.Error()), 1000, p.Code)
			}
			c = read(t, "f.json", lines(packageBlob, channelBlob, bundleV2, test.blob, bundleV1), fbc.Options{MaxNameBytes: -1})
			require.NotContains(t, found(c), test.want)
		})
	}
}

// TestManyItems: lists in a blob are limited, in JSON and in YAML.
func TestManyItems(t *testing.T) {
	opts := fbc.Options{MaxItems: 3}
	more := strings.Repeat(`{"type":"x","value":1},`, 2)
	for _, file := range []string{"f.json", "f.yaml"} {
		all := func(blobs ...string) string {
			if file == "f.yaml" {
				return asDocuments(t, blobs...)
			}
			return lines(blobs...)
		}
		codes := func(text string) []graph.Code {
			out := testkit.Map(read(t, file, text, opts).Problems(), func(p graph.Problem) graph.Code { return p.Code })
			return out
		}
		require.Empty(t, codes(all(packageBlob, channelBlob, strings.Replace(bundleV1, `"properties":[`, `"properties":[`+more, 1), bundleV2)))
		require.Contains(t, codes(all(packageBlob, channelBlob, strings.Replace(bundleV1, `"properties":[`, `"properties":[`+more+more, 1), bundleV2)), fbc.CodeTooLarge)
		require.Contains(t, codes(all(packageBlob, `{"schema":"olm.channel","package":"etcd","name":"stable","entries":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}]}`, bundleV1)), fbc.CodeTooLarge)
		skips := func(list string) string {
			return `{"schema":"olm.channel","package":"etcd","name":"stable","entries":[{"name":"etcd.v2","skips":[` + list + `]}]}`
		}
		require.NotContains(t, codes(all(packageBlob, skips(`"a","b","c"`), bundleV2)), fbc.CodeTooLarge)
		require.Contains(t, codes(all(packageBlob, skips(`"a","b","c","d","e"`), bundleV2)), fbc.CodeTooLarge)
	}
}

// TestProblemsAreInert: whatever is in a catalog, and whatever its files are
// called, a problem is one line of text that shows all that it has.
func TestProblemsAreInert(t *testing.T) {
	for _, s := range []string{`\u001b[31m`, `\u202e`, `a\r\nb`, `\u0000`, `\u200b\ufeff`, `\u009b2J`, `<script>`} {
		text := strings.NewReplacer("etcd", s+"x", "stable", s+"c", "1.0.0", s).Replace(
			lines(packageBlob, channelBlob, bundleV1, bundleV1, bundleV2, `{"schema":"olm.bundle","package":"etcd","name":"etcd.v9","stable":1,"properties":[{"type":"olm.constraint","value":{"etcd":1}},{"type":"olm.gvk","value":{"group":"etcd"}},7]}`,
				`{"schema":"olm.deprecations","package":"etcd","entries":[{"reference":{"schema":"etcd"}}]}`, `{"schema":["etcd"]}`, `{"schema":"olm.channel","package":"etcd","name":"b","entries":[{"name":"etcd.v1","replaces":"etcd.v1","skipRange":"etcd"}]}`))
		c := read(t, "dir\x1b[31m/f\u202e.json", text, fbc.Options{})
		require.NotEmpty(t, c.Problems())
		for _, p := range c.Problems() {
			for _, r := range p.Error() {
				require.True(t, unicode.IsPrint(r), "%U in %q", r, p.Error())
			}
		}
	}
}

// TestLargeIgnoreFile: an ignore file that is too large is a problem and ignores
// nothing.
func TestLargeIgnoreFile(t *testing.T) {
	fsys := fstest.MapFS{"f.json": {Data: []byte(goodLines)}, ".indexignore": {Data: []byte(strings.Repeat("*\n", 40_000))}}
	c := testkit.Must(fbc.Load(context.Background(), fsys, fbc.Options{}))(t)
	require.Equal(t, 2, c.Len())
	require.Equal(t, []string{".indexignore:0 error unreadable"}, found(c))
	require.ErrorContains(t, &c.Problems()[0], "more than 65536 bytes")
}

// TestLargeProperty: a property that is larger than it may be costs its bundle, unless
// it is not wanted.
func TestLargeProperty(t *testing.T) {
	large := `{"type":"x","value":"` + strings.Repeat("a", (4<<20)) + `"}`
	for name, test := range map[string]struct {
		property string
		opts     fbc.Options
		problems []string
	}{
		"too large":      {large, fbc.Options{}, []string{"f:3 error tooLarge quarantines bundle"}},
		"value first":    {`{"value":"` + strings.Repeat("a", 100) + `","type":"x"}`, fbc.Options{MaxPropertyBytes: 100, DropProperties: []string{"x"}}, []string{"f:3 error tooLarge quarantines bundle"}},
		"not wanted":     {large, fbc.Options{DropProperties: []string{"x"}}, []string{}},
		"without limit":  {large, fbc.Options{MaxPropertyBytes: -1}, []string{}},
		"just as large":  {large[:64] + `"}`, fbc.Options{MaxPropertyBytes: 126}, []string{}},
		"a byte smaller": {large[:64] + strings.Repeat("b", 61) + `"}`, fbc.Options{MaxPropertyBytes: 126}, []string{"f:3 error tooLarge quarantines bundle"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := read(t, "f", lines(packageBlob, channelBlob, strings.Replace(bundleV1, `"properties":[`, `"properties":[`+test.property+",", 1), strings.Replace(bundleV2, "etcd.example.com", "g.io", 1)), test.opts)
			require.Equal(t, test.problems, found(c), "%v", c.Problems())
		})
	}
}
