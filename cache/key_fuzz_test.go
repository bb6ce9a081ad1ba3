package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
)

// FuzzParseKey: a text is a key or is refused, and a key is written as it was
// read.
func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"olm/community", "", "/", "a/", "/b", "a/b/c", "../x", "a\x00/b", "\u202ea/b", "\xff/\xfe"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, err := cache.ParseKey(s)
		if err != nil {
			require.True(t, k.IsZero())
			for _, r := range err.Error() {
				require.True(t, r >= ' ' && r != 0x7f && r != 0x202e, "%U in %q", r, err)
			}
			return
		}
		require.Equal(t, s, k.String())
		require.NotEmpty(t, k.Namespace)
		require.NotEmpty(t, k.Name)
		require.Zero(t, k.Compare(k))
	})
}
