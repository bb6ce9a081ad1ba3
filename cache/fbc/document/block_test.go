package document

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
)

// sameAsLibrary reads a text as a document in block style, and reports whether it is
// one. If it is, it must be the document that the library reads, lines included.
func sameAsLibrary(t require.TestingT, text []byte, limits Limits) bool {
	limits = limits.withDefaults()
	var b block
	if !b.document(context.Background(), text, 7, limits) {
		return false
	}
	docs, err := All(context.Background(), text, 7, limits)
	require.NoError(t, err, "%q", text)
	require.Len(t, docs, 1, "%q", text)
	raw, marks := docs[0].JSONLines()
	require.Equal(t, string(raw), string(b.out), "%q", text)
	require.Equal(t, marks, Marks(b.marks), "%q", text)
	return true
}

// What is read without the library, each as it is read with it.
var inBlockStyle = []string{
	"a: 1\n", "---\na: 1\n", "# c\n\n---\n# d\na: 1 # e\n# f\n\n", "a:\nb:\n  c:\n    d: x\n  e: y\n",
	"a:\n- 1\n- b: 2\n  c:\n  - d\n-\n- - x\n  - y\n-\n  z: 1\nb:\n  - p\n  -   q: 1\n      r: 2\n", "a: []\nb: {}\nc:\n- []\n- {} # c\n",
	"a: one\n  two\n\n\n  three # c\nb: http://x:1/#y?a&b\n", "a:\n  one\n  - two\nb:\n  'x'\n", "a: 'it''s'\nb: 'x\n\n  y  \n  z'\n'c d': ' e '\n\"f\": \"#\"\n'': x\n", "a: \"x\\n\\t\\\"\\u00e9\\x41\\U0001F600\\_\\e\\  \\\n   \\ y\n  z  \n\n  w\"\n",
	"a: \"x\\t\n  y \\\n\n  z\"\n",
	"a: |\n  x\n   y\n\n  z\n\nb: |-\n  x\n\nc: |+\n  x\n\nd: |2-\n   x\n  y\ne: |\nf: |+\n\n\ng: >\n  a\n  b\n\n  c\n   d\n  e\n\n\nh: >-\n\n  a\n  \n  b\ti\n",
	"a:\n- |\n x\n- >+\n  y\n\n-  |1\n  z\n", "a: true\nb: True\nc: yes\nd: ~\ne: null\nf: 0x1F\ng: 010\nh: 1.50\ni: 1.2.3\nj: 2001-01-01\nk: 1e3\nl: -1\nm: +1\nn: .5\no: <<\np: 12345678901234567890\nq: -x\nr: 0\ns: 007\nt: 1_000\nu: truely\nv: =\n",
	"true: 1\nnull: 2\n3: 4\n~: 5\n-a: 6\n", "é: ☃\nb: 'zwölf'\nc: |\n  ☃\nd: a\u00a0b\n",
}

// What is left to the library: it is something else, or not YAML at all.
var notInBlockStyle = []string{
	"", "a: 1", "- a\n", "x\n", "{}\n", "a: 1\r\n", "a:\t1\n", "\ta: 1\n", "a: \x01\n", "a: \x7f\n", "a: \xff\n", "a: \u0085\n", "\ufeffa: 1\n", "%YAML 1.2\n---\na: 1\n", "--- a: 1\n", "---\n---\na: 1\n", "a: 1\n...\n", "a: 1\n... b: 2\n", "a: 1\n---\nb: 1\n",
	"a: &x 1\n", "a: *x\n", "a: !!str 1\n", "a: [1]\n", "a: {b: 1}\n", "? a\n: b\n", "<<: {}\n", "a: b: c\n", "a: - b\n", "a: x\n  b: c\n", "a: 1\n b: 2\n", "a:\n  b: 1\n c: 2\n", "a: 1\na: 2\n", "a: 1\n'a': 2\n", "a:\n- b\nc\n",
	"a: 'x\n", "a: 'x'y\n", "a: 'x'#y\n", "a: 'x\ny'\n", "a: \"\\q\"\n", "a: \"\\/\"\n", "a: \"\\101\"\n", "a: \"\\ud800\"\n", "a: | # c\n  x\n", "a: |0\n", "a: |\n\t x\n", "a: |\n     \n  x\n", "a: .inf\n", "a: %x\n", "a: @x\n", "a : 1\n", strings.Repeat("a", 1100) + ": 1\n",
}

