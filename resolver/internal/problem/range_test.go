package problem

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRangesAreRemembered: a range is read once, until so many were that all are forgotten;
// what is no range is not remembered, and no memory is needed.
func TestRangesAreRemembered(t *testing.T) {
	var m Memory
	first, err := m.Range("^1.2")
	require.NoError(t, err)
	again, err := m.Range("^1.2")
	require.NoError(t, err)
	require.Same(t, first, again)

	for i := range 3 * maxRanges {
		_, err := m.Range(fmt.Sprintf("^%d", i))
		require.NoError(t, err)
		require.LessOrEqual(t, len(m.ranges), maxRanges)
	}
	again, err = m.Range("^1.2")
	require.NoError(t, err)
	require.NotSame(t, first, again)

	for range 2 {
		_, err = m.Range("no range")
		_, want := ParseRange("no range")
		require.Equal(t, want, err)
	}
	none, err := (*Memory)(nil).Range("")
	require.NoError(t, err)
	require.Nil(t, none)
}
