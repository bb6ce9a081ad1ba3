// Package declared models catalogs as their authors declare them: plain data
// to edit, build, write and shrink. Package resolver/upgradetest and tests use
// it.
package declared

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// CatalogOf is a catalog as its author declares it, with bundles of type B:
// plain data that can be edited, built, and written as the blobs of a
// file-based catalog. It may be invalid.
type CatalogOf[B Content] struct {
	// Key names the catalog.
	Key cache.Key
	// Priority orders catalogs; higher wins.
	Priority int
	// Packages are its packages, in any order.
	Packages []PackageOf[B]
}

// Content is a type of bundle.
type Content interface {
	// Called returns its name. Declared returns its properties in a package: a
	// list that encodes to JSON.
	Called() string
	Declared(pkg string) any
}

// Catalog is a catalog whose bundles are defined by their properties. [Of]
// makes one from a parsed catalog, and package universe from lines of text.
// The reference implementation and its generators use their own bundle type.
type Catalog = CatalogOf[Bundle]

// Package is a package of a [Catalog].
type Package = PackageOf[Bundle]

// PackageOf is the declaration of one package.
type PackageOf[B Content] struct {
	// Name is the name of the package.
	Name string
	// DefaultChannel is the name of its default channel, or "".
	DefaultChannel string
	// Channels are its channels; a duplicate is quarantined.
	Channels []Channel
	// Bundles are its bundles; a duplicate is quarantined.
	Bundles []B
	// Deprecations are the entries of its olm.deprecations blob.
	Deprecations []Deprecation
	// Surplus is the number of olm.package blobs minus one: 0 for a valid
	// package, -1 if the blob is missing. A non-zero value quarantines the
	// package.
	Surplus int
}

// Channel is a channel of a package.
type Channel struct {
	Name    string
	Entries []Entry
}

// Entry is an entry of a channel, with the fields of an olm.channel blob.
type Entry struct {
	Name      string   `json:"name"`
	Replaces  string   `json:"replaces,omitempty"`
	Skips     []string `json:"skips,omitempty"`
	SkipRange string   `json:"skipRange,omitempty"`
}

// Bundle is one version of an operator.
type Bundle struct {
	Name string
	// Properties are its properties in order, including constraints. A valid
	// bundle has one of type olm.package.
	Properties []scenario.Property
}

// Called returns the name of the bundle.
func (b Bundle) Called() string { return b.Name }

// Declared returns the properties of the bundle.
func (b Bundle) Declared(string) any { return b.Properties }

// Deprecation is an entry of an olm.deprecations blob.
type Deprecation struct {
	// Schema is a schema of package graph: for a package, a channel or a
	// bundle.
	Schema string
	// Name is the name of the channel or bundle; empty for the package.
	Name string
	// Message tells users what to do instead.
	Message string
}

// Build parses the catalog like a file-based catalog. Its defects become
// problems of the result and are quarantined (section 10 of the semantics).
// The error is that of the context.
func (c *CatalogOf[B]) Build(ctx context.Context) (*cache.Catalog, error) {
	return fbc.FromBlobs(ctx, c.Blobs(), fbc.Options{Catalog: c.Key})
}

// Blobs returns the catalog as the blobs of a file-based catalog, package by
// package, the package blob first.
func (c *CatalogOf[B]) Blobs() []json.RawMessage {
	var blobs []json.RawMessage
	for i := range c.Packages {
		blobs = c.Packages[i].appendBlobs(blobs)
	}
	return blobs
}

// blob has the fields of all schemas, in their usual order.
type blob struct {
	Schema         string `json:"schema"`
	Package        string `json:"package,omitempty"`
	Name           string `json:"name,omitempty"`
	DefaultChannel string `json:"defaultChannel,omitempty"`
	Image          string `json:"image,omitempty"`
	Entries        any    `json:"entries,omitempty"`
	Properties     any    `json:"properties,omitempty"`
}

type noted struct {
	Reference reference `json:"reference"`
	Message   string    `json:"message"`
}

type reference struct {
	Schema string `json:"schema"`
	Name   string `json:"name,omitempty"`
}

func (p *PackageOf[B]) appendBlobs(blobs []json.RawMessage) []json.RawMessage {
	for range 1 + p.Surplus {
		blobs = append(blobs, raw(blob{Schema: graph.SchemaPackage, Name: p.Name, DefaultChannel: p.DefaultChannel}))
	}
	for _, ch := range p.Channels {
		entries := ch.Entries
		if entries == nil {
			entries = []Entry{}
		}
		blobs = append(blobs, raw(blob{Schema: graph.SchemaChannel, Package: p.Name, Name: ch.Name, Entries: entries}))
	}
	for _, b := range p.Bundles {
		blobs = append(blobs, raw(blob{Schema: graph.SchemaBundle, Package: p.Name, Name: b.Called(), Image: "example.com/" + b.Called(), Properties: b.Declared(p.Name)}))
	}
	if len(p.Deprecations) > 0 {
		list := make([]noted, len(p.Deprecations))
		for i, d := range p.Deprecations {
			list[i] = noted{reference{d.Schema, d.Name}, d.Message}
		}
		blobs = append(blobs, raw(blob{Schema: "olm.deprecations", Package: p.Name, Entries: list}))
	}
	return blobs
}

