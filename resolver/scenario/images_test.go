package scenario_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// images are images as a program may provide them: one that holds a catalog, and
// a reason not to read it. cache/image and examples/resolute try real ones.
type images struct {
	refuse error
	asked  atomic.Int32
	dir    string
}

func (i *images) IsReference(text string) bool { return strings.HasPrefix(text, "docker://") }

func (i *images) Allow(string) error { return i.refuse }

func (i *images) Catalog(ctx context.Context, reference, dir string, opts fbc.Options) (*cache.Catalog, error) {
	i.asked.Add(1)
	i.dir = dir
	if strings.Contains(reference, "nowhere") {
		return nil, errors.New("there is no such image")
	}
	return fbc.FromBlobs(ctx, []json.RawMessage{
		json.RawMessage(`{"schema":"olm.package","name":"a","defaultChannel":"c"}`),
		json.RawMessage(`{"schema":"olm.channel","package":"a","name":"c","entries":[{"name":"a.v1"}]}`),
		json.RawMessage(`{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}]}`),
	}, opts)
}

const withImage = `
catalogs:
- {name: far, image: "quay.io/ns/catalog:v1"}
subscriptions:
- {name: a, package: a}
`

func TestImages(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "s.yaml")
	require.NoError(t, os.WriteFile(file, []byte(withImage), 0o600))
	s := testkit.Must(scenario.ReadFile(t.Context(), file))(t)

	far := &images{}
	runner := &scenario.Runner{Loader: &scenario.Loader{Images: far}}
	for range 2 { // what was read is shared
		answer := runner.Run(t.Context(), s)
		require.Equal(t, scenario.Resolved, answer.Status, answer.Error)
		require.Equal(t, []string{"a.v1"}, answer.Set)
	}
	require.EqualValues(t, 1, far.asked.Load())
	require.Equal(t, dir, far.dir)

	// Nobody is asked without permission, and the error says where the image is named.
	for _, loader := range []*scenario.Loader{{}, {Images: &images{refuse: errors.New("not without --please")}}} {
		_, err := loader.Load(t.Context(), s)
		wrong := testkit.As[*scenario.Error](t, err)
		require.Len(t, wrong.Problems, 1)
		require.Equal(t, 3, wrong.Problems[0].Line)
		require.Equal(t, "catalogs[0].image", wrong.Problems[0].Path)
		if loader.Images != nil {
			require.ErrorContains(t, err, "not without --please")
			require.Zero(t, loader.Images.(*images).asked.Load())
		}
	}

	// An image that cannot be read is a catalog that is unavailable.
	s.Catalogs[0].Image = "quay.io/ns/nowhere"
	loaded := testkit.Must((&scenario.Loader{Images: far}).Load(t.Context(), s))(t)
	require.ErrorContains(t, loaded.Request.Catalogs[0].Unavailable, "no such image")
}

// A path of a scenario is never taken for an image, and that of a caller is.
func TestPathIsNoImage(t *testing.T) {
	far := &images{}
	loader := &scenario.Loader{Images: far}
	s := testkit.Must(scenario.Parse(t.Context(), "s.yaml", []byte(`catalogs: [{name: far, path: "docker://a/b"}]`)))(t)
	loaded := testkit.Must(loader.Load(t.Context(), s))(t)
	require.ErrorIs(t, loaded.Request.Catalogs[0].Unavailable, os.ErrNotExist)
	require.Zero(t, far.asked.Load())
	c := testkit.Must(loader.Catalog(t.Context(), cache.Key{}, "docker://a/b"))(t)
	require.Equal(t, 1, c.Len())
}

// A file of a file system does not lead out of it.
func TestImageInFileSystem(t *testing.T) {
	fsys := fstest.MapFS{"s.yaml": {Data: []byte(`catalogs: [{name: far, image: "oci:layout"}]`)}}
	s := testkit.Must(scenario.Read(t.Context(), fsys, "s.yaml"))(t)
	_, err := (&scenario.Loader{Images: &images{}}).Load(t.Context(), s)
	require.ErrorContains(t, err, "leads out of the file system")
}
