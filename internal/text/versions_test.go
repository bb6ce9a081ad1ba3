package text_test

import (
	"iter"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/text"
)

func TestNearVersion(t *testing.T) {
	for in, want := range map[string]string{
		"1.15": "; did you mean 1.15.0?", "1": "; did you mean 1.0.0?", "v1.15.0": "; did you mean 1.15.0?", "V1.15": "; did you mean 1.15.0?",
		"01.15.0": "; did you mean 1.15.0?", "1.15-rc.1": "; did you mean 1.15.0-rc.1?", " 1.2.3": "; did you mean 1.2.3?",
		"1.2.3": "", "": "", "v": "", "newest": "", "1.2.3.4": "", "1..2": "", "1.x": "", "12345678901.0": "", "-1": "",
	} {
		require.Equal(t, want, text.NearVersion(in), "%q", in)
	}
}

func TestNearRange(t *testing.T) {
	for in, want := range map[string]string{
		"1.15": "; did you mean 1.15.0 or '>=1.15.0 <1.16.0'?", "1": "; did you mean 1.0.0 or '>=1.0.0 <2.0.0'?", "v1.15": "; did you mean 1.15.0 or '>=1.15.0 <1.16.0'?",
		"=1.15": "; did you mean 1.15.0 or '>=1.15.0 <1.16.0'?", "v1.15.0": "; did you mean 1.15.0?",
		">=1.15": "; did you mean '>=1.15.0'?", ">1.15": "; did you mean '>=1.16.0'?", "<2": "; did you mean '<2.0.0'?", "<=1.15": "; did you mean '<1.16.0'?",
		"^1.15": "; did you mean '>=1.15.0 <2.0.0'?", "^0.2.3": "; did you mean '>=0.2.3 <0.3.0'?", "^0.0.3": "; did you mean '>=0.0.3 <0.0.4'?", "^0": "; did you mean '>=0.0.0 <1.0.0'?",
		"~1.15": "; did you mean '>=1.15.0 <1.16.0'?", "~1.15.2": "; did you mean '>=1.15.2 <1.16.0'?", "~1": "; did you mean '>=1.0.0 <2.0.0'?",
		">=1.2.0,<2.0.0": "; did you mean '>=1.2.0 <2.0.0'?", ">=1.2 <2": "; did you mean '>=1.2.0 <2.0.0'?", "=>1.2.0": "; did you mean '>=1.2.0'?",
		">=2.0.0||<1.0.0": "; did you mean '>=2.0.0 || <1.0.0'?", "1.2 - 1.4": "; did you mean '>=1.2.0 <1.5.0'?", "*": "; did you mean '>=0.0.0'?",
		"newest": "", "": "", "!=1.2": "", ">=1.2.0 banana": "", "1.2.3.4": "",
	} {
		require.Equal(t, want, text.NearRange(in), "%q", in)
	}
}

// Every suggestion is valid.
func TestNearRangeIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringMatching(`(>=|<=|=>|=<|>|<|=|==|!=|\^|~|~>|!)? ?v?[0-9]{1,2}(\.([0-9]{1,2}|x|\*)){0,3}(-rc\.[01]{1,2})?( ?(,|\|\||-) ?[<>=^]{0,2}[0-9.x]{0,6})?`).Draw(t, "in")
		near := text.NearRange(in)
		if near == "" {
			return
		}
		for word := range quoted(near) {
			_, err := semver.ParseRange(word)
			require.NoError(t, err, "%q: %s", in, near)
		}
	})
}

// quoted returns the quoted texts.
func quoted(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i, part := range strings.Split(s, "'") {
			if i%2 == 1 && !yield(part) {
				return
			}
		}
	}
}
