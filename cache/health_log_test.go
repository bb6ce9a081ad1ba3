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
		"ageSeconds", "available", "bundles", "catalog", "digest", "failingSince", "failures", "lastError", "lastFailure", "lastSuccess",
		"loaded", "loading", "modified", "next", "packages", "priority", "problems", "warm",
	}, keys(cache.Health{
		LastSuccess: at, Age: time.Second, LastFailure: at, LastError: errors.New("x"), Failures: 1, FailingSince: at, Next: at, Digest: "d",
		Loaded: at, Modified: at, Warm: true, Loading: true,
	}))
	require.Equal(t, []string{"available", "bundles", "catalog", "packages", "priority", "problems"}, keys(cache.Health{}))
}
