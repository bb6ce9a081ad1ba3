package read

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// runs is the compatibility in the first olm.csv.metadata property of a bundle.
type runs struct {
	seen bool // whether there is one
	says *properties.Compatibility
	at   int // its offset in the blob
}

// metadata records the compatibility in a property.
func (r *reading) metadata(says *properties.Compatibility, at span) {
	if !r.runs.seen {
		r.runs = runs{seen: true, says: says, at: at.From}
	}
}

// compatibilityOf records the compatibility in a property, or the position of a manifest to read
// later. It returns false for a property of another type.
func (r *reading) compatibilityOf(typ string, value []byte, at span) bool {
	switch typ {
	case properties.TypeCSVMetadata:
		if says, err := properties.ParseCompatibility(value); err == nil {
			if !r.runs.seen {
				r.described = value
				r.describe(value)
			}
			r.metadata(says, at)
		}
	case properties.TypeBundleObject:
		r.manifests = append(r.manifests, at)
	default:
		return false
	}
	return true
}

// describe keeps the annotations and labels in an object, if they are kept at all.
func (r *reading) describe(object []byte) {
	if r.opts.Metadata {
		r.about = properties.ParseMetadata(object)
	}
}

// compatibility returns the compatibility of a bundle: from its metadata, else from the cluster
// service version among its manifests, and from the resource definitions among them.
func (r *reading) compatibility(set properties.Set) *properties.Compatibility {
	r.readManifests()
	r.readOwned(set)
	limit := set.MaxOpenShift()
	if r.runs.says == nil && limit.IsZero() && len(r.crds) == 0 {
		return nil
	}
	own := r.runs.says
	if own == nil {
		own = &properties.Compatibility{}
	}
	own.MaxOpenShift, own.CRDs = limit, r.crds
	return r.pool.compatibility(own)
}

// readManifests decodes the resource definitions among the manifests, and the cluster service
// version unless there was metadata.
func (r *reading) readManifests() {
	var failed error
	failedAt := 0
	for i, at := range r.manifests {
		if r.stopped(i) {
			return
		}
		says, err := r.readManifest(at)
		if says != nil {
			r.metadata(says, at)
		}
		if err != nil && failed == nil {
			failed, failedAt = err, at.From
		}
	}
	if failed != nil && !r.runs.seen {
		says := properties.Compatibility{Malformed: []string{fmt.Sprintf("cannot be found, since an %s cannot be read: %v", properties.TypeBundleObject, failed)}}
		r.metadata(&says, span{From: failedAt})
	}
}

// The kinds of manifests that are decoded.
const (
	kindCSV = "ClusterServiceVersion"
	kindCRD = "CustomResourceDefinition"
)

// readManifest records the resource definition in a property, or returns the compatibility in its
// cluster service version. Other manifests return nil, as does a mere file name: a catalog must not
// have files read.
func (r *reading) readManifest(at span) (*properties.Compatibility, error) {
	text, err := r.manifest.text(r.raw(at))
	csv := !r.runs.seen && bytes.Contains(text, []byte(kindCSV))
	if err != nil || !csv && !bytes.Contains(text, []byte(kindCRD)) {
		return nil, err
	}
	text = bytes.TrimSpace(text)
	if !quickjson.Object(text, func([]byte, []byte) {}) { // usually YAML
		manifest, err := document.Decode(r.ctx, text, "", r.opts.Limits)
		switch {
		case err != nil && csv:
			return nil, err
		case err != nil:
			return nil, nil
		}
		text = manifest.JSON()
	}
	manifest := fieldsOf(text)
	if csv && manifest.text("kind") == kindCSV {
		r.describe(manifest["metadata"])
	}
	switch {
	case csv && manifest.text("kind") == kindCSV && manifest["spec"] == nil:
		return properties.ParseCompatibility([]byte("{}"))
	case csv && manifest.text("kind") == kindCSV:
		return properties.ParseCompatibility(manifest["spec"])
	case manifest.text("kind") == kindCRD:
		r.resources(manifest)
	}
	return nil, nil
}

// manifest is a scratch buffer for the text of a manifest.
type manifest []byte

// text returns the manifest in a property, or nothing. It is valid until the next call.
func (m *manifest) text(property []byte) ([]byte, error) {
	value := quickjson.Member(property, "value")
	if len(value) == 0 || value[0] != '{' {
		return nil, errors.New("its value is not an object with data or ref")
	}
	data := quickjson.Member(value, "data")
	switch {
	case len(data) == 0 || isNull(data):
		return nil, nil
	case data[0] != '"':
		return nil, fmt.Errorf("its data must be a string, not %s", quickjson.KindOf(data))
	}
	text, err := base64.StdEncoding.AppendDecode((*m)[:0], quickjson.Unquote(data))
	if *m = text; cap(text) > maxManifest {
		*m = nil
	}
	if err != nil {
		return nil, errors.New("its data is not base64")
	}
	return text, nil
}

// maxManifest is the maximum size of the buffer kept from one bundle to the next, in bytes.
const maxManifest = 1 << 20
