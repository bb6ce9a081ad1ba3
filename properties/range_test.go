package properties

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
)

func TestRangeContains(t *testing.T) {
	tests := []struct {
		text    string
		in, out []string
	}{
		{">=1.0.0", []string{"1.0.0", "2.0.0-rc.1"}, []string{"0.9.9", "1.0.0-rc.1"}},
		{">=1.0.0 <2.0.0", []string{"1.9.9", "2.0.0-rc.1"}, []string{"2.0.0"}},
		{"1.2.3", []string{"1.2.3", "1.2.3+build"}, []string{"1.2.4"}},
		{"!1.2.3", []string{"1.2.4"}, []string{"1.2.3"}},
		{"1.x", []string{"1.0.0", "1.9.0"}, []string{"2.0.0"}},
		{"1.2.x || 3.x", []string{"1.2.9", "3.4.5"}, []string{"1.3.0", "2.0.0"}},
		{"<1.0.0 || >=2.0.0 <3.0.0 || 4.0.0", []string{"0.1.0", "2.5.0", "4.0.0"}, []string{"1.0.0", "3.0.0"}},
		{" > 1.0.0 ", []string{"1.0.1"}, []string{"1.0.0"}},
	}
	for _, test := range tests {
		r, err := ParseRange(test.text)
		require.NoError(t, err, test.text)
		require.Equal(t, test.text, r.String())
		require.False(t, r.IsZero())
		for _, v := range test.in {
			require.True(t, r.Contains(version(v)), "%s in %s", v, test.text)
		}
		for _, v := range test.out {
			require.False(t, r.Contains(version(v)), "%s in %s", v, test.text)
		}
	}
}

func TestRangeErrors(t *testing.T) {
	for text, reason := range map[string]string{
		"":                               "empty",
		" \t ":                           "empty",
		"1":                              "no comparison",
		"banana":                         "is not a version range",
		">=1.0":                          "is not a version range",
		">=v1.0.0":                       "is not a version range",
		"~>1.0.0":                        "is not a version range",
		"1.0.0 ||":                       "|| is empty",
		"|| 1.0.0":                       "|| is empty",
		"1.0.0 || || 2.0.0":              "|| is empty",
		"||":                             "|| is empty",
		"1.0.0 || 5 || 2.0.0":            "no comparison",
		"1.0.0||2.0.0":                   "is not a version range",
		strings.Repeat("1.0.0 || ", 200): "1024 bytes",
	} {
		r, err := ParseRange(text)
		require.ErrorContains(t, err, reason, text)
		require.True(t, r.IsZero())
	}
}

// The zero Range is no range: nothing is inside it.
func TestZeroRange(t *testing.T) {
	var r Range
	require.True(t, r.IsZero())
	require.Empty(t, r.String())
	require.False(t, r.Contains(version("1.0.0")))
}

func TestRangeText(t *testing.T) {
	type holder struct {
		Range Range `json:"range"`
	}
	var h holder
	require.NoError(t, json.Unmarshal([]byte(`{"range": ">=1.0.0"}`), &h))
	require.True(t, h.Range.Contains(version("1.0.0")))
	out := testkit.Must(h.Range.MarshalText())(t)
	require.Equal(t, ">=1.0.0", string(out))

	other := testkit.Must(ParseRange(">=1.0.0"))(t)
	require.True(t, h.Range.Equal(other))
	require.False(t, h.Range.Equal(Range{}))

	require.ErrorContains(t, json.Unmarshal([]byte(`{"range": "x"}`), &h), `"x" is not a version range`)
	require.NoError(t, json.Unmarshal([]byte(`{"range": ""}`), &h))
	require.True(t, h.Range.IsZero())
}

// TestRangeAsTheLibraryDoes: a range is what the library makes of it, however plainly it is
// written, where that has an answer.
func TestRangeAsTheLibraryDoes(t *testing.T) {
	operators := rapid.SampledFrom([]string{"", "=", "==", "<", "<=", ">", ">=", "", "<", "<=", ">", ">=", "!", "!=", "=>", "<<", "> "})
	numbers := rapid.SampledFrom([]string{"0", "1", "2", "10", "0", "1", "2", "10", "0", "1", "2", "01", "x", "999999999"})
	version := rapid.Custom(func(t *rapid.T) string {
		return numbers.Draw(t, "major") + "." + numbers.Draw(t, "minor") + "." + numbers.Draw(t, "patch") +
			rapid.SampledFrom([]string{"", "", "", "-rc.1", "+b"}).Draw(t, "more")
	})
	plain, compared := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for i := range rapid.IntRange(1, 4).Draw(t, "comparisons") {
			if i > 0 {
				text += rapid.SampledFrom([]string{" ", " ", " ", "  ", " || "}).Draw(t, "between")
			}
			text += operators.Draw(t, "operator") + version.Draw(t, "version")
		}
		r, err := ParseRange(text)
		if plainRange(text) != nil {
			plain++
			require.NoError(t, err)
		}
		for range 5 {
			v, wrong := semver.Parse(version.Draw(t, "asked"))
			if want, ok := oracleContains(text, v); ok && wrong == nil && err == nil {
				compared++
				require.Equal(t, want, r.Contains(v), "%s in %s", v, text)
			}
		}
	})
	if !testing.Short() {
		require.Positive(t, plain)
		require.Positive(t, compared)
	}
}
