package oracle

import (
	"encoding/json"
	"fmt"
	"strings"
)

// API is a group, version and kind.
type API struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// APIOf returns the whole of an API that the model names by its kind alone.
func APIOf(kind string) API {
	return API{Group: strings.ToLower(kind) + "s.example.com", Version: "v1", Kind: kind}
}

func apisOf(kinds []string) []API {
	var apis []API
	for _, k := range kinds {
		apis = append(apis, APIOf(k))
	}
	return apis
}

// String returns "group/version/Kind".
func (a API) String() string { return a.Group + "/" + a.Version + "/" + a.Kind }

// Property is one property of a bundle or of the cluster.
type Property struct {
	Type  string `json:"type"`
	Value any    `json:"value"`
}

// RawValue returns the value as JSON.
func (p Property) RawValue() []byte { return encode(p.Value) }

type object = map[string]any

// Properties returns the properties of a bundle of the package pkg, in the
// order in which they are declared.
func (b *Bundle) Properties(pkg string) []Property {
	ps := []Property{}
	add := func(typ string, value any) { ps = append(ps, Property{typ, value}) }
	identity := prune(object{"packageName": pkg, "version": b.Version.String(), "release": b.Release})
	switch b.Defect {
	case BadVersion:
		identity["version"] = "one"
	case BadRelease:
		identity["release"] = "not one"
	case ForeignIdentity:
		identity["packageName"] = b.identity(pkg)
	}
	if b.Defect != MissingIdentity {
		add("olm.package", identity)
	}
	if b.Object != nil { // the ClusterServiceVersion is not the first manifest
		add("olm.bundle.object", object{"data": encode(object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"})})
		add("olm.bundle.object", object{"data": encode(object{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
			"metadata": object{"name": b.Name}, "spec": b.Object.spec()})})
	}
	for i := range b.Defines {
		add("olm.bundle.object", object{"data": encode(b.Defines[i].manifest())})
	}
	for _, kind := range b.Provides {
		add("olm.gvk", APIOf(kind))
	}
	for _, label := range b.Labels {
		add("olm.label", object{"label": label})
	}
	for _, e := range b.Extras {
		if e.Tier != "" {
			add(e.Type, object{"tier": e.Tier})
		} else {
			add(e.Type, e.Text)
		}
	}
	if b.Deprecated {
		add("olm.deprecated", object{})
	}
	for i := range b.Requires {
		ps = append(ps, b.Requires[i].Property())
	}
	for _, most := range b.MaxOpenShift {
		add("olm.maxOpenShiftVersion", most)
	}
	if b.Metadata != nil {
		add("olm.csv.metadata", b.Metadata.spec())
	}
	switch b.Defect {
	case BadRule:
		add("olm.constraint", object{"cel": object{"rule": "properties.exists("}})
	case UnknownKey:
		add("olm.constraint", object{"gvkk": APIOf("Foo")})
	case TwoKindsAtOnce:
		add("olm.constraint", object{"gvk": APIOf("Foo"), "cel": object{"rule": "true"}})
	case MalformedBinding:
		add("olm.gvk", object{"group": "foos.example.com", "version": "v1"})
	}
	return ps
}

// types are the types of the properties that CEL rules see, in their order: those
// that can be read, but for ClusterServiceVersions and other manifests.
func (b *Bundle) types() []string {
	var types []string
	for _, p := range b.Properties("") {
		switch value, _ := p.Value.(object); {
		case p.Type == "olm.csv.metadata", p.Type == "olm.bundle.object":
		case p.Type == "olm.package" && !b.identified():
		case p.Type == "olm.gvk" && value != nil: // the malformed one
		default:
			types = append(types, p.Type)
		}
	}
	return types
}

// spec is what a ClusterServiceVersion says, in olm.csv.metadata as in the spec of
// the manifest.
func (c *CSV) spec() object {
	o := prune(object{"minKubeVersion": c.MinKube, "displayName": "An operator"})
	modes := []any{}
	for _, m := range c.Modes {
		modes = append(modes, object{"type": m.Type, "supported": m.Supported})
	}
	o["installModes"] = modes
	if len(c.NativeAPIs) > 0 {
		o["nativeAPIs"] = apisOf(c.NativeAPIs)
	}
	return o
}

func (c *Constraint) propertyType() string {
	if !c.Plain {
		return "olm.constraint"
	}
	return "olm." + string(c.Kind) + ".required"
}

// Property returns the property that declares the constraint.
func (c *Constraint) Property() Property {
	p := Property{Type: c.propertyType()}
	switch {
	case !c.Plain:
		p.Value = c.Value()
	case c.Kind == Label:
		p.Value = object{"label": c.Name}
	default:
		bare := Constraint{Kind: c.Kind, Name: c.Name, Range: c.Range}
		p.Value = bare.Value().(object)[string(c.Kind)]
	}
	return p
}

// Value returns the value of an olm.constraint property.
func (c *Constraint) Value() any {
	o := object{}
	if c.Message != "" {
		o["failureMessage"] = c.Message
	}
	kind := string(c.Kind)
	switch c.Kind {
	case GVK:
		o[kind] = APIOf(c.Name)
	case Pkg:
		o[kind] = object{"packageName": c.Name, "versionRange": c.Range.String()}
	case CEL:
		o[kind] = object{"rule": c.Rule.String()}
	case All, Any, Not:
		list := []any{}
		for i := range c.Of {
			list = append(list, c.Of[i].Value())
		}
		o[kind] = object{"constraints": list}
	default:
		panic("oracle: a label cannot be required inside an olm.constraint")
	}
	return o
}

// Blobs returns the catalog as the blobs of a file-based catalog, each a JSON
// object.
func (c *Catalog) Blobs() []json.RawMessage {
	var blobs []json.RawMessage
	add := func(o object) { blobs = append(blobs, encode(o)) }
	for i := range c.Packages {
		p := &c.Packages[i]
		for range 1 + p.Blobs {
			add(object{"schema": "olm.package", "name": p.Name, "defaultChannel": p.Default})
		}
		for _, ch := range p.Channels {
			entries := []any{}
			for _, e := range ch.Entries {
				entries = append(entries, e.value())
			}
			add(object{"schema": "olm.channel", "package": p.Name, "name": ch.Name, "entries": entries})
		}
		for j := range p.Bundles {
			b := &p.Bundles[j]
			add(object{"schema": "olm.bundle", "package": p.Name, "name": b.Name,
				"image": "registry.example/" + b.Name, "properties": b.Properties(p.Name)})
		}
		if len(p.Notes) > 0 {
			add(object{"schema": "olm.deprecations", "package": p.Name, "entries": notes(p.Notes)})
		}
	}
	return blobs
}

func (e *Entry) value() object {
	o := prune(object{"name": e.Name, "replaces": e.Replaces, "skipRange": e.SkipRange.String()})
	if len(e.Skips) > 0 {
		o["skips"] = e.Skips
	}
	return o
}

func notes(ns []Note) []any {
	var entries []any
	for _, n := range ns {
		ref := object{"schema": "olm.package"}
		switch {
		case n.Bundle != "":
			ref = object{"schema": "olm.bundle", "name": n.Bundle}
		case n.Channel != "":
			ref = object{"schema": "olm.channel", "name": n.Channel}
		}
		entries = append(entries, object{"reference": ref, "message": n.Message})
	}
	return entries
}

// Properties returns the properties of the cluster; those that are not given are
// made of its version of Kubernetes.
func (c *Cluster) Properties() []Property {
	version := c.Kubernetes
	if c.Kube != nil {
		version = c.Kube.String()
	}
	if version == "" {
		return nil
	}
	return []Property{{"olm.kubeversion", object{"version": version}}}
}

func encode(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("oracle: cannot encode %v: %v", v, err))
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
