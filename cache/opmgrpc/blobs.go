package opmgrpc

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

	"github.com/seed109e2655/resolute/cache/opmgrpc/internal/api"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// blobs converts the messages of a server to the blobs of a file-based catalog.
type blobs struct {
	address  string
	bundles  map[key][]*api.Bundle // one per distinct content, from its first channel
	channels map[key][]entry
	packages map[string]*api.Package
}

// key identifies a bundle or a channel of a package.
type key struct{ pkg, name string }

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.pkg, o.pkg), cmp.Compare(k.name, o.name))
}

type entry struct {
	Name      string   `json:"name"`
	Replaces  string   `json:"replaces,omitempty"`
	Skips     []string `json:"skips,omitempty"`
	SkipRange string   `json:"skipRange,omitempty"`
}

func (e entry) compare(o entry) int {
	return cmp.Or(cmp.Compare(e.Name, o.Name), cmp.Compare(e.Replaces, o.Replaces), cmp.Compare(e.SkipRange, o.SkipRange), slices.Compare(e.Skips, o.Skips))
}

func newBlobs(address string) *blobs {
	return &blobs{address: address, bundles: map[key][]*api.Bundle{}, channels: map[key][]entry{}, packages: map[string]*api.Package{}}
}

// bundle adds a bundle of one of its channels.
func (b *blobs) bundle(in *api.Bundle) error {
	if in.PackageName == "" || in.ChannelName == "" || in.CsvName == "" {
		return fmt.Errorf("the catalog at %s cannot be read: the server sent a bundle without a name, package or channel (%q, %q, %q)",
			b.address, in.CsvName, in.PackageName, in.ChannelName)
	}
	channel := key{in.PackageName, in.ChannelName}
	b.channels[channel] = append(b.channels[channel], entry{in.CsvName, in.Replaces, in.Skips, in.SkipRange})
	k := key{in.PackageName, in.CsvName}
	known := b.bundles[k]
	switch {
	case known == nil || !sameContent(known[0], in):
		b.bundles[k] = append(known, in)
	case in.ChannelName < known[0].ChannelName:
		known[0] = in
	}
	return nil
}

// sameContent reports whether two messages have a bundle with the same content.
func sameContent(x, y *api.Bundle) bool {
	same := func(x, y *api.Typed) bool { return *x == *y }
	return x.BundlePath == y.BundlePath && x.Version == y.Version && x.CsvJson == y.CsvJson && reflect.DeepEqual(x.Deprecation, y.Deprecation) &&
		slices.EqualFunc(x.Properties, y.Properties, same) && slices.EqualFunc(x.Dependencies, y.Dependencies, same)
}

func (b *blobs) pkg(in *api.Package) { b.packages[in.Name] = in }

// packageNames returns the sorted names of the bundles' packages.
func (b *blobs) packageNames() []string {
	var names []string
	for _, k := range b.bundleKeys() {
		names = append(names, k.pkg)
	}
	return slices.Compact(names)
}

func (b *blobs) bundleKeys() []key { return slices.SortedFunc(maps.Keys(b.bundles), key.compare) }

type typed struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

type blob struct {
	Schema         string  `json:"schema"`
	Package        string  `json:"package,omitempty"`
	Name           string  `json:"name,omitempty"`
	DefaultChannel string  `json:"defaultChannel,omitempty"`
	Image          string  `json:"image,omitempty"`
	Properties     []typed `json:"properties,omitempty"`
	Entries        any     `json:"entries,omitempty"`
}

// write writes the blobs as JSON lines in a canonical order, independent of the order in which
// bundles were received. A bundle received with several contents is written once for each, so
// that the reader reports the duplicate declaration.
func (b *blobs) write(ctx context.Context, w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	var err error
	put := func(v blob) {
		if err = cmp.Or(err, ctx.Err()); err == nil {
			err = enc.Encode(v)
		}
	}
	for _, name := range b.packageNames() {
		put(blob{Schema: graph.SchemaPackage, Name: name, DefaultChannel: b.packages[name].DefaultChannelName})
	}
	for _, k := range slices.SortedFunc(maps.Keys(b.channels), key.compare) {
		entries := b.channels[k]
		slices.SortFunc(entries, entry.compare)
		entries = slices.CompactFunc(entries, func(x, y entry) bool { return x.compare(y) == 0 })
		put(blob{Schema: graph.SchemaChannel, Package: k.pkg, Name: k.name, Entries: entries})
	}
	for _, k := range b.bundleKeys() {
		contents := map[string]blob{}
		for _, in := range b.bundles[k] {
			if err := ctx.Err(); err != nil {
				return err
			}
			list, err := propertiesOf(in)
			if err != nil {
				return fmt.Errorf("the catalog at %s cannot be read: in bundle %q %w", b.address, k.name, err)
			}
			content := blob{Schema: graph.SchemaBundle, Package: k.pkg, Name: k.name, Image: in.BundlePath, Properties: list}
			contents[fmt.Sprintf("%q", content)] = content
		}
		for _, text := range slices.Sorted(maps.Keys(contents)) {
			put(contents[text])
		}
	}
	deprecated := b.deprecations()
	for _, name := range b.packageNames() {
		if list := deprecated[name]; len(list) > 0 {
			put(blob{Schema: "olm.deprecations", Package: name, Entries: list})
		}
	}
	return err
}

