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

// runs is what the first olm.csv.metadata property of a bundle says of where
// the bundle runs.
type runs struct {
	seen bool // there is one
	says *properties.Compatibility
	at   int // where it stands in the blob
}

// metadata takes what a property says.
func (r *reading) metadata(says *properties.Compatibility, at span) {
	if !r.runs.seen {
		r.runs = runs{seen: true, says: says, at: at.From}
	}
}

// look takes what a property says of where the bundle runs, or remembers where
// to look for that. It returns false for a property of another type.
func (r *reading) look(typ string, value []byte, at span) bool {
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

// compatibility returns what is known of where a bundle with these properties runs: from
// its metadata, else from the cluster service version among its manifests, and from the
// resource definitions among them.
func (r *reading) compatibility(set properties.Set) *properties.Compatibility {
	r.readManifests()
	r.readOwned(set)
	most := set.MaxOpenShift()
	if r.runs.says == nil && most.IsZero() && len(r.crds) == 0 {
		return nil
	}
	own := r.runs.says
	if own == nil {
		own = &properties.Compatibility{}
	}
	own.MaxOpenShift, own.CRDs = most, r.crds
	return r.pool.compatibility(own)
}

// readManifests looks for resource definitions among the manifests, and for the cluster
// service version unless there was metadata.
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

// The kinds of manifests that are looked at.
const (
	kindCSV = "ClusterServiceVersion"
	kindCRD = "CustomResourceDefinition"
)

// readManifest keeps the resource definition in a property, or returns what the cluster
// service version in it says. Another manifest gives nil, and so does one of which there
// is only the name of a file: a catalog cannot have files read.
func (r *reading) readManifest(at span) (*properties.Compatibility, error) {
	text, err := r.manifest.text(r.raw(at))
	csv := !r.runs.seen && bytes.Contains(text, []byte(kindCSV))
	if err != nil || !csv && !bytes.Contains(text, []byte(kindCRD)) {
		return nil, err
	}
	text = bytes.TrimSpace(text)
	if !quickjson.Object(text, func([]byte, []byte) {}) { // YAML, mostly
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

// manifest is memory for the text of a manifest.
type manifest []byte

// text returns the manifest that a property holds, or nothing. It is good until the
// next call.
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
	if *m = text; cap(text) > mostManifest {
		*m = nil
	}
	if err != nil {
		return nil, errors.New("its data is not base64")
	}
	return text, nil
}

// mostManifest is how much memory for manifests is kept from one bundle to the
// next, in bytes.
const mostManifest = 1 << 20
