package fbc_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// A server gets the validator of the current content, in this process
// or from an earlier one, but only if the same settings made it.
func TestStreamAsksWithItsValidator(t *testing.T) {
	ctx := context.Background()
	var asked []string
	fetch := func(_ context.Context, validator string) (*fbc.Fetched, error) {
		asked = append(asked, validator)
		if validator == "v1" {
			return &fbc.Fetched{NotModified: true}, nil
		}
		return &fbc.Fetched{Body: io.NopCloser(bytes.NewReader(testkit.Gzip(goodLines))), Validator: "v1"}, nil
	}
	source := fbc.Stream("s", fetch, fbc.Options{})
	first := testkit.Must(source.Load(ctx, nil))(t)
	again := testkit.Must(source.Load(ctx, first))(t)
	require.Same(t, first, again)

	saved := &cache.Content{Catalog: first.Catalog, Digest: first.Digest, Validator: first.Validator}
	again = testkit.Must(fbc.Stream("s", fetch, fbc.Options{}).Load(ctx, saved))(t)
	require.Same(t, saved, again)
	for _, other := range []cache.Source{
		fbc.Stream("t", fetch, fbc.Options{}), fbc.Stream("s", fetch, fbc.Options{DropProperties: []string{"olm.gvk"}}),
	} {
		again = testkit.Must(other.Load(ctx, saved))(t)
		require.NotSame(t, saved, again)
	}
	require.Equal(t, []string{"", "v1", "v1", "", ""}, asked)
}

// TestStreamFlips: a server that flips between two states, lies that nothing
// changed, and sends a half now and then, gives one of its states each time, whole.
func TestStreamFlips(t *testing.T) {
	other := strings.ReplaceAll(goodLines, "2.0.0", "3.0.0")
	states := []string{goodLines, other}
	for name, validators := range map[string][]string{"validators": {"a", "b"}, "none": {"", ""}, "one for both": {"a", "a"}} {
		t.Run(name, func(t *testing.T) {
			n, sent := 0, ""
			source := fbc.Stream("s", func(_ context.Context, validator string) (*fbc.Fetched, error) {
				n++
				now := n % 2
				switch {
				case n%5 == 0:
					return &fbc.Fetched{Body: io.NopCloser(strings.NewReader(states[now][:len(states[now])-30])), Validator: validators[now]}, nil
				case validator != "" && n%7 == 0:
					return &fbc.Fetched{NotModified: true}, nil // whatever it has now
				}
				sent = states[now]
				return &fbc.Fetched{Body: io.NopCloser(strings.NewReader(sent)), Validator: validators[now]}, nil
			}, fbc.Options{})
			digests := map[string]string{}
			var last *cache.Content
			for range 40 {
				c, err := source.Load(context.Background(), last)
				if n%5 == 0 {
					testkit.As[*fbc.CutError](t, err)
					continue
				}
				require.NoError(t, err)
				require.Empty(t, c.Catalog.Problems())
				version := c.Catalog.Package("etcd").Bundle("etcd.v2").Version.String()
				require.Equal(t, strings.Contains(sent, "3.0.0"), version == "3.0.0", "load %d", n)
				if digests[version] == "" {
					digests[version] = c.Digest
				}
				require.Equal(t, digests[version], c.Digest, "a state has one digest")
				last = c
			}
			require.Len(t, digests, 2)
			require.NotEqual(t, digests["2.0.0"], digests["3.0.0"])
		})
	}
}
