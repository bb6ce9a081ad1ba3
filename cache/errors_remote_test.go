package cache_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
)

// TestRemoteErrorTexts: each error says what was wanted, what stood in the way, and what
// to do.
func TestRemoteErrorTexts(t *testing.T) {
	const image = "the image quay.io/ns/catalog:v1"
	refused := errors.New("connect: connection refused\x1b")
	for want, err := range map[string]error{
		`the image quay.io/ns/catalog:v1 cannot be read: quay.io answered the question for its manifest with status 429 (Too Many Requests) and "slow": ask less often, or with a credential, in 7s as it asks`: &cache.StatusError{
			Source: image, Host: "quay.io", What: "manifest", Code: 429, Excerpt: "slow", Wait: 7 * time.Second, Advice: "ask less often, or with a credential"},
		`the catalog at https://a.b/api/v1/all cannot be read: a.b answered with status 799: try again later`: &cache.StatusError{
			Source: "the catalog at https://a.b/api/v1/all", Host: "a.b", Code: 799, Advice: "try again later"},
		`the image quay.io/ns/catalog:v1 cannot be read: timed out after 30s waiting for an answer from quay.io: try again later, or look for a proxy or firewall in between`: &cache.TimeoutError{
			Source: image, Host: "quay.io", Waiting: "an answer", Limit: 30 * time.Second},
		`the catalog at a:1 cannot be read: timed out after 1s waiting for a connection from a:1: try again later, or look for a proxy or firewall in between (connect: connection refused\x1b)`: &cache.TimeoutError{
			Source: "the catalog at a:1", Host: "a:1", Waiting: "a connection", Limit: time.Second, Err: refused},
		`the image quay.io/ns/catalog:v1 has more than 7 entries in its layers (passed in layer 2, entry "x"): if it can be trusted, raise Limits.MaxEntries`: &cache.LimitError{
			Source: image, Limit: "MaxEntries", Max: 7, What: "entries in its layers", At: `layer 2, entry "x"`, Advice: "if it can be trusted, raise Limits.MaxEntries"},
	} {
		require.Equal(t, want, err.Error())
	}
	late := &cache.TimeoutError{Waiting: "an answer", Err: refused}
	require.True(t, late.Timeout())
	require.ErrorIs(t, late, refused)
	require.NotErrorIs(t, late, context.DeadlineExceeded, "that is the end of a context")
	require.ErrorIs(t, &cache.TimeoutError{}, context.DeadlineExceeded)
}
