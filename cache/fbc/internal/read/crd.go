package read

import (
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// manifestFields are the fields of a manifest or of an object in one, as valid JSON, by name. The
// last of several with the same name counts.
type manifestFields map[string][]byte

func fieldsOf(text []byte) manifestFields {
	out := make(manifestFields)
	for name, at := range quickjson.All(text) {
		out[string(name)] = at.Of(text)
	}
	return out
}

// text returns a field that is a string, else "".
func (m manifestFields) text(name string) string {
	if value := m[name]; len(value) > 0 && value[0] == '"' {
		return string(quickjson.Unquote(value))
	}
	return ""
}

// resources adds the resource definition in a manifest, unless it lacks its name, group or kind.
// Fields of a wrong type count as absent.
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

// readOwned adds the definitions that the metadata of a bundle without any olm.gvk owns. Decoding
// them for all bundles would take half as long as everything else.
func (r *reading) readOwned(provided properties.Set) {
	if len(r.described) > 0 && !provided.HasType(properties.TypeGVK) {
		r.crds = append(r.crds, properties.OwnedCRDs(r.described)...)
	}
}
