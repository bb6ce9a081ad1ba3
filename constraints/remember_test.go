package constraints

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemoryForgets(t *testing.T) {
	const most = 100
	m := memory[int, string]{most: most}
	calls := 0
	get := func(i int) string {
		s, err := m.get(i, func() (string, error) { calls++; return strconv.Itoa(i), nil })
		require.NoError(t, err)
		return s
	}
	for i := range most {
		require.Equal(t, strconv.Itoa(i), get(i))
	}
	get(0)
	require.Equal(t, most, calls)
	get(most)
	require.Len(t, m.m, 1)
	require.Equal(t, "0", get(0))
	require.Equal(t, most+2, calls)
}
