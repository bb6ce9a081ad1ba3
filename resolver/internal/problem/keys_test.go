package problem

import (
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIndexFollowsItsList: an index finds what a scan of the list finds, in the same order,
// after each growth and each shrinking.
func TestIndexFollowsItsList(t *testing.T) {
	const most = 20
	key := func(i int) Key { return Key{kind: keyAPI, id: int32(i)} }
	keys := func(i int) iter.Seq[Key] { return slices.Values([]Key{key(i % 2), key(i % 3), key(i % 3)}) }
	var x Index
	for _, size := range []int{0, 5, most, 7, 8, 0, 3, most} {
		x.Shrink(size, keys)
		x.Grow(size, keys)
		for _, asked := range [][]Key{nil, {key(0)}, {key(1), key(0)}, {key(2)}, {key(1), key(2), key(5)}} {
			var want []int32
			for i := range size {
				if slices.ContainsFunc(slices.Collect(keys(i)), func(k Key) bool { return slices.Contains(asked, k) }) {
					want = append(want, int32(i))
				}
			}
			got := x.Find(slices.Values(asked))
			require.Equal(t, len(want), len(got))
			require.True(t, slices.Equal(want, got), "%v at %d: %v, not %v", asked, size, got, want)
		}
	}
}
