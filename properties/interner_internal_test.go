package properties

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInternerForgets: what an interner remembers to find values of
// Compatibility again is bounded in number and size.
func TestInternerForgets(t *testing.T) {
	in := NewInterner()
	for i := range 3 * mostCompatibilities {
		c, err := in.Compatibility(fmt.Appendf(nil, `{"minKubeVersion":"1.0.%d"}`, i))
		require.NoError(t, err)
		require.Equal(t, uint64(i), c.MinKubeVersion.Version.Patch)
	}
	require.LessOrEqual(t, len(in.metadata), mostCompatibilities)
	require.LessOrEqual(t, len(in.saying), mostCompatibilities)

	in = NewInterner()
	long := []byte(`{"nativeAPIs":[`)
	for range 200 {
		long = append(long, `{"version":"v1","kind":"Secret"},`...)
	}
	long = append(long, `{"version":"v1","kind":"Secret"}]}`...)
	c, err := in.Compatibility(long)
	require.NoError(t, err)
	require.Len(t, c.NativeAPIs, 201)
	require.Empty(t, in.metadata)
}
