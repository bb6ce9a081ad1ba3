package mirror_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/mirror"
)

// looks counts how often a context is looked at.
type looks struct {
	context.Context
	n int
}

func (l *looks) Err() error { l.n++; return l.Context.Err() }

// TestVeryLargeChannel: what is selected of a channel looks at the context for each of its
// entries; and the narrowest range of one whose highest versions are at both ends,
// where each version could be the lower end of the range, is looked for with bounded work.
func TestVeryLargeChannel(t *testing.T) {
	const n = 3000
	blobs := []json.RawMessage{json.RawMessage(`{"schema":"olm.package","name":"p","defaultChannel":"c"}`)}
	entries := make([]map[string]string, n)
	for i := range n {
		version := i
		if i == 0 || i == n-1 {
			version += n
		}
		name := fmt.Sprintf("p.v%d", i)
		entries[i] = map[string]string{"name": name}
		if i > 0 {
			entries[i]["replaces"] = fmt.Sprintf("p.v%d", i-1)
		}
		blobs = append(blobs, fmt.Appendf(nil, `{"schema":"olm.bundle","package":"p","name":%q,"properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.%d.0"}}]}`, name, version))
	}
	channel, err := json.Marshal(map[string]any{"schema": "olm.channel", "package": "p", "name": "c", "entries": entries})
	require.NoError(t, err)
	content := testkit.Must(fbc.FromBlobs(t.Context(), append(blobs, channel), fbc.Options{}))(t)
	o := mirror.Operator{Catalog: "q.io/c", Packages: []mirror.Package{{Name: "p", MinVersion: "1.0.0"}}}
	ctx := &looks{Context: t.Context()}
	sel := testkit.Must(mirror.Select(ctx, content, o))(t)
	require.Len(t, sel.Packages[0].Bundles, n)
	require.Greater(t, ctx.n, n)

	ended, end := context.WithCancel(t.Context())
	end()
	_, err = mirror.Select(ended, content, o)
	require.ErrorIs(t, err, context.Canceled)

	ctx = &looks{Context: t.Context()}
	_, err = mirror.Make(ctx, resolver.New(resolver.WithLimits(resolver.Limits{Bundles: 1})), &mirror.Configuration{Operators: []mirror.Operator{o}},
		mirror.Options{Catalogs: []mirror.Catalog{{Ref: "q.io/c", Content: content}}})
	var stopped *resolver.IncompleteError
	require.ErrorAs(t, err, &stopped, "the plan is not needed")
	require.Less(t, ctx.n, n*n/3)
}

// TestManyImages: what a bundle needs is looked up, and not looked for among all before it:
// with that, this took minutes. The context that ends while images are listed is an error.
func TestManyImages(t *testing.T) {
	const n = 100_000
	list := make([]map[string]string, 2*n)
	for i := range list {
		list[i] = map[string]string{"image": fmt.Sprintf("q.io/i@%d", i/2)}
	}
	bundle, err := json.Marshal(map[string]any{"schema": "olm.bundle", "package": "p", "name": "p.v1", "image": "q.io/i@0", "relatedImages": list,
		"properties": []any{map[string]any{"type": "olm.package", "value": map[string]string{"packageName": "p", "version": "1.0.0"}}}})
	require.NoError(t, err)
	content, err := fbc.FromBlobs(t.Context(), []json.RawMessage{bundle, json.RawMessage(`{"schema":"olm.package","name":"p","defaultChannel":"c"}`),
		json.RawMessage(`{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v1"}]}`)}, fbc.Options{})
	require.NoError(t, err)
	images := new(mirror.Images)
	images.Add(fbc.Blob{Schema: "olm.bundle", Package: "p", Name: "p.v1", Raw: bundle})
	ctx := &looks{Context: t.Context()}
	plan, err := mirror.Make(ctx, resolver.New(), &mirror.Configuration{Operators: []mirror.Operator{{Catalog: "q.io/c"}}},
		mirror.Options{Catalogs: []mirror.Catalog{{Ref: "q.io/c", Content: content, Images: images}}})
	require.NoError(t, err)
	require.Len(t, plan.Images, n)
	require.Greater(t, ctx.n, n)
}
