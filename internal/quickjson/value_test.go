package quickjson_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/quickjson"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
)

// valid reports whether the library accepts a text as one value.
func valid(text string) bool {
	return jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true))
}

// recognized reports whether the scanner accepts the whole text as one value.
func recognized(text string) bool {
	end, ok := value(text)
	return ok && end == len(text)
}

// value returns the end of the value at the beginning of a text.
func value(text string) (end int, ok bool) {
	s := quickjson.Scanner{Text: []byte(text)}
	return s.Value(0)
}

func TestValue(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `{"a":1}`, `[1,2]`, `"a"`, `""`, `0`, `-0`, `12.50e+3`, `1E5`, `true`, `false`, `null`,
		"{ \"a\" :\n\t[ 1 , {} ]\r\n}", `{"a":1,"a":2}`, `"\n\u00e9\"\\\/"`, `"é😀"`, `"\ud7ff\ue000"`,
		strings.Repeat("[", 64) + strings.Repeat("]", 64),
	} {
		require.True(t, valid(text), text)
		require.True(t, recognized(text), text)
	}
	for _, text := range []string{
		``, ` `, `{`, `{]`, `[}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `[,]`, `[1,]`, `[1 2]`, `{"a":1 "b":2}`, `{a:1}`, `{1:2}`, `{:1}`, `{ : 1}`, `{"\x":1}`, `{"a\":1}`,
		`01`, `-`, `1.`, `.5`, `1e`, `1e+`, `+1`, `tru`, `nul`, `True`, `trux`, `nulL`, `falsy`, `{"a":nope}`, `"`, `"\`, `"\x"`, `"\u12"`, "\"\n\"", "\"\x00\"", "\"\xff\"", "\"\xc3\"",
		`"\ud800"`, `"\uDfff"`, `[`, `["a"`, `{"a":1`, `{"a"`, `{"a":`,
	} {
		require.False(t, valid(text), text)
		require.False(t, recognized(text), text)
	}
	for _, c := range "/:@G`g \"" { // next to the hexadecimal digits
		for at := range 4 {
			text := `"\u` + "0000"[:at] + string(c) + "0000"[at+1:] + `"`
			require.False(t, valid(text), text)
			require.False(t, recognized(text), text)
		}
	}
	for _, c := range "09afAF" {
		for at := range 4 {
			text := `"\u` + "1111"[:at] + string(c) + "1111"[at+1:] + `"`
			require.Equal(t, valid(text), recognized(text), text)
		}
	}
	for _, text := range []string{`"\ud7ff"`, `"\ud800"`, `"\udbff"`, `"\uDC00"`, `"\udfff"`, `"\ue000"`, `"\ud999"`, `"\ud9Aa"`, `"\udA00"`} {
		require.Equal(t, valid(text), recognized(text), text)
	}
	for _, text := range []string{`{}"a":1`, `[]1`, `{},`, `[],1`, `1 2`, `nullx`, `""a`} { // a value ends at its closing bracket
		end, ok := value(text)
		require.True(t, ok, text)
		require.True(t, valid(text[:end]), text)
		require.Equal(t, map[byte]int{'{': 2, '[': 2, '1': 1, 'n': 4, '"': 2}[text[0]], end, text)
	}
	for _, text := range []string{
		`"\ud83d\ude00"`, `"\uD83D\uDE00a"`, `"\ud83d\ud83d\ude00"`, `"\ud83d\n"`, `"\ud83d\u00e9"`, `"\ud83dx"`, `"\ud83d\"`, `"\ud83d\ude0"`,
		strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	} {
		require.Equal(t, valid(text), recognized(text), "%.20s", text)
	}
	half := quickjson.Scanner{Text: []byte(`"\ud83d"`), Halves: true}
	_, ok := half.Value(0)
	require.True(t, ok)
}

// drawJSON draws almost valid JSON.
func drawJSON(depth int) *rapid.Generator[string] {
	leaf := rapid.OneOf(
		rapid.SampledFrom([]string{`""`, `"a"`, `"\""`, `"\u00e9"`, `"é"`, `0`, `-1.5e3`, `true`, `null`, `{}`, `[]`, ` 1 `, `01`, `"\ud800"`, `tru`}),
		rapid.StringMatching(`"[a-c\\un0-9é{}\[\],: ]{0,6}"`), rapid.StringMatching(`[-+0-9.eE]{1,5}`),
	)
	if depth == 0 {
		return leaf
	}
	return rapid.Custom(func(t *rapid.T) string {
		inner := drawJSON(depth - 1)
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return leaf.Draw(t, "leaf")
		case 1, 2:
			items := rapid.SliceOfN(inner, 0, 3).Draw(t, "items")
			return "[" + strings.Join(items, rapid.SampledFrom([]string{",", ", ", " ,\n", ";"}).Draw(t, "comma")) + "]"
		default:
			var members []string
			for _, v := range rapid.SliceOfN(inner, 0, 3).Draw(t, "values") {
				members = append(members, rapid.SampledFrom([]string{`"a":`, `"b" : `, `"":`, `"\n":`, `a:`}).Draw(t, "name")+v)
			}
			return "{" + strings.Join(members, ",") + rapid.SampledFrom([]string{"}", " }", ",}", "]", ""}).Draw(t, "end")
		}
	})
}

func TestValueIsValid(t *testing.T) {
	seen := 0
	rapid.Check(t, func(t *rapid.T) {
		text := drawJSON(3).Draw(t, "text")
		if end, ok := value(text); ok {
			require.True(t, valid(text[:end]), "%q", text)
			seen++
		} else {
			require.False(t, strings.TrimLeft(text, " ") == text && valid(text), "%q", text)
		}
	})
	if !testing.Short() { // which draws too few
		require.NotZero(t, seen)
	}
}

// The scanner yields the same names and values as the library.
func TestInside(t *testing.T) {
	text := []byte(` {"a": [1, {"b":2} ,"c"] , "d\n":{}, "e":null}x`)
	s := quickjson.Scanner{Text: text}
	_, ok := s.Open(0)
	require.False(t, ok)
	in, ok := s.Open(1)
	require.True(t, ok)
	var got []string
	for in.Begin() {
		name := string(in.Name.Of(text))
		if items, ok := in.Open(); ok && text[in.Value.From] == '[' {
			for items.Next() {
				got = append(got, name+" item "+string(items.Value.Of(text)))
			}
			require.True(t, in.Leave(&items))
		} else {
			require.True(t, in.Skip())
		}
		got = append(got, name+" "+string(in.Value.Of(text)))
	}
	require.True(t, in.Closed)
	require.Equal(t, len(text)-1, in.End)
	require.Equal(t, []string{`"a" item 1`, `"a" item {"b":2}`, `"a" item "c"`, `"a" [1, {"b":2} ,"c"]`, `"d\n" {}`, `"e" null`}, got)
	require.True(t, s.Spaced)

	s = quickjson.Scanner{Text: []byte(`{"a":[1`)}
	in, ok = s.Open(0)
	require.True(t, ok)
	require.True(t, in.Begin())
	items, ok := in.Open()
	require.True(t, ok)
	require.True(t, items.Next())
	require.False(t, items.Next())
	require.False(t, in.Leave(&items))
	require.False(t, in.Skip())
	require.False(t, in.Closed)
	require.False(t, s.Spaced)
	for i := range 3 {
		var empty quickjson.Scanner
		_, ok := empty.Open(i)
		require.False(t, ok)
		_, ok = empty.Value(i)
		require.False(t, ok)
	}
}

// A known item is skipped by its length.
func TestPass(t *testing.T) {
	text := []byte(`["a" , {"b":1},2]`)
	s := quickjson.Scanner{Text: text}
	in, ok := s.Open(0)
	require.True(t, ok)
	require.True(t, in.Next())
	require.True(t, in.Begin())
	in.Pass(len(`{"b":1}`))
	require.Equal(t, `{"b":1}`, string(in.Value.Of(text)))
	require.True(t, in.Next())
	require.Equal(t, `2`, string(in.Value.Of(text)))
	require.False(t, in.Next())
	require.True(t, in.Closed)
	require.Equal(t, len(text), in.End)
}

// Values other than objects and arrays have no members, and nothing reads
// beyond the end of a text.
func TestAll(t *testing.T) {
	for _, raw := range []string{"", "5", "null", `"{"`, "}", ",", "{", "[", "[]", "{}", `["`, "[[", "[{"} {
		for name := range quickjson.All([]byte(raw)) {
			t.Errorf("%q has the member %q", raw, name)
		}
	}
	const whole = `{"a":[1,{"b":"]}\"\\"},null],"c":-1.5e3,"\u0061":"last"}`
	for i := range len(whole) {
		for _, at := range quickjson.All([]byte(whole[:i])) {
			require.LessOrEqual(t, at.To, i)
		}
	}
	require.Equal(t, `"last"`, string(quickjson.Member([]byte(whole), "a")))
	require.Empty(t, quickjson.Member([]byte(whole), "b"))
	var items []string
	const list = `[1,"a,b",[2],{"c":3},"\ud800"]`
	for name, at := range quickjson.All([]byte(list)) {
		require.Empty(t, name)
		items = append(items, string(at.Of([]byte(list))))
	}
	require.Equal(t, []string{"1", `"a,b"`, "[2]", `{"c":3}`, `"\ud800"`}, items)
	for range quickjson.All([]byte("[1,2]")) {
		break
	}
}

func TestObject(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":1}`: true, ` {"a" : 1 } `: true, `{}`: true, `{"a":1`: false, `{"a":1} x`: false, `[1]`: false, ``: false, ` `: false, `1`: false, `[]`: false,
	} {
		got := ""
		require.Equal(t, want, quickjson.Object([]byte(text), func(name, value []byte) { got += string(name) + string(value) }), text)
		if strings.Contains(text, "a") && text[0] != '[' && want {
			require.Equal(t, `a1`, got, text)
		}
	}
}

// Stop interrupts long values.
func TestStop(t *testing.T) {
	calls := 0
	s := quickjson.Scanner{Text: []byte("[" + strings.Repeat("[0],", 100_000) + "0]"), Stop: func() bool { calls++; return calls == 3 }}
	_, ok := s.Value(0)
	require.False(t, ok)
	require.Equal(t, 3, calls)
	calls = 0
	s.Text = []byte(`"` + strings.Repeat("é", 10<<20) + `"`)
	_, ok = s.Value(0)
	require.False(t, ok)
	require.Equal(t, 3, calls)
	s.Stop = nil
	_, ok = s.Value(0)
	require.True(t, ok)
}

func TestTexts(t *testing.T) {
	for quoted, want := range map[string]string{``: "", `"`: "", `""`: "", `"a"`: "a", `"\u0061\n"`: "a\n", `"\ud83d\ude00"`: "😀", `"\ud83d"`: "\ufffd"} {
		require.Equal(t, want, string(quickjson.Unquote([]byte(quoted))), quoted)
	}
	for value, want := range map[string]string{``: "nothing", `{}`: "an object", `[]`: "an array", `""`: "a string", `true`: "a boolean", `false`: "a boolean", `null`: "null", `-1`: "a number"} {
		require.Equal(t, want, quickjson.KindOf([]byte(value)), value)
	}
}

func FuzzValue(f *testing.F) {
	for _, text := range []string{`{"a":[1,"b",{"c":null}]}`, `"\ud83d\ude00"`, `"\ud800"`, `[ "\udc00" ]`, `[[[1e5]]]`, `{"a":1,}`, "\"\xff\"", "{\n        \"a b\": [1,\t2],\r\"\\\"\": \"c  \"\n} ", `"012345\u0008"`, "\"0123456789\x1f\"", `"0123456é789"`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := quickjson.Scanner{Text: text}
		end, ok := s.Value(0)
		if ok && !valid(string(text[:end])) {
			t.Errorf("%q is not valid, but accepted", text[:end])
		}
		if !ok && quickjson.Space(text) == 0 && valid(string(text)) {
			t.Errorf("%q is valid, but rejected", text)
		}
		want := jsontext.Value(bytes.Clone(text))
		// Of invalid UTF-8, only escaped unpaired surrogates are accepted.
		err := want.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(utf8.Valid(text)))
		if got, ok := quickjson.AppendCompact(nil, text); ok != (err == nil) || ok && string(got) != string(want) {
			t.Errorf("compact form of %q: got %q, want %q", text, got, want)
		}
	})
}