// propertiesOf returns the properties of a bundle, including those derived from other fields.
func propertiesOf(b *api.Bundle) ([]typed, error) {
	var list []typed
	has := map[string]bool{}
	var err error
	add := func(typ string, value []byte) {
		if err == nil && !json.Valid(value) {
			err = fmt.Errorf("the value of %q is not JSON", typ)
		}
		has[typ] = true
		list = append(list, typed{typ, value})
	}
	for _, p := range b.Properties {
		add(p.Type, []byte(p.Value))
	}
	if !has[properties.TypePackage] {
		add(properties.TypePackage, stringObject(map[string]string{"packageName": b.PackageName, "version": b.Version}))
	}
	if !has[properties.TypeGVKRequired] && !has[properties.TypePackageRequired] && !has[properties.TypeConstraint] {
		for _, d := range b.Dependencies {
			typ, value, bad := required(d)
			if err = cmp.Or(err, bad); err != nil {
				return nil, err
			}
			add(typ, value)
		}
	}
	if b.CsvJson != "" && !has[properties.TypeBundleObject] && (!has[properties.TypeCSVMetadata] || b.BundlePath == "") {
		add(properties.TypeBundleObject, stringObject(map[string]string{"data": base64.StdEncoding.EncodeToString([]byte(b.CsvJson))}))
	}
	return list, err
}

// stringObject returns a JSON object with string values.
func stringObject(object map[string]string) []byte {
	data, _ := json.Marshal(object) // strings always marshal
	return data
}

// required returns the property that is equivalent to a dependency.
func required(d *api.Typed) (typ string, value []byte, err error) {
	switch d.Type {
	case properties.TypeGVK:
		return properties.TypeGVKRequired, []byte(d.Value), nil
	case properties.TypeLabel:
		return properties.TypeLabelRequired, []byte(d.Value), nil
	case properties.TypePackage:
		var v struct{ PackageName, Version string }
		if err := json.Unmarshal([]byte(d.Value), &v); err != nil {
			return "", nil, fmt.Errorf("a dependency on a package is invalid: %w", err)
		}
		return properties.TypePackageRequired, stringObject(map[string]string{"packageName": v.PackageName, "versionRange": v.Version}), nil
	}
	return d.Type, []byte(d.Value), nil
}

// deprecation is an entry of olm.deprecations.
type deprecation struct {
	Reference struct {
		Schema string `json:"schema"`
		Name   string `json:"name,omitempty"`
	} `json:"reference"`
	Message string `json:"message"`
}

// deprecations returns the deprecations of each package.
func (b *blobs) deprecations() map[string][]deprecation {
	all := make(map[string][]deprecation)
	add := func(pkg, schema, name string, d *api.Deprecation) {
		if d == nil {
			return
		}
		e := deprecation{Message: d.Message}
		e.Reference.Schema, e.Reference.Name = schema, name
		all[pkg] = append(all[pkg], e)
	}
	for name, p := range b.packages { // the order within each package is fixed
		add(name, graph.SchemaPackage, "", p.Deprecation)
		for _, c := range p.Channels {
			add(name, graph.SchemaChannel, c.Name, c.Deprecation)
		}
	}
	for _, k := range b.bundleKeys() {
		byMessage := map[string]*api.Deprecation{}
		for _, in := range b.bundles[k] {
			if in.Deprecation != nil {
				byMessage[in.Deprecation.Message] = in.Deprecation
			}
		}
		for _, message := range slices.Sorted(maps.Keys(byMessage)) {
			add(k.pkg, graph.SchemaBundle, k.name, byMessage[message])
		}
	}
	return all
}
