package cache_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// notifying is a source that tells of changes, or panics when it is asked to.
type notifying struct {
	cache.Source
	panics bool
}

func (n notifying) Changed(context.Context) <-chan struct{} {
	if n.panics {
		panic("no ears")
	}
	return nil
}

// TestNotifierThatPanics: it is loaded all the same, and a warning says that its
// changes will not be noticed. There is none for one that does not panic.
func TestNotifierThatPanics(t *testing.T) {
	for _, panics := range []bool{true, false} {
		var log bytes.Buffer
		c, err := cache.New(cache.Config{
			Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
			Sources: []cache.SourceConfig{{
				Key: cache.Key{Namespace: "olm", Name: "c"}, Source: notifying{cache.NewMemory(cache.NewCatalog(nil, nil)), panics},
			}},
		})
		require.NoError(t, err)
		s := testkit.Must(c.Snapshot(t.Context()))(t)
		require.NoError(t, s.Catalogs()[0].Unavailable)
		require.NoError(t, c.Close())
		if panics {
			require.Contains(t, log.String(), "cannot tell of changes")
			require.Contains(t, log.String(), "no ears")
		} else {
			require.Empty(t, log.String())
		}
	}
}
