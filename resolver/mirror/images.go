package mirror

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// Images are the images of the bundles of a catalog, which a [cache.Catalog] does not
// keep: add each blob of the catalog. The zero value has none. It is not safe for
// concurrent use.
type Images struct {
	bundles map[bundleKey][]string // each its own image, perhaps empty, and those related to it
}

// vague reports whether an image has neither a tag nor a digest: oc-mirror cannot mirror it.
func vague(image string) bool {
	return image != "" && !strings.Contains(image, "://") && !strings.ContainsAny(image[strings.LastIndexByte(image, '/')+1:], ":@")
}

// Add takes the images of a bundle's blob. Any other blob is passed over, as is one that
// cannot be understood: whoever reads the catalog reports it.
func (m *Images) Add(blob fbc.Blob) {
	var b struct {
		Image         string
		RelatedImages []struct{ Image string }
	}
	if blob.Schema != graph.SchemaBundle || json.Unmarshal(blob.Raw, &b) != nil {
		return
	}
	list := []string{b.Image}
	for _, r := range b.RelatedImages {
		list = append(list, r.Image)
	}
	if m.bundles == nil {
		m.bundles = make(map[bundleKey][]string)
	}
	m.bundles[bundleKey{blob.Package, blob.Name}] = list
}

// images are all images of what is selected now, less those that are blocked. A bundle
// with a related image that cannot be mirrored is unresolved.
func (m *maker) images(ctx context.Context) []string {
	all := make(map[string]bool)
	for i, sel := range m.now {
		for _, p := range sel.Packages {
			for _, b := range p.Bundles {
				list := cmp.Or(m.whole[i].Images, new(Images)).bundles[bundleKey{p.Name, b}]
				var bad []string
				for k, image := range list {
					if ctx.Err() != nil {
						return nil
					}
					if image != "" && !slices.ContainsFunc(m.c.Blocked, func(re *regexp.Regexp) bool { return re.MatchString(image) }) {
						all[image] = true
					}
					if k > 0 && vague(image) {
						bad = text.AppendNew(bad, image)
					}
				}
				if len(bad) > 0 {
					m.unresolvedText(place{i, p.Name, "", b}, fmt.Sprintf("%s %s neither a tag nor a digest, and oc-mirror fails on the bundle",
						text.Plural(len(bad), "its related image ", "its related images ")+text.And(text.Names(bad)), text.Plural(len(bad), "has", "have")))
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}