// raw encodes a value as JSON. A value that cannot be encoded, because a
// property contains invalid JSON, becomes a string with the error and is
// quarantined, as if read from a file.
func raw(v any) json.RawMessage {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return raw(fmt.Sprintf("not JSON: %v", err)) // strings always encode
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// Prop makes a property from a type and a value that is encoded as JSON: a
// map, a typed value of package properties, or a constraint.
//
//	declared.Prop("olm.gvk", properties.GVK{Group: "example.com", Version: "v1", Kind: "Thing"})
func Prop(typ string, value any) scenario.Property {
	return scenario.Property{Type: typ, Value: raw(value)}
}

// NewBundle makes a valid bundle with an olm.package property of that package
// and version, and further properties.
func NewBundle(pkg, name, version string, props ...scenario.Property) Bundle {
	identity := Prop(properties.TypePackage, map[string]string{"packageName": pkg, "version": version})
	return Bundle{Name: name, Properties: append([]scenario.Property{identity}, props...)}
}

// Bundles returns the number of bundles in the catalog.
func (c *CatalogOf[B]) Bundles() int {
	n := 0
	for i := range c.Packages {
		n += len(c.Packages[i].Bundles)
	}
	return n
}

// Package returns a pointer to the package of that name, or nil.
func (c *CatalogOf[B]) Package(name string) *PackageOf[B] {
	return find(c.Packages, func(p *PackageOf[B]) bool { return p.Name == name })
}

// Channel returns a pointer to the channel of that name, or nil.
func (p *PackageOf[B]) Channel(name string) *Channel {
	return find(p.Channels, func(c *Channel) bool { return c.Name == name })
}

// Bundle returns a pointer to the bundle of that name, or nil.
func (p *PackageOf[B]) Bundle(name string) *B {
	return find(p.Bundles, func(b *B) bool { return (*b).Called() == name })
}

// Entry returns a pointer to the entry of that name, or nil.
func (c *Channel) Entry(name string) *Entry {
	return find(c.Entries, func(e *Entry) bool { return e.Name == name })
}

func find[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Clone returns a deep copy.
func (c *CatalogOf[B]) Clone() *CatalogOf[B] { return Clone(c) }

// Offer builds catalogs for a request.
func Offer(ctx context.Context, catalogs ...*Catalog) ([]resolver.Catalog, error) {
	out := make([]resolver.Catalog, len(catalogs))
	for i, c := range catalogs {
		content, err := c.Build(ctx)
		if err != nil {
			return nil, err
		}
		out[i] = resolver.Catalog{Key: c.Key, Priority: c.Priority, Content: content}
	}
	return out, nil
}

// Of converts a parsed catalog back to its declaration, so that it can be
// edited and rebuilt. Data that did not parse is lost; an equivalent defect
// with the same quarantine takes its place, such as an invalid property whose
// value is the problem. Images and file positions are dropped.
func Of(c resolver.Catalog) *Catalog {
	out := &Catalog{Key: c.Key, Priority: c.Priority}
	if c.Content == nil {
		return out
	}
	for p := range c.Content.Packages() {
		out.Packages = append(out.Packages, OfPackage(p))
	}
	return out
}

// OfPackage is [Of] for one package.
func OfPackage(p *graph.Package) Package {
	out := Package{Name: p.Name, DefaultChannel: p.DefaultChannel}
	if q := p.Quarantine; q != nil {
		out.Surplus = 1
		if q.Code == "packageMissing" {
			out.Surplus = -1
		}
	}
	note := func(is bool, schema, name, message string) {
		if is {
			out.Deprecations = append(out.Deprecations, Deprecation{schema, name, message})
		}
	}
	note(p.Deprecated, graph.SchemaPackage, "", p.Deprecation)
	for _, ch := range p.Channels {
		out.Channels = append(out.Channels, declareChannel(ch)...)
		note(ch.Deprecated, graph.SchemaChannel, ch.Name, ch.Deprecation)
	}
	for _, b := range p.Bundles {
		out.Bundles = append(out.Bundles, declareBundle(b)...)
		note(b.Deprecated, graph.SchemaBundle, b.Name, b.Deprecation)
	}
	return out
}

// declareChannel returns the channel, twice if it was a duplicate.
func declareChannel(ch *graph.Channel) []Channel {
	out := Channel{Name: ch.Name}
	for i := range ch.Entries {
		e := &ch.Entries[i]
		out.Entries = append(out.Entries, Entry{Name: e.Name, Replaces: e.Replaces, Skips: slices.Clone(e.Skips()), SkipRange: e.SkipRange().String()})
	}
	if q := ch.Quarantine; q != nil {
		switch q.Code {
		case "severalHeads", "noHead", "replacesCycle", "entryDuplicate", "channelEmpty":
			// implied by the entries
		default:
			return []Channel{out, out}
		}
	}
	return []Channel{out}
}

// declareBundle returns the bundle, twice if it was a duplicate.
func declareBundle(b *graph.Bundle) []Bundle {
	out := Bundle{Name: b.Name, Properties: scenario.PropertiesOf(b.Properties)}
	if q := b.Quarantine; q != nil {
		switch q.Code {
		case "bundleDuplicate":
			return []Bundle{out, out}
		case "packagePropertyMissing", "packagePropertySeveral", "packageMismatch", "constraintInvalid":
			// implied by the properties
		default:
			out.Properties = append(out.Properties, Prop(properties.TypeLabel, q.Message)) // a label must be an object
		}
	}
	return []Bundle{out}
}
