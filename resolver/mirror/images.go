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
	bundles map[bundleKey][]string
	vague   map[bundleKey][]string // related images that oc-mirror cannot mirror
}

// vague reports whether an image has neither a tag nor a digest.
func vague(image string) bool {
	return image != "" && !strings.Contains(image, "://") && !strings.ContainsAny(image[strings.LastIndexByte(image, '/')+1:], ":@")
}

// Add takes the images of a bundle's blob. Any other blob is passed over, as is one that
// cannot be understood: whoever reads the catalog reports it.
func (m *Images) Add(blob fbc.Blob) {
	if blob.Schema != graph.SchemaBundle {
		return
	}
	var b struct {
		Image         string
		RelatedImages []struct{ Image string }
	}
	if json.Unmarshal(blob.Raw, &b) != nil {
		return
	}
	var list []string
	seen := map[string]bool{"": true}
	for _, r := range append([]struct{ Image string }{{b.Image}}, b.RelatedImages...) {
		if !seen[r.Image] {
			seen[r.Image] = true
			list = append(list, r.Image)
		}
	}
	if m.bundles == nil {
		m.bundles, m.vague = make(map[bundleKey][]string), make(map[bundleKey][]string)
	}
	of := bundleKey{blob.Package, blob.Name}
	m.bundles[of] = list
	for _, r := range b.RelatedImages {
		if vague(r.Image) {
			m.vague[of] = text.AppendNew(m.vague[of], r.Image)
		}
	}
}

// images are all images of what is selected now, less those that are blocked. A bundle
// with a related image that cannot be mirrored is unresolved.
func (m *maker) images(ctx context.Context) []string {
	var blocked []*regexp.Regexp
	for _, b := range m.c.Blocked {
		if re, err := regexp.Compile(b); err == nil {
			blocked = append(blocked, re)
		}
	}
	all := make(map[string]bool)
	for i, sel := range m.now {
		images := cmp.Or(m.whole[i].Images, new(Images))
		for _, p := range sel.Packages {
			for _, b := range p.Bundles {
				if list := images.vague[bundleKey{p.Name, b}]; len(list) > 0 {
					m.unresolvedText(place{i, p.Name, "", b}, fmt.Sprintf("%s %s neither a tag nor a digest, and oc-mirror fails on the bundle",
						text.Plural(len(list), "its related image ", "its related images ")+text.And(text.Names(list)), text.Plural(len(list), "has", "have")))
				}
				for _, image := range images.bundles[bundleKey{p.Name, b}] {
					if ctx.Err() != nil {
						return nil
					}
					if !slices.ContainsFunc(blocked, func(re *regexp.Regexp) bool { return re.MatchString(image) }) {
						all[image] = true
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}
