package read

import (
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// manifestFields are the fields of a manifest, or of an object in one: valid JSON, by
// name. Of several of one name the last one counts.
type manifestFields map[string][]byte

func fieldsOf(text []byte) manifestFields {
	out := make(manifestFields)
	for name, at := range quickjson.All(text) {
		out[string(name)] = at.Of(text)
	}
	return out
}

// text is the text of a field, empty if it is not a string.
func (m manifestFields) text(name string) string {
	if value := m[name]; len(value) > 0 && value[0] == '"' {
		return string(quickjson.Unquote(value))
	}
	return ""
}

// resources adds the resource definition that a manifest is, unless it does not name
// itself, its group or its kind. What has another type than it should is as if it was not
// there.
func (r *reading) resources(manifest manifestFields) {
	spec := fieldsOf(manifest["spec"])
	d := properties.CRD{Name: fieldsOf(manifest["metadata"]).text("name"), Group: spec.text("group"), Kind: fieldsOf(spec["names"]).text("kind")}
	if d.Name == "" || d.Group == "" || d.Kind == "" {
		return
	}
	for _, at := range quickjson.All(spec["versions"]) {
		v := fieldsOf(at.Of(spec["versions"]))
		if name := v.text("name"); name != "" {
			d.Versions = append(d.Versions, properties.CRDVersion{Name: name, Served: string(v["served"]) == "true", Storage: string(v["storage"]) == "true"})
		}
	}
	if name := spec.text("version"); name != "" && !d.Has(name) { // apiextensions.k8s.io/v1beta1
		d.Versions = append(d.Versions, properties.CRDVersion{Name: name, Served: true, Storage: len(d.Versions) == 0})
	}
	i, known := slices.BinarySearchFunc(r.crds, d.Name, func(d properties.CRD, name string) int { return strings.Compare(d.Name, name) })
	if !known {
		r.crds = slices.Insert(r.crds, i, d)
	}
}

// readOwned adds the definitions that a bundle without any olm.gvk owns by its metadata.
// Of others they are not read, for it takes half as long as all the rest.
func (r *reading) readOwned(provided properties.Set) {
	if len(r.described) > 0 && !provided.HasType(properties.TypeGVK) {
		r.crds = append(r.crds, properties.OwnedCRDs(r.described)...)
	}
}
