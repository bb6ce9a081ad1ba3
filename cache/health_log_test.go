package cache_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
)

// A log has all that is known of a catalog's health, and nothing that is not.
func TestHealthInALog(t *testing.T) {
	keys := func(h cache.Health) (names []string) {
		for _, a := range h.LogValue().Group() {
			require.NotEqual(t, slog.Any(a.Key, time.Time{}).String(), a.String())
			names = append(names, a.Key)
		}
		return names
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	require.Equal(t, []string{
		"catalog", "priority", "available", "warm", "loading", "lastSuccess", "age", "lastFailure", "lastError", "failures",
		"failingSince", "next", "digest", "loaded", "modified", "packages", "bundles", "problems",
	}, keys(cache.Health{
		LastSuccess: at, LastFailure: at, LastError: errors.New("x"), FailingSince: at, Next: at, Digest: "d", Loaded: at, Modified: at,
	}))
	require.Equal(t, []string{
		"catalog", "priority", "available", "warm", "loading", "failures", "packages", "bundles", "problems",
	}, keys(cache.Health{}))
}
