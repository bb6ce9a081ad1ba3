package graph_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
)

// TestScriptsWrittenFromTheRight: a letter of a script that is written from right
// to left would turn the line round that it stands in, so it is shown escaped; one
// of any other script is shown as it is.
func TestScriptsWrittenFromTheRight(t *testing.T) {
	fromTheRight := []*unicode.RangeTable{
		unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Samaritan, unicode.Mandaic,
		unicode.Imperial_Aramaic, unicode.Palmyrene, unicode.Nabataean, unicode.Hatran, unicode.Phoenician, unicode.Lydian,
		unicode.Meroitic_Hieroglyphs, unicode.Meroitic_Cursive, unicode.Kharoshthi, unicode.Old_South_Arabian,
		unicode.Old_North_Arabian, unicode.Manichaean, unicode.Avestan, unicode.Inscriptional_Parthian,
		unicode.Inscriptional_Pahlavi, unicode.Psalter_Pahlavi, unicode.Old_Turkic, unicode.Old_Hungarian,
		unicode.Hanifi_Rohingya, unicode.Yezidi, unicode.Old_Sogdian, unicode.Sogdian, unicode.Chorasmian, unicode.Elymaic,
		unicode.Mende_Kikakui, unicode.Adlam, unicode.Cypriot,
	}
	escaped := func(r rune) bool {
		e := graph.Edge{From: "a" + string(r), To: "x"}
		return strings.Contains(e.String(), `\u`) || strings.Contains(e.String(), `\U`)
	}
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if unicode.IsLetter(r) && unicode.In(r, fromTheRight...) {
			require.True(t, escaped(r), "%U", r)
		}
	}
	for _, table := range []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Devanagari, unicode.Thai, unicode.Hangul, unicode.Hiragana, unicode.Ethiopic} {
		for r := rune(0x80); r <= 0xffff; r++ {
			if unicode.IsLetter(r) && unicode.Is(table, r) {
				require.False(t, escaped(r), "%U", r)
			}
		}
	}
}
