package text_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/text"
)

func TestInert(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"plain text, (1) 100 %~": "plain text, (1) 100 %~",
		"two  spaces ":           "two  spaces ",
		"Ünïcödé 日本語 😀 e\u0301":  "Ünïcödé 日本語 😀 e\u0301",
		"one\ntwo":               "one two",
		"one \r\n\t two\n":       "one two",
		"\n one":                 "one",
		"\n":                     "",
		"a\u00a0b\u3000\u2003c":  "a b  c",
		"a\u2028b\u2029c\u0085d": "a b c d",
		"\x1b[31mred\x00\x7f":    `\x1b[31mred\x00\x7f`,
		"\u202egnp.exe\u2066":    `\u202egnp.exe\u2066`,
		"zero\u200bwidth\ufeff":  `zero\u200bwidth\ufeff`,
		"שלום 1":                 `\u05e9\u05dc\u05d5\u05dd 1`,
		"\xff\xed\xa0\x80":       `\xff\xed\xa0\x80`,
		"\ufffd is one":          "\ufffd is one",
		"\U000e0041\ue000":       `\U000e0041\ue000`,
		"x ##[add-mask]y":        `x #\x23[add-mask]y`,
		"##VSO[a]###[b":          `#\x23VSO[a]##\x23[b`,
		" ::error::x ::y::":      ` \x3a:error::x ::y::`,
		"## [x] a::b::c ::":      "## [x] a::b::c ::",
	} {
		require.Equal(t, want, text.Inert(in), "%q", in)
		require.Equal(t, want, text.Inert(want), "inert text is unchanged")
	}
}

func TestBlock(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"one line\x1b":               `one line\x1b`,
		"one\ntwo\n":                 "one\ntwo\n",
		"one\r\n\ttwo\r\n  three\r4": "one\n    two\n  three 4",
		"a\u2028b\n\u202ec":          "a b\n\\u202ec",
	} {
		require.Equal(t, want, text.Block(in), "%q", in)
	}
}

func TestName(t *testing.T) {
	for in, want := range map[string]string{
		"":                         `""`,
		"etcd.v1.0.0-rc.1+build_2": "etcd.v1.0.0-rc.1+build_2",
		"olm/community:v4@sha~1":   "olm/community:v4@sha~1",
		"日本語":                      "日本語",
		"a b":                      `"a b"`,
		`say "hi"\`:                `"say \"hi\"\\"`,
		"a\nb":                     `"a\nb"`,
		"→":                        `"→"`,
		"אב":                       `"\u05d0\u05d1"`,
		"é א":                      `"\u00e9 \u05d0"`,
		"\xff":                     `"\xff"`,
		"\ufffd":                   "\"\ufffd\"",
		"e\u0301":                  "\"e\u0301\"",
	} {
		require.Equal(t, want, text.Name(in), "%q", in)
	}
	require.Equal(t, []string{"a", `"b c"`}, text.Names([]string{"a", "b c"}))
}

// TestScriptsFromTheRight: letters of right-to-left scripts are escaped,
// others are not.
func TestScriptsFromTheRight(t *testing.T) {
	fromTheRight := []*unicode.RangeTable{
		unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Samaritan, unicode.Mandaic,
		unicode.Imperial_Aramaic, unicode.Palmyrene, unicode.Nabataean, unicode.Hatran, unicode.Phoenician, unicode.Lydian,
		unicode.Meroitic_Hieroglyphs, unicode.Meroitic_Cursive, unicode.Kharoshthi, unicode.Old_South_Arabian,
		unicode.Old_North_Arabian, unicode.Manichaean, unicode.Avestan, unicode.Inscriptional_Parthian,
		unicode.Inscriptional_Pahlavi, unicode.Psalter_Pahlavi, unicode.Old_Turkic, unicode.Old_Hungarian,
		unicode.Hanifi_Rohingya, unicode.Yezidi, unicode.Old_Sogdian, unicode.Sogdian, unicode.Chorasmian, unicode.Elymaic,
		unicode.Mende_Kikakui, unicode.Adlam, unicode.Cypriot,
	}
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if unicode.IsLetter(r) && unicode.In(r, fromTheRight...) {
			for _, shown := range []string{text.Inert(string(r)), text.Name(string(r)), text.Quote(string(r))} {
				require.True(t, strings.HasPrefix(strings.Trim(shown, `"`), `\`), "%U", r)
			}
		}
	}
	for _, table := range []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Devanagari, unicode.Thai, unicode.Hangul, unicode.Hiragana, unicode.Ethiopic} {
		for r := rune(0x80); r <= 0xffff; r++ {
			if unicode.IsLetter(r) && unicode.Is(table, r) {
				require.Equal(t, string(r), text.Inert(string(r)))
				require.Equal(t, string(r), text.Name(string(r)))
			}
		}
	}
}

// FuzzInert: the result is always inert, also when clipped, and inert text is
// unchanged.
func FuzzInert(f *testing.F) {
	for _, s := range []string{
		"", "plain", "a\nb\r\nc", "\x1b[0m", "\u202e\u2066", "\xff\xfe", "שלום", "\u2028", "\t x \t", "e\u0301", "\ufffd", "\U0001F600", "\U000e0001", `\x1b`, "\u00a0",
	} {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit %= 100
		line := text.Inert(s)
		requireInert(t, line, "")
		require.Equal(t, line, text.Inert(line), "inert is idempotent")
		requireInert(t, text.Block(s), "\n")
		require.Equal(t, text.Block(s), text.Block(text.Block(s)))
		requireInert(t, text.Name(s), "")
		requireInert(t, text.Quote(s), "")
		requireInert(t, text.Clip(line, limit), "")
		requireInert(t, text.Middle(line, limit), "")
		require.LessOrEqual(t, len(text.Clip(s, limit)), max(limit, 0))
		require.LessOrEqual(t, utf8.RuneCountInString(text.Middle(s, limit)), max(limit, 0))
		requireInert(t, text.DidYouMean("abcd", func(yield func(string) bool) { yield("abcd" + s) }), "")
	})
}

// requireInert checks a text, which may contain the characters of also.
func requireInert(t *testing.T, s, also string) {
	t.Helper()
	require.True(t, utf8.ValidString(s), "%q", s)
	for _, r := range s {
		if strings.ContainsRune(also, r) {
			continue
		}
		require.False(t, unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Hebrew, unicode.Arabic), "%U in %q", r, s)
		require.True(t, unicode.IsPrint(r), "%U in %q", r, s)
	}
}
