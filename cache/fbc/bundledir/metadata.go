package bundledir

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/properties"
)

type annotations struct {
	Package        string `json:"operators.operatorframework.io.bundle.package.v1"`
	Channels       string `json:"operators.operatorframework.io.bundle.channels.v1"`
	DefaultChannel string `json:"operators.operatorframework.io.bundle.channel.default.v1"`
}

// metadata is the content of that folder.
type metadata struct {
	annotations
	dependencies, properties []property
}

// property is a property or dependency, with its position.
type property struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
	file  string
	line  int
}

func (a *annotations) channels() []string {
	var list []string
	for name := range strings.SplitSeq(a.Channels, ",") {
		if name = strings.TrimSpace(name); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// metadata reads the files: each part from the first file that has it, of any name.
func (r *reader) metadata(docs []object) *metadata {
	m := &metadata{}
	found := false
	for _, d := range docs {
		var a annotations
		if n := d.root.Field("annotations"); n != nil && !found && r.decode(d, n, &a) && a != (annotations{}) {
			m.annotations, found = a, true
			if a.Package == "" {
				r.fail(CodeMetadata, d.file, n.Line, "the annotation operators.operatorframework.io.bundle.package.v1, the name of the package, is missing")
			}
		}
		if m.dependencies == nil {
			m.dependencies = r.list(d, "dependencies")
		}
		if m.properties == nil {
			m.properties = r.list(d, "properties")
		}
	}
	if !found {
		r.fail(CodeMetadata, metadataFolder, 0, "there is no file with the annotations of a bundle, usually annotations.yaml")
	}
	return m
}

func (r *reader) list(d object, key string) (list []property) {
	n := d.root.Field(key)
	if n == nil || n.Kind == document.KindNull {
		return nil
	}
	if n.Kind != document.KindSequence {
		r.fail(CodeMetadata, d.file, n.Line, "%s must be a list, not %s", key, n.Kind)
	}
	for _, item := range n.Items {
		typ, value := item.Field("type"), item.Field("value")
		if typ == nil || typ.Kind != document.KindString || typ.Value == "" || value == nil {
			r.fail(CodeMetadata, d.file, item.Line, "an item of %s has a type, which is text, and a value", key)
			continue
		}
		list = append(list, property{typ.Value, canonical(value.JSON()), d.file, value.Line})
	}
	return list
}

// canonical returns a JSON value with sorted object members, like opm, which decodes YAML to maps.
func canonical(raw json.RawMessage) json.RawMessage {
	v := jsontext.Value(slices.Clone(raw))
	if err := v.Format(jsontext.ReorderRawObjects(true)); err != nil {
		return raw
	}
	return json.RawMessage(v)
}

// properties combines the properties of the bundle, in order.
func (r *reader) properties(m *manifests, about *metadata) []property {
	all := append(slices.Clone(about.properties), made(properties.TypePackage, packageValue{about.Package, m.csv.Spec.Version}))
	all = append(all, r.annotated(m)...)
	var list []property
	var pkg packageValue
	seen := map[string]bool{}
	for _, p := range all {
		key := p.Type + " " + string(p.Value)
		if seen[key] {
			continue
		}
		seen[key] = true
		switch p.Type {
		case properties.TypePackage:
			var v packageValue
			if r.understand(p, &v) {
				pkg = v // the last one wins, as in opm
			}
		case properties.TypeGVK:
			r.api(p, m.owns)
		default:
			list = append(list, p)
		}
	}
	list = append(list, made(properties.TypePackage, pkg))
	for _, d := range about.dependencies {
		switch d.Type {
		case properties.TypeGVK:
			r.api(d, m.needs)
		case properties.TypePackage:
			var v packageValue
			if r.understand(d, &v) {
				list = append(list, made(properties.TypePackageRequired, map[string]string{"packageName": v.Name, "versionRange": v.Version}))
			}
		default:
			list = append(list, d)
		}
	}
	for gvk := range m.owns { // sorted below
		list = append(list, made(properties.TypeGVK, gvk))
	}
	for gvk := range m.needs {
		list = append(list, made(properties.TypeGVKRequired, gvk))
	}
	slices.SortFunc(list, func(a, b property) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(string(a.Value), string(b.Value)))
	})
	return list
}

// annotated returns the properties of the annotation olm.properties.
func (r *reader) annotated(m *manifests) []property {
	text, ok := m.csv.Metadata.Annotations[propertiesAnnotation]
	if !ok {
		return nil
	}
	line := lineOf(m.from.root.Field("metadata").Field("annotations").Field(propertiesAnnotation), m.from.root)
	var list []property
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		r.fail(CodeManifest, m.from.file, line, "the annotation %s is not a list of properties in JSON: %v", propertiesAnnotation, err)
		return nil
	}
	for i := range list {
		p := &list[i]
		p.Value, p.file, p.line = canonical(p.Value), m.from.file, line
	}
	return list
}

// api adds the API of a property.
func (r *reader) api(p property, to map[properties.GVK]bool) {
	var v properties.GVK
	if r.understand(p, &v) {
		to[v] = true
	}
}

func (r *reader) understand(p property, into any) bool {
	if err := json.Unmarshal(p.Value, into); err != nil {
		r.fail(CodeMetadata, p.file, p.line, "the value of %s is invalid: %v", p.Type, err)
		return false
	}
	return true
}

// packageValue is the value of olm.package.
type packageValue struct {
	Name    string `json:"packageName"`
	Version string `json:"version"`
}

// made returns a property whose value consists of strings.
func made(typ string, v any) property {
	raw, _ := marshal(v) // strings always marshal
	return property{Type: typ, Value: canonical(raw)}
}
