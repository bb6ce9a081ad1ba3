package fbc_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
)

// A far end is asked with the validator of what is there already, in this process
// or from an earlier one, but only if the same settings made it.
func TestStreamAsksWithItsValidator(t *testing.T) {
	ctx := context.Background()
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := w.Write([]byte(goodLines))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	var asked []string
	fetch := func(_ context.Context, validator string) (*fbc.Fetched, error) {
		asked = append(asked, validator)
		if validator == "v1" {
			return &fbc.Fetched{NotModified: true}, nil
		}
		return &fbc.Fetched{Body: io.NopCloser(bytes.NewReader(zipped.Bytes())), Validator: "v1"}, nil
	}
	source := fbc.Stream("s", fetch, fbc.Options{})
	first, err := source.Load(ctx, nil)
	require.NoError(t, err)
	again, err := source.Load(ctx, first)
	require.NoError(t, err)
	require.Same(t, first, again)

	saved := &cache.Content{Catalog: first.Catalog, Digest: first.Digest, Validator: first.Validator}
	again, err = fbc.Stream("s", fetch, fbc.Options{}).Load(ctx, saved)
	require.NoError(t, err)
	require.Same(t, saved, again)
	for _, other := range []cache.Source{
		fbc.Stream("t", fetch, fbc.Options{}), fbc.Stream("s", fetch, fbc.Options{DropProperties: []string{"olm.gvk"}}),
	} {
		again, err = other.Load(ctx, saved)
		require.NoError(t, err)
		require.NotSame(t, saved, again)
	}
	require.Equal(t, []string{"", "v1", "v1", "", ""}, asked)
}