func TestBlockStyle(t *testing.T) {
	for _, text := range inBlockStyle {
		require.True(t, sameAsLibrary(t, []byte(text), Limits{}), "%q", text)
	}
	for _, text := range notInBlockStyle {
		require.False(t, sameAsLibrary(t, []byte(text), Limits{}), "%q", text)
	}
	deep := strings.Repeat("- ", 20) + "x\n"
	for _, limits := range []Limits{{MaxDepth: 21}, {MaxNodes: 24}, {MaxBytes: 25}} {
		require.True(t, sameAsLibrary(t, []byte("a:\n"+deep), limits), "%v", limits)
	}
	for _, limits := range []Limits{{MaxDepth: 20}, {MaxNodes: 22}, {MaxBytes: 24}} {
		require.False(t, sameAsLibrary(t, []byte("a:\n"+deep), limits), "%v", limits)
		_, err := All(t.Context(), []byte("a:\n"+deep), 1, limits)
		require.Error(t, err, "%v", limits)
	}
	require.False(t, sameAsLibrary(t, []byte("a: x"+strings.Repeat(",", 100)+"\n"), Limits{MaxNodes: 10}))
	require.False(t, sameAsLibrary(t, []byte("a:\n"+strings.Repeat("- ", 100_000)+"x\n"), Limits{MaxDepth: -1, MaxNodes: -1}))
	for _, long := range []string{"\n", "# c\n", "a:\n- b\n", "a: |\n b\n", "a: |\n\n", "a: b\n c\n", "a: 'b\n c\n"} {
		last := strings.LastIndex(strings.TrimSuffix(long, "\n"), "\n") + 1
		text := "x: 1\n" + long[:last] + strings.Repeat(long[last:], 10*checkBytes/len(long[last:]))
		if strings.Contains(long, "'") {
			text += " '\n"
		}
		for _, left := range []int64{2, 9, 1001} {
			b, ctx := block{}, &testkit.CountingContext{Context: t.Context(), Ends: left}
			read := b.document(ctx, []byte(text), 1, Limits{MaxNodes: -1}.withDefaults())
			require.Equal(t, left == 1001, read, "%q", long)
		}
	}
}

// Each document of a text is passed on by either reader, and an error stops that.
func TestTranscoder(t *testing.T) {
	var transcoder Transcoder
	for text, want := range map[string][]string{
		"a: 1\n": {`{"a":1} [{0 5}]`}, "a: [1]\n---\n~\n---\nb:\n  1\n": {`{"a":[1]} [{0 5}]`, `null [{0 7}]`, `{"b":1} [{0 9} {5 10}]`}, "": nil,
		"b:\n- 1\n": {`{"b":[1]} [{0 5} {5 6}]`}, "a: [1]\n---\nb: {\n": {`{"a":[1]} [{0 5}]`, "6: "},
	} {
		var got []string
		err := transcoder.Each(t.Context(), []byte(text), 5, Limits{}, func(raw json.RawMessage, marks Marks) error {
			got = append(got, fmt.Sprint(string(raw), " ", marks))
			return nil
		})
		if err != nil {
			require.Contains(t, err.Error(), "not valid YAML")
			got = append(got, "6: ")
		}
		require.Equal(t, want, got, "%q", text)
	}
	for _, text := range []string{"a: 1\n", "a: [1]\n---\nb: 1\n"} {
		n := 0
		err := transcoder.Each(t.Context(), []byte(text), 5, Limits{}, func(json.RawMessage, Marks) error { n++; return io.EOF })
		require.Equal(t, io.EOF, err)
		require.Equal(t, 1, n)
	}
}

