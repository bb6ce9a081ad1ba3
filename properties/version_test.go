package properties_test

import (
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/properties"
)

// A version is what the library makes of it, however plainly it is written.
func TestParseVersionAsTheLibraryDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`[0-9]{0,3}\.[0-9]{0,11}\.(0|[1-9][0-9]{0,21})`),
			rapid.StringMatching(`[0-9.]{0,7}`),
			rapid.StringMatching(`[0-9]\.[0-9]\.[0-9][-+.a0 ]{0,4}`),
		).Draw(t, "text")
		want, wrong := semver.Parse(text)
		got, err := properties.ParseVersion(text)
		require.Equal(t, wrong == nil, err == nil, text)
		if wrong == nil {
			require.Equal(t, want, got)
		}
	})
}
