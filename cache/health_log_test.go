package cache_test

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
)

// TestHealthInALog: a source that fails logs since when and why; what is not known
// is left out.
func TestHealthInALog(t *testing.T) {
	line := func(h cache.Health) string {
		var b bytes.Buffer
		slog.New(slog.NewTextHandler(&b, nil)).Info("health", "of", h)
		return b.String()
	}
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	failing := line(cache.Health{
		Key: cache.Key{Namespace: "olm", Name: "community"}, LastSuccess: at, Age: time.Minute, LastFailure: at.Add(time.Minute),
		LastError: errors.New("the server is gone"), Failures: 3, FailingSince: at.Add(30 * time.Second), Digest: "sha256:1",
	})
	for _, part := range []string{
		"of.catalog=olm/community", "of.available=false", "of.lastSuccess=2026-01-31T12:00:00.000Z", "of.age=1m0s",
		"of.lastFailure=2026-01-31T12:01:00.000Z", `of.lastError="the server is gone"`, "of.failures=3",
		"of.failingSince=2026-01-31T12:00:30.000Z", "of.digest=sha256:1",
	} {
		require.Contains(t, failing, part)
	}
	fresh := line(cache.Health{Key: cache.Key{Namespace: "olm", Name: "community"}, Available: true})
	require.Contains(t, fresh, "of.available=true")
	for _, part := range []string{"lastError", "lastSuccess", "failingSince", "digest", "age"} {
		require.NotContains(t, fresh, "of."+part)
	}
}
