package cache_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
)

// warmed is a script with content of an earlier process.
type warmed struct {
	*script
	warm func(context.Context) (*cache.Content, error)
}

// Warm implements cache.Warmer.
func (w warmed) Warm(ctx context.Context) (*cache.Content, error) { return w.warm(ctx) }

// gives1 returns a Warm with that result.
func gives1(c *cache.Content, err error) func(context.Context) (*cache.Content, error) {
	return func(context.Context) (*cache.Content, error) { return c, err }
}

// TestNothingWarm: missing warm content is not a failure of the source, whatever the reason.
func TestNothingWarm(t *testing.T) {
	for name, warm := range map[string]func(context.Context) (*cache.Content, error){
		"nothing":    gives1(nil, nil),
		"error":      gives1(nil, errors.New("the file is damaged")),
		"no digest":  gives1(&cache.Content{Catalog: numbered(3).Catalog}, nil),
		"no catalog": gives1(&cache.Content{Digest: "sha256:00"}, nil),
		"panic":      func(context.Context) (*cache.Content, error) { panic("oops") },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := scripted(takes(time.Minute, numbered(1)))
				c := one(t, cache.SourceConfig{Source: warmed{s, warm}})
				began := time.Now()
				require.Same(t, numbered(1).Catalog, see(t, c, community).Content)
				require.Equal(t, time.Minute, time.Since(began))
				require.Nil(t, s.handed()[0])
				require.NoError(t, health(t, c, community).LastError)
			})
		})
	}
}
