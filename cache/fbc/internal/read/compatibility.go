package read

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/graph"
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
		if says, err := r.pool.compatibility(value); err == nil {
			r.metadata(says, at)
		}
	case properties.TypeBundleObject:
		r.manifests = append(r.manifests, at)
	default:
		return false
	}
	return true
}

// compatibility fills in what is known of where the bundle runs: from its
// metadata, else from the cluster service version among its manifests. lines
// reports that not all of the blob stands on one line.
func (r *reading) compatibility(d *graph.BundleDecl, lines bool) {
	if !r.runs.seen {
		r.readManifests()
	}
	d.Compatibility = r.runs.says
	if most := d.Properties.MaxOpenShift(); !most.IsZero() {
		d.Compatibility = r.pool.limit(d.Compatibility, most)
	}
	if r.runs.seen && lines {
		d.CompatibilityLine = r.blob.LineAt(r.runs.at)
	}
}

// readManifests looks for the cluster service version among the manifests.
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
			return
		}
		if err != nil && failed == nil {
			failed, failedAt = err, at.From
		}
	}
	if failed != nil {
		says := properties.Compatibility{Malformed: []string{fmt.Sprintf("cannot be found, since an %s cannot be read: %v", properties.TypeBundleObject, failed)}}
		r.metadata(&says, span{From: failedAt})
	}
}

// readManifest returns what the cluster service version in a property says, or
// nil if it holds another manifest, or only names the file of one: a catalog
// cannot have files read.
func (r *reading) readManifest(at span) (*properties.Compatibility, error) {
	const kind = "ClusterServiceVersion"
	text, err := r.manifest.text(at.Of(r.blob.Raw))
	if err != nil || !bytes.Contains(text, []byte(kind)) {
		return nil, err
	}
	found, spec := "", []byte("{}")
	plain := quickjson.Object(text, func(name, value []byte) {
		switch string(name) {
		case "kind":
			found = string(value)
		case "spec":
			spec = value
		}
	})
	switch {
	case !plain:
		return r.oddManifest(text, kind)
	case found != `"`+kind+`"`:
		return nil, nil
	}
	return r.pool.compatibility(spec)
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

// oddManifest is readManifest for text that is not plain JSON: YAML, mostly.
func (r *reading) oddManifest(text []byte, kind string) (*properties.Compatibility, error) {
	manifest, err := document.Decode(r.ctx, text, "", r.opts.Limits)
	if err != nil {
		return nil, err
	}
	if found := manifest.Field("kind"); found == nil || found.Value != kind {
		return nil, nil
	}
	spec := manifest.Field("spec")
	if spec == nil {
		spec = &document.Node{Kind: document.KindMapping}
	}
	return r.pool.compatibility(spec.JSON())
}
