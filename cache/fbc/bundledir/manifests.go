package bundledir

import (
	"encoding/json"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// manifests is the content of that folder.
type manifests struct {
	csv     *clusterServiceVersion
	from    object                  // the file of the csv
	owns    map[properties.GVK]bool // provided APIs: of definitions and API services
	needs   map[properties.GVK]bool // required ones
	objects []json.RawMessage
}

func (r *reader) manifests(docs []object) *manifests {
	m := &manifests{owns: map[properties.GVK]bool{}, needs: map[properties.GVK]bool{}}
	for _, d := range docs {
		kind := d.root.Field("kind")
		switch {
		case kind == nil || kind.Kind != document.KindString || kind.Value == "":
			if isManifest(d.file) {
				r.fail(CodeManifest, d.file, d.root.Line, "this is not an object of Kubernetes: it has no kind; remove it, or write its kind")
			} else {
				r.warn(d.file, 0, "this is not an object of Kubernetes, and is skipped")
			}
			continue
		case kind.Value == kindCRD:
			r.definition(d, m)
		case kind.Value == kindCSV && m.from.file != "":
			r.fail(CodeManifest, d.file, kind.Line, "this is a second ClusterServiceVersion, after that in %s: a bundle has exactly one", m.from.file)
			continue
		case kind.Value == kindCSV:
			m.from = d
			m.csv = r.csv(d)
		}
		m.objects = append(m.objects, d.root.JSON())
	}
	if m.csv != nil {
		r.apis(m)
	}
	return m
}

// csv reads the ClusterServiceVersion; nil if it is invalid.
func (r *reader) csv(d object) *clusterServiceVersion {
	c := &clusterServiceVersion{}
	if !r.decode(d, d.root, c) {
		return nil
	}
	if c.Metadata.Name == "" {
		r.fail(CodeManifest, d.file, d.root.Line, "the ClusterServiceVersion has no metadata.name, which is the name of the bundle")
	}
	version := d.root.Field("spec").Field("version")
	if version == nil {
		r.fail(CodeManifest, d.file, d.root.Line, "the ClusterServiceVersion has no spec.version, such as 1.2.3")
	} else if _, err := semver.Parse(c.Spec.Version); err != nil {
		r.fail(CodeManifest, d.file, version.Line, "spec.version %q is not a semantic version such as 1.2.3: %v%s", c.Spec.Version, err, text.NearVersion(c.Spec.Version))
	}
	return c
}

// definition reads the APIs of a custom resource definition. Like opm, it includes versions that
// are not served.
func (r *reader) definition(d object, m *manifests) {
	type version struct {
		Name string `json:"name"`
	}
	var def struct {
		APIVersion string `json:"apiVersion"`
		Spec       struct {
			Group string `json:"group"`
			Names struct {
				Kind string `json:"kind"`
			} `json:"names"`
			Version  string    `json:"version"`
			Versions []version `json:"versions"`
		} `json:"spec"`
	}
	if !r.decode(d, d.root, &def) {
		return
	}
	switch _, of, _ := strings.Cut(def.APIVersion, "/"); {
	case of != "v1" && of != "v1beta1":
		r.warn(d.file, lineOf(d.root.Field("apiVersion"), d.root), "the custom resource definition has the version %q, of which nothing is read: write apiextensions.k8s.io/v1", def.APIVersion)
		return
	case of == "v1beta1" && def.Spec.Version != "":
		def.Spec.Versions = append(def.Spec.Versions, version{def.Spec.Version})
	}
	for _, v := range def.Spec.Versions {
		m.owns[properties.GVK{Group: def.Spec.Group, Version: v.Name, Kind: def.Spec.Names.Kind}] = true
	}
}

// apis adds the APIs that the ClusterServiceVersion owns and requires, and checks that its owned
// custom resource definitions exist.
func (r *reader) apis(m *manifests) {
	spec := &m.csv.Spec
	r.definitions(m, "owned", spec.Resources.Owned, func(line int, c *crd, gvk properties.GVK) {
		if !m.owns[gvk] {
			r.fail(CodeNotOwned, m.from.file, line, "the ClusterServiceVersion owns %s in version %s, kind %s, but no manifest defines that: add the custom resource definition, or correct the version", c.Name, c.Version, c.Kind)
		}
	})
	r.definitions(m, "required", spec.Resources.Required, func(_ int, _ *crd, gvk properties.GVK) { m.needs[gvk] = true })
	for _, a := range spec.Services.Owned {
		m.owns[properties.GVK{Group: a.Group, Version: a.Version, Kind: a.Kind}] = true
	}
	for _, a := range spec.Services.Required {
		m.needs[properties.GVK{Group: a.Group, Version: a.Version, Kind: a.Kind}] = true
	}
}

// definitions calls fn with each of some custom resource definitions, and its line.
func (r *reader) definitions(m *manifests, which string, list []crd, fn func(line int, c *crd, gvk properties.GVK)) {
	items := m.from.root.Field("spec").Field("customresourcedefinitions").Field(which)
	for i := range list {
		c, line := &list[i], m.from.root.Line
		if items != nil && i < len(items.Items) {
			line = items.Items[i].Line
		}
		if _, group, ok := strings.Cut(c.Name, "."); ok {
			fn(line, c, properties.GVK{Group: group, Version: c.Version, Kind: c.Kind})
		} else {
			r.fail(CodeManifest, m.from.file, line, "the name %q is not that of a custom resource definition: write PLURAL.GROUP", c.Name)
		}
	}
}

// lineOf returns the line of a node, or of its parent.
func lineOf(n, around *document.Node) int {
	if n == nil {
		return around.Line
	}
	return n.Line
}
