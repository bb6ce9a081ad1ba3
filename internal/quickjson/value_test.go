package quickjson_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/quickjson"
)

// valid reports whether the library takes a text for one value.
func valid(text string) bool {
	return jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true))
}

// recognized reports whether all of a text is recognized as one value.
func recognized(text string) bool {
	end, ok := quickjson.Value([]byte(text), 0)
	return ok && end == len(text)
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
	for _, c := range "/:@G`g \"" { // beside the hexadecimal digits
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
	for _, text := range []string{`{}"a":1`, `[]1`, `{},`, `[],1`, `1 2`, `nullx`, `""a`} { // a value ends where it is closed
		end, ok := quickjson.Value([]byte(text), 0)
		require.True(t, ok, text)
		require.True(t, valid(text[:end]), text)
		require.Equal(t, map[byte]int{'{': 2, '[': 2, '1': 1, 'n': 4, '"': 2}[text[0]], end, text)
	}
	// These are valid, but not for this package.
	require.False(t, recognized(`"\ud83d\ude00"`))
	require.False(t, recognized(strings.Repeat("[", 65)+strings.Repeat("]", 65)))
}

// drawJSON draws text that is nearly JSON.
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
		switch end, ok := quickjson.Value([]byte(text), 0); {
		case ok:
			require.True(t, valid(text[:end]), "%q", text)
			seen++
		case !strings.Contains(text, `\u`):
			require.False(t, strings.TrimLeft(text, " ") == text && valid(text), "%q", text)
		}
	})
	if !testing.Short() { // which draws too few to be sure
		require.NotZero(t, seen)
	}
}

// The walk comes to the same names and values as the library does.
func TestMembers(t *testing.T) {
	text := []byte(` {"a": [1, {"b":2} ,"c"] , "d\n":{}, "e":null}x`)
	m := quickjson.Members{Text: text}
	require.False(t, m.Open(0))
	require.True(t, m.Open(1))
	var got []string
	for m.NextName() {
		name := string(text[m.Name.From:m.Name.To])
		if text[m.Value.From] != '[' {
			require.True(t, m.Skip())
		} else {
			items := m.Items()
			for items.Next() {
				got = append(got, name+" item "+string(text[items.Value.From:items.Value.To]))
			}
			require.True(t, m.Behind(&items))
		}
		got = append(got, name+" "+string(text[m.Value.From:m.Value.To]))
	}
	require.True(t, m.Closed)
	require.Equal(t, len(text)-1, m.End)
	require.Equal(t, []string{`"a" item 1`, `"a" item {"b":2}`, `"a" item "c"`, `"a" [1, {"b":2} ,"c"]`, `"d\n" {}`, `"e" null`}, got)

	m = quickjson.Members{Text: []byte(`{"a":[1`)}
	require.True(t, m.Open(0))
	require.True(t, m.NextName())
	items := m.Items()
	require.True(t, items.Next())
	require.False(t, items.Next())
	require.False(t, m.Behind(&items))
	require.False(t, m.Skip())
	require.False(t, m.Closed)
	for i := range 3 {
		require.False(t, (&quickjson.Members{}).Open(i))
		require.False(t, (&quickjson.Items{}).Open(i))
		_, ok := quickjson.Value(nil, i)
		require.False(t, ok)
		_, ok = quickjson.QuotedAt(nil, i)
		require.False(t, ok)
	}
}

// An item that is known is passed over by its length.
func TestPass(t *testing.T) {
	text := []byte(`["a" , {"b":1},2]`)
	items := quickjson.Items{Text: text}
	require.True(t, items.Open(0))
	require.True(t, items.Next())
	require.True(t, items.NextStart())
	items.Pass(len(`{"b":1}`))
	require.Equal(t, `{"b":1}`, string(text[items.Value.From:items.Value.To]))
	require.True(t, items.Next())
	require.Equal(t, `2`, string(text[items.Value.From:items.Value.To]))
	require.False(t, items.Next())
	require.True(t, items.Closed)
	require.Equal(t, len(text), items.End)

	items = quickjson.Items{Text: []byte(`{}`)}
	require.False(t, items.Open(0))
}

func FuzzValue(f *testing.F) {
	for _, text := range []string{`{"a":[1,"b",{"c":null}]}`, `"\ud83d\ude00"`, `[[[1e5]]]`, `{"a":1,}`, "\"\xff\""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		end, ok := quickjson.Value(text, 0)
		if ok && !valid(string(text[:end])) {
			t.Errorf("%q is not valid, but recognized", text[:end])
		}
		if quickjson.Object(text) && (!ok || end != len(text)) {
			t.Errorf("%q is an object, but no value", text)
		}
	})
}
