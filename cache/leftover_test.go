package cache

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestNothingLeftBehind checks unexported state: removed sources, readers and callers are in
// none of the lists.
func TestNothingLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testkit.Must(New(Config{}))(t)
		memory := NewMemory(NewCatalog(nil, nil))
		key := Key{Namespace: "olm", Name: "community"}
		for range 100 {
			require.NoError(t, c.Add(SourceConfig{Key: key, Source: memory}))
			ctx, cancel := context.WithCancel(t.Context())
			c.Changes(ctx)
			require.NoError(t, c.Refresh(ctx))
			cancel()
			require.True(t, c.Remove(key))
		}
		synctest.Wait()
		require.Empty(t, c.entries)
		require.Empty(t, c.leaving)
		require.Empty(t, c.running)
		require.Empty(t, c.listeners.all)
		require.Empty(t, c.slots)
		require.Zero(t, c.active)
		require.Empty(t, memory.changed.all)
		require.NoError(t, c.Close())
	})
}
