package mirror_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// TestVeryLargeChannel: what is selected of a channel looks at the context for each of its
// entries; and the narrowest range of one whose highest versions are at both ends,
// where each version could be the lower end of the range, is looked for with bounded work.
func TestVeryLargeChannel(t *testing.T) {
	const n = 3000
	text := "p/c"
	for i := range n {
		text += fmt.Sprintf(" p.v1.%d.0", i)
	}
	content := universe.Content(t, fmt.Sprintf("%s\nbundle p.v1.0.0 version=1.%d.0\nbundle p.v1.%d.0 version=1.%d.0", text, n, n-1, 2*n-1))
	o := mirror.Operator{Catalog: "q.io/c", Packages: []mirror.Package{{Name: "p", MinVersion: "1.0.0"}}}
	ctx := &testkit.CountingContext{Context: t.Context()}
	require.Len(t, testkit.Must(mirror.Select(ctx, content, o))(t).Packages[0].Bundles, n)
	require.Greater(t, ctx.Count.Load(), int64(n))

	_, err := mirror.Select(testkit.Ended(), content, o)
	require.ErrorIs(t, err, context.Canceled)

	ctx = &testkit.CountingContext{Context: t.Context()}
	_, err = mirror.Make(ctx, resolver.New(resolver.WithLimits(resolver.Limits{Bundles: 1})), &mirror.Configuration{Operators: []mirror.Operator{o}},
		mirror.Options{Catalogs: []mirror.Catalog{{Ref: "q.io/c", Content: content}}})
	var stopped *resolver.IncompleteError
	require.ErrorAs(t, err, &stopped, "the plan is not needed")
	require.Less(t, ctx.Count.Load(), int64(n*n/3))
}

// TestManyImages: what a bundle needs is looked up, and not looked for among all before it:
// with that, this took minutes. The context that ends while images are listed is an error.
func TestManyImages(t *testing.T) {
	const n = 100_000
	list := make([]map[string]string, 2*n)
	for i := range list {
		list[i] = map[string]string{"image": fmt.Sprintf("q.io/i@%d", i/2)}
	}
	bundle := testkit.Must(json.Marshal(map[string]any{"image": "q.io/i@0", "relatedImages": list}))(t)
	content := universe.Content(t, "p/c p.v0 p.v1\nproperty p.v0 olm.gvk 7")
	images := new(mirror.Images)
	images.Add(fbc.Blob{Schema: "olm.bundle", Package: "p", Name: "p.v1", Raw: bundle})
	ctx := &testkit.CountingContext{Context: t.Context()}
	plan, err := mirror.Make(ctx, resolver.New(), &mirror.Configuration{Operators: []mirror.Operator{{Catalog: "q.io/c", Full: true}}},
		mirror.Options{Catalogs: []mirror.Catalog{{Ref: "q.io/c", Content: content, Images: images}}})
	require.NoError(t, err)
	require.Len(t, plan.Images, n)
	require.Greater(t, ctx.Count.Load(), int64(n))
}

// TestStops: wherever the context ends, that is the error, and never half a plan.
func TestStops(t *testing.T) {
	// foo needs what is not selected, and its lower end does not lead to the head.
	content := universe.Content(t, `
		foo/x foo.v1.0.0 foo.v2 foo.v3
		bundle foo.v2 needs=gone@>=1.0.0
		bundle foo.v3 needs=bar@<2.0.0-0
		bar/x bar.v1 bar.v2
		bundle bar.v1 version=1.0.0-rc1`)
	isc := configuration(t, false, []string{"{name: foo, channels: [{name: x, minVersion: 1.0.0}]}"})
	opts := mirror.Options{Catalogs: []mirror.Catalog{{Ref: indexRef, Content: content}}, Installed: cluster([]string{"foo.v1.0.0 by foo in x"})}
	growth.StopsAnywhere(t, func(ctx context.Context) error {
		plan, err := mirror.Make(ctx, resolver.New(), isc, opts)
		if err == nil {
			require.NotEmpty(t, plan.Unresolved)
			require.Equal(t, "bar.v1", plan.Added[0].Bundle)
		}
		return err
	})
}
