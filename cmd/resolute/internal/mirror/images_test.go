package mirror_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// planOf makes a plan of one catalog.
func planOf(t *testing.T, c *mirror.Configuration, of mirror.Catalog) *mirror.Plan {
	of.Ref = indexRef
	return testkit.Must(mirror.Make(t.Context(), resolver.New(), c, mirror.Options{Catalogs: []mirror.Catalog{of}}))(t)
}

// TestImages: a plan lists the images of what is selected, each once, but for those that
// the configuration blocks.
func TestImages(t *testing.T) {
	images := new(mirror.Images)
	for name, raw := range map[string]string{
		"foo.v2": `{"image":"r.example/foo:2","relatedImages":[{"image":"r.example/db:1"},{"image":"r.example/foo:2"},{"image":""},{"image":"r.example/old/tool:1"}]}`,
		"foo.v1": `{"image":"r.example/foo:1"}`,
		"bar.v1": `{"relatedImages":[{"image":"r.example/db:1"}]}`,
		"baz.v1": `{"image":`,
	} {
		pkg, _, _ := strings.Cut(name, ".")
		images.Add(fbc.Blob{Schema: "olm.bundle", Package: pkg, Name: name, Raw: []byte(raw)})
		images.Add(fbc.Blob{Schema: "olm.channel", Package: pkg, Name: name, Raw: []byte(`{"image":"r.example/no:1"}`)})
	}
	content := universe.Content(t, "foo/stable foo.v1 foo.v2\nbar/stable bar.v1\nbaz/stable baz.v1")
	c := configuration(t, false, nil)
	c.Blocked = []*regexp.Regexp{regexp.MustCompile("/old/")}
	plan := planOf(t, c, mirror.Catalog{Content: content, Images: images})
	require.Equal(t, []string{"r.example/db:1", "r.example/foo:2"}, plan.Images)
	require.Empty(t, planOf(t, c, mirror.Catalog{Content: content}).Images, "nobody said")
}

// TestBlockedBundle: a bundle whose own image is blocked cannot be installed.
func TestBlockedBundle(t *testing.T) {
	images := new(mirror.Images)
	images.Add(fbc.Blob{Schema: "olm.bundle", Package: "foo", Name: "foo.v1", Raw: []byte(`{"image":"r.example/foo:1","relatedImages":[{"image":"r.example/db:1"}]}`)})
	c := configuration(t, false, nil)
	c.Blocked = []*regexp.Regexp{regexp.MustCompile("/foo:")}
	plan := planOf(t, c, mirror.Catalog{Content: universe.Content(t, "foo/stable foo.v1"), Images: images})
	require.Len(t, plan.Unresolved, 1)
	require.Contains(t, plan.Unresolved[0].Conflict.Text(), "the configuration blocks it")
	require.Equal(t, []string{"r.example/db:1"}, plan.Images)
}

// TestVagueImages: a related image without tag or digest is an error of its bundle.
func TestVagueImages(t *testing.T) {
	images := new(mirror.Images)
	for name, raw := range map[string]string{
		"foo.v1": `{"image":"r.example/foo:1","relatedImages":[{"image":"r.example:5000/db"},{"image":"r.example/ok@sha256:00"},{"image":""}]}`,
		"foo.v0": `{"relatedImages":[{"image":"r.example/notSelected"}]}`,
	} {
		images.Add(fbc.Blob{Schema: "olm.bundle", Package: "foo", Name: name, Raw: []byte(raw)})
	}
	content := universe.Content(t, "foo/stable foo.v0 foo.v1")
	plan := planOf(t, configuration(t, false, nil), mirror.Catalog{Content: content, Images: images})
	require.Len(t, plan.Unresolved, 1)
	require.Equal(t, "foo.v1", plan.Unresolved[0].Bundle)
	require.Contains(t, plan.Unresolved[0].Conflict.Text(), "its related image r.example:5000/db has neither a tag nor a digest")
	require.False(t, plan.Clean())
}
