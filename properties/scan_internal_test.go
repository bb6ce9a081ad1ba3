package properties

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLengthOfVersions: a version of just the length that is allowed is one, and
// one byte more is too long; ranges likewise.
func TestLengthOfVersions(t *testing.T) {
	version := "1.0.0-" + strings.Repeat("a", MaxVersionLength-len("1.0.0-"))
	_, err := ParseVersion(version)
	require.NoError(t, err)
	_, err = ParseVersion(version + "a")
	require.ErrorContains(t, err, "longer than the 256 bytes")
	list := strings.Repeat(" ", MaxRangeLength-len(">=1.0.0")) + ">=1.0.0"
	_, err = ParseRange(list)
	require.NoError(t, err)
	_, err = ParseRange(list + " ")
	require.Error(t, err)
}

// TestInternedOnce: one value is one property, whatever white space it is written
// with, and the text of its type is shared.
func TestInternedOnce(t *testing.T) {
	in := NewInterner()
	first, err := in.Property("x", []byte(`{"a":1}`))
	require.NoError(t, err)
	for _, same := range []string{`{"a":1}`, `{ "a": 1 }`, `{ "a": 1 }`} {
		p, err := in.Property("x", []byte(same))
		require.NoError(t, err)
		require.Same(t, first, p)
	}
	fresh, err := in.Fresh("x", []byte(`{"a":1}`))
	require.NoError(t, err)
	require.NotSame(t, first, fresh)
	require.Equal(t, first.Type(), fresh.Type())
}
