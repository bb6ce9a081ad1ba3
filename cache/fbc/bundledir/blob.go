package bundledir

import (
	"encoding/json"
	"slices"

	"github.com/seed109e2655/resolute/properties"
)

// blob is an olm.bundle blob, with its keys in the order in which opm writes
// them.
type blob struct {
	Schema        string         `json:"schema"`
	Name          string         `json:"name"`
	Package       string         `json:"package"`
	Image         string         `json:"image,omitempty"`
	Properties    []property     `json:"properties"`
	RelatedImages []relatedImage `json:"relatedImages,omitempty"`
}

// Blob returns the olm.bundle blob of the bundle, compact JSON, as opm makes it
// of the bundle's image. Without an image the objects are in it. The same
// directory and image give the same bytes.
func (b *Bundle) Blob(image string) (json.RawMessage, error) {
	out := blob{Schema: "olm.bundle", Name: b.Name, Package: b.Package, Image: image, Properties: slices.Clone(b.properties), RelatedImages: slices.Clone(b.related)}
	if image != "" {
		out.RelatedImages = withImage(out.RelatedImages, image)
		out.Properties = append(out.Properties, property{properties.TypeCSVMetadata, b.metadata})
	} else {
		for _, object := range b.objects {
			out.Properties = append(out.Properties, property{properties.TypeBundleObject, value(struct {
				Data []byte `json:"data"`
			}{object})})
		}
	}
	slices.SortStableFunc(out.RelatedImages, compareImages)
	return marshal(out)
}
