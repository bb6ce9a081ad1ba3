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

// APIOf returns the full API of a kind; the model names APIs by kind alone.
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

// Called returns the name of the bundle.
func (b Bundle) Called() string { return b.Name }

// Declared returns the properties of a bundle of package pkg, in order.
func (b Bundle) Declared(pkg string) any { return b.Properties(pkg) }

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
	for _, limit := range b.MaxOpenShift {
		add("olm.maxOpenShiftVersion", limit)
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

// types returns the property types visible to CEL rules, in order: every valid
// property except ClusterServiceVersions and other manifests.
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

// spec is the content of a ClusterServiceVersion, for both olm.csv.metadata
// and the manifest.
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

// Properties returns the properties of the cluster. Missing ones are derived
// from its Kubernetes version.
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

// prune drops the keys without a value.
func prune(o object) object {
	for k, v := range o {
		if v == "" {
			delete(o, k)
		}
	}
	return o
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