// Real catalogs, as this module writes YAML, are read without the library.
func TestBlockStyleReal(t *testing.T) {
	testkit.OnlyLong(t, "needs a second")
	n := 0
	for line := range testkit.Lines(t, "community-v4.14-full.jsonl.gz") {
		if n++; n%20 == 0 {
			text := testkit.Must(AppendYAML(t.Context(), nil, line))(t)
			require.True(t, sameAsLibrary(t, text, Limits{}), "line %d", n)
		}
		if n == 1000 {
			break
		}
	}
}

// For any combination of lines, the library reads the same, or is used.
func TestBlockStyleDrawn(t *testing.T) {
	parts := strings.Split("a|b: |c:|'d': |\"e\":|- |-|x|yes|1|1.5|'q|q'|'|\"|\"w\"|\\|\\n|\\\n|[]|{}|[|&a |*a|!t |~|#|# c| #c|:|: |?|? |>|>-|>1|---|...|--- |,|é|%|@| |  |    |\t", "|")
	parts = append(parts, "|", "|", "|-", "|+", "|2", "|\n", ">\n", "\n", "\n", "\n", "\n\n", "\n  ", "\n ", "\n  - ", "\n- ", "\na: ", "\n  b: ", "\n    c: ", "\n ", "\n   ", " \n", "\"x\\\n  y\"")
	n := testkit.Times(1_000, 10_000)
	read := 0
	random := rand.New(rand.NewPCG(1, 2))
	for range n {
		text := []byte("a: ")
		for range random.IntN(12) {
			text = append(text, parts[random.IntN(len(parts))]...)
		}
		if sameAsLibrary(t, append(text, '\n'), Limits{MaxNodes: 1000}) {
			read++
		}
	}
	require.Greater(t, read, n/100)
}

// What the library writes is read without it.
func TestBlockStyleWritten(t *testing.T) {
	word := rapid.OneOf(rapid.SampledFrom([]string{"", "true", "1.0", "a b", "a: b", "a #b", " a", "a\nb\n", "\na\n\nb", "a\n  b \n\n", "x\ty", "é☃", "-", "~", "'", "\"", "\\", "2001-01-01", strings.Repeat("long words ", 20)}), rapid.StringMatching(`[ -~\n\t]{0,12}`))
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.OneOf(rapid.Just[any](nil), word.AsAny(), rapid.Int().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.Bool().AsAny())
		if depth == 0 {
			return leaf
		}
		deeper := rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) })
		return rapid.OneOf(leaf, rapid.SliceOfN(deeper, 0, 3).AsAny(), rapid.MapOfN(word, deeper, 0, 3).AsAny())
	}
	read, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		v := map[string]any{"k": value(3).Draw(t, "value")}
		var s strings.Builder
		enc := yaml.NewEncoder(&s)
		enc.SetIndent(rapid.IntRange(2, 5).Draw(t, "indent"))
		require.NoError(t, enc.Encode(v))
		require.NoError(t, enc.Close())
		if all++; !sameAsLibrary(t, []byte(s.String()), Limits{}) {
			return
		}
		read++
		raw := testkit.Must(json.Marshal(v))(t)
		n := testkit.Must(Decode(context.Background(), []byte(s.String()), "f.yaml", Limits{}))(t)
		require.JSONEq(t, string(raw), string(n.JSON()))
	})
	if !testing.Short() { // of few draws, most may be what only the library reads
		require.Greater(t, 2*read, all)
	}
}

func FuzzBlockStyle(f *testing.F) {
	for _, text := range append(inBlockStyle, notInBlockStyle...) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { sameAsLibrary(t, text, Limits{MaxNodes: 1000, MaxDepth: 30}) })
}
