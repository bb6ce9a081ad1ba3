package fbc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// Of one file with many packages, one of which changed, all the others are shared
// with the catalog before.
func TestPackagesOfAFileAreShared(t *testing.T) {
	const packages = 40
	text := func(changed int) []byte {
		var b strings.Builder
		for i := range packages {
			image := "i"
			if i == changed {
				image = "j"
			}
			fmt.Fprintf(&b, `{"schema":"olm.package","name":"p%02d","defaultChannel":"x"}
{"schema":"olm.channel","package":"p%02d","name":"x","entries":[{"name":"p%02d.v1"}]}
{"schema":"olm.bundle","package":"p%02d","name":"p%02d.v1","image":%q,"properties":[{"type":"olm.package","value":{"packageName":"p%02d","version":"1.0.0"}}]}
`, i, i, i, i, i, image, i)
		}
		return []byte(b.String())
	}
	tree := fstest.MapFS{"c.jsonl": {Data: text(-1)}}
	source := fbc.Directory(tree, fbc.Options{})
	before, err := source.Load(context.Background(), nil)
	require.NoError(t, err)
	tree["c.jsonl"] = &fstest.MapFile{Data: text(packages / 2)}
	after, err := source.Load(context.Background(), before)
	require.NoError(t, err)
	for p := range after.Catalog.Packages() {
		old := before.Catalog.Package(p.Name)
		if p.Name == fmt.Sprintf("p%02d", packages/2) {
			require.Equal(t, "j", p.Bundles[0].Image)
		} else {
			require.Same(t, old, p)
		}
	}
}
