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

// Images has the images of the bundles of a catalog, which a [cache.Catalog] does not keep: add
// each blob of the catalog. The zero value has none. It is not safe for concurrent use.
type Images struct {
	bundles map[bundleKey][]string // the image of each bundle, perhaps empty, and its related images
}

// vague reports whether an image has neither a tag nor a digest: oc-mirror cannot mirror it.
func vague(image string) bool {
	return image != "" && !strings.Contains(image, "://") && !strings.ContainsAny(image[strings.LastIndexByte(image, '/')+1:], ":@")
}

// Add adds the images of a bundle blob. It ignores other blobs, and those that cannot be parsed,
// which reading the catalog reports.
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

// unmirrored maps each bundle of a catalog that oc-mirror does not mirror to the reason.
func (m *Images) unmirrored(ctx context.Context, blocked []*regexp.Regexp) map[bundleKey]string {
	out := make(map[bundleKey]string)
	for key, list := range m.bundles { // in any order
		var bad []string
		for k, image := range list {
			switch {
			case ctx.Err() != nil:
				return out
			case strings.Contains(image, "oci://"):
				out[key] = fmt.Sprintf("oc-mirror skips it, because it cannot mirror its image %s (oci:// is not supported in operator catalogs)", text.Name(image))
			case k > 0 && vague(image):
				bad = text.AppendNew(bad, image)
			}
		}
		if image := list[0]; out[key] == "" && image != "" && matches(blocked, image) {
			out[key] = fmt.Sprintf("its image %s is not mirrored, because the configuration blocks it", text.Name(image))
		}
		if len(bad) > 0 && out[key] == "" {
			out[key] = fmt.Sprintf("%s %s neither a tag nor a digest, and oc-mirror fails on the bundle",
				text.Plural(len(bad), "its related image ", "its related images ")+text.And(text.Names(bad)), text.Plural(len(bad), "has", "have"))
		}
	}
	return out
}

func matches(patterns []*regexp.Regexp, image string) bool {
	return slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return re.MatchString(image) })
}

// skipped reports whether oc-mirror skips a bundle, and with it all its images.
func skipped(list []string) bool {
	return slices.ContainsFunc(list, func(image string) bool { return strings.Contains(image, "oci://") })
}

// images returns the images of the selected bundles, without blocked ones.
func (m *maker) images(ctx context.Context) []string {
	all := make(map[string]bool)
	for i, sel := range m.now {
		for _, p := range sel.Packages {
			for _, b := range p.Bundles {
				list := cmp.Or(m.whole[i].Images, new(Images)).bundles[bundleKey{p.Name, b}]
				if skipped(list) {
					continue
				}
				for _, image := range list {
					if ctx.Err() != nil {
						return nil
					}
					if image != "" && !matches(m.c.Blocked, image) {
						all[image] = true
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}
