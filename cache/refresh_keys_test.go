package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// A key that is asked for several times is told of once, and keys in their order.
func TestRefreshOfKeysGivenTwice(t *testing.T) {
	c := testkit.Must(cache.New(cache.Config{}))(t)
	defer func() { require.NoError(t, c.Close()) }()
	a, b := cache.Key{Namespace: "ns", Name: "a"}, cache.Key{Namespace: "ns", Name: "b"}
	joined, ok := c.Refresh(t.Context(), b, a, b, a).(interface{ Unwrap() []error })
	require.True(t, ok)
	var keys []cache.Key
	for _, err := range joined.Unwrap() {
		unknown := testkit.As[*cache.UnknownSourceError](t, err)
		keys = append(keys, unknown.Key)
	}
	require.Equal(t, []cache.Key{a, b}, keys)
}
