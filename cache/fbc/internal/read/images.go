package read

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// images checks the images of a bundle as opm does: it needs an image or the objects, and valid
// digests.
func (r *reading) images(d *graph.BundleDecl, list []object) {
	image := r.raw(r.scanned.values[nameImage])
	absent := d.Image == "" && (len(image) == 0 || image[0] == '"' || isNull(image)) // else its type is wrong
	if absent && !r.opts.Exact && !slices.ContainsFunc(list, r.isManifest) {
		r.refuse(CodeImageMissing, r.scanned.From, "bundle %q has no image, and no %s in its place: add its image", d.Name, properties.TypeBundleObject)
	}
	if why := badDigest(d.Image); why != "" {
		r.refuse(CodeImageInvalid, r.scanned.values[nameImage].From, "the image of bundle %q has a digest %s: correct it", d.Name, why)
	}
	at := r.scanned.values[nameRelatedImages]
	raw := r.raw(at)
	switch {
	case len(raw) == 0 || isNull(raw):
		return
	case raw[0] != '[':
		r.refuse(CodeRelatedInvalid, at.From, "the relatedImages of bundle %q must be an array, not %s", d.Name, quickjson.KindOf(raw))
		return
	case bytes.IndexByte(raw, '@') < 0:
		return
	}
	for _, it := range quickjson.All(raw) {
		item := it.Of(raw)
		if len(item) == 0 || item[0] != '{' {
			continue
		}
		for name, v := range quickjson.All(item) {
			value := v.Of(item)
			if string(name) != "image" || value[0] != '"' {
				continue
			}
			image := string(quickjson.Unquote(value))
			if why := badDigest(image); why != "" {
				r.refuse(CodeImageInvalid, at.From+it.From+v.From, "the related image %q of bundle %q has a digest %s: correct it", image, d.Name, why)
			}
		}
	}
}

// isManifest reports whether a property is an olm.bundle.object, kept or not.
func (r *reading) isManifest(o object) bool {
	if o.known != nil {
		return o.known.Type() == properties.TypeBundleObject
	}
	typ := r.raw(o.values[nameType])
	return len(typ) > 0 && typ[0] == '"' && string(quickjson.Unquote(typ)) == properties.TypeBundleObject
}

// digests has the number of hexadecimal digits of each algorithm.
var digests = [...]struct {
	algorithm string
	digits    int
}{{"sha256", 64}, {"sha384", 96}, {"sha512", 128}}

// badDigest describes the fault of an image digest; empty if there is none.
func badDigest(image string) string {
	_, digest, has := strings.Cut(image, "@")
	if !has {
		return ""
	}
	algorithm, encoded, _ := strings.Cut(digest, ":")
	for _, d := range digests {
		switch {
		case d.algorithm != algorithm:
		case len(encoded) != d.digits:
			return "of the wrong length"
		case slices.ContainsFunc([]byte(encoded), func(c byte) bool { return !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') }):
			return "that is not hexadecimal"
		default:
			return ""
		}
	}
	return "of an unknown algorithm"
}
