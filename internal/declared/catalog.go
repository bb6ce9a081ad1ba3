// Package declared has catalogs as their authors declare them: plain data to change, build,
// write, and shrink. Package resolver/upgradetest and tests use it.
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

// CatalogOf is a catalog as its author declares it, with bundles of a kind: plain data that
// can be changed, built, and written as the blobs of a file-based catalog. Nothing about it
// needs to be right.
type CatalogOf[B Content] struct {
	// Key names the catalog.
	Key cache.Key
	// Priority orders catalogs; higher is better.
	Priority int
	// Packages are its packages. Their order has no meaning.
	Packages []PackageOf[B]
}

// Content is a kind of bundle.
type Content interface {
	// Called is its name, and Declared what it says of itself in a package: its properties,
	// a list that has a form in JSON.
	Called() string
	Declared(pkg string) any
}

// Catalog is a catalog of bundles that are said by their properties. [Of] makes one of a
// catalog that was read, and package universe of lines of text; those that are drawn, and
// that the second opinion reads, have bundles of its own.
type Catalog = CatalogOf[Bundle]

// Package is a package of a [Catalog].
type Package = PackageOf[Bundle]

// PackageOf is all that a catalog declares of one package.
type PackageOf[B Content] struct {
	// Name is the name of the package.
	Name string
	// DefaultChannel is the name of its default channel, or empty.
	DefaultChannel string
	// Channels are its channels; one that comes twice is quarantined.
	Channels []Channel
	// Bundles are its bundles; one that comes twice is quarantined.
	Bundles []B
	// Deprecations are the entries of its olm.deprecations blob.
	Deprecations []Deprecation
	// Surplus is how many olm.package blobs there are beyond the one that there
	// should be: 0 if all is well, and -1 if there is no such blob. Anything else
	// quarantines the package.
	Surplus int
}

// Channel is one channel of a package.
type Channel struct {
	Name    string
	Entries []Entry
}

// Entry is one entry of a channel, with the fields of an olm.channel blob.
type Entry struct {
	Name      string   `json:"name"`
	Replaces  string   `json:"replaces,omitempty"`
	Skips     []string `json:"skips,omitempty"`
	SkipRange string   `json:"skipRange,omitempty"`
}

// Bundle is one version of an operator.
type Bundle struct {
	Name string
	// Properties are what it says of itself, in order, constraints included. A
	// sound bundle has one of type olm.package.
	Properties []scenario.Property
}

// Called returns the name of the bundle.
func (b Bundle) Called() string { return b.Name }

// Declared returns the properties of the bundle.
func (b Bundle) Declared(string) any { return b.Properties }

// Deprecation is an entry of an olm.deprecations blob.
type Deprecation struct {
	// Schema is one of the schemas of package graph: of a package, a channel or
	// a bundle.
	Schema string
	// Name is the name of the channel or bundle; for the package it is empty.
	Name string
	// Message tells users what to do instead.
	Message string
}

// Build reads the catalog as any file-based catalog is read. What is wrong with it
// is in the problems of the result, and quarantined (section 10 of the semantics).
// The error is that of the context.
func (c *CatalogOf[B]) Build(ctx context.Context) (*cache.Catalog, error) {
	return fbc.FromBlobs(ctx, c.Blobs(), fbc.Options{Catalog: c.Key})
}

// Blobs returns the catalog as the blobs of a file-based catalog, package by
// package, the definition first.
func (c *CatalogOf[B]) Blobs() []json.RawMessage {
	var blobs []json.RawMessage
	for i := range c.Packages {
		blobs = c.Packages[i].appendBlobs(blobs)
	}
	return blobs
}

// blob has the fields of all schemas in the order in which people write them.
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

// raw returns a value as JSON. What cannot be written, because somebody put no JSON
// into a property, becomes text that says so, and so is quarantined as a reader
// of files would.
func raw(v any) json.RawMessage {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return raw(fmt.Sprintf("not JSON: %v", err)) // text always has a form
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// Prop makes a property of a type and a value, which is written as JSON: a map, a
// typed value of package properties, or a constraint.
//
//	declared.Prop("olm.gvk", properties.GVK{Group: "example.com", Version: "v1", Kind: "Thing"})
func Prop(typ string, value any) scenario.Property {
	return scenario.Property{Type: typ, Value: raw(value)}
}

// NewBundle makes a sound bundle: an olm.package property of that package and
// version, and what is given beside it.
func NewBundle(pkg, name, version string, props ...scenario.Property) Bundle {
	identity := Prop(properties.TypePackage, map[string]string{"packageName": pkg, "version": version})
	return Bundle{Name: name, Properties: append([]scenario.Property{identity}, props...)}
}

// Bundles counts the bundles of the catalog.
func (c *CatalogOf[B]) Bundles() int {
	n := 0
	for i := range c.Packages {
		n += len(c.Packages[i].Bundles)
	}
	return n
}

// Package returns the package of that name to look at or to change, or nil.
func (c *CatalogOf[B]) Package(name string) *PackageOf[B] {
	return find(c.Packages, func(p *PackageOf[B]) bool { return p.Name == name })
}

// Channel returns the channel of that name to look at or to change, or nil.
func (p *PackageOf[B]) Channel(name string) *Channel {
	return find(p.Channels, func(c *Channel) bool { return c.Name == name })
}

// Bundle returns the bundle of that name to look at or to change, or nil.
func (p *PackageOf[B]) Bundle(name string) *B {
	return find(p.Bundles, func(b *B) bool { return (*b).Called() == name })
}

// Entry returns the entry of that name to look at or to change, or nil.
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

// Clone returns a copy that shares nothing that could be changed.
func (c *CatalogOf[B]) Clone() *CatalogOf[B] { return Clone(c) }

// Offer builds catalogs as a request has them.
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

// Of returns what a catalog that was read declares, so that it can be changed
// and built again. What the reader could not make sense of is gone from the catalog
// and comes back as something else that is quarantined just as narrowly, for
// example a property that does not parse with the problem as its value. Images
// and places in files are left out.
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

// declareChannel returns the channel, twice if that is what is wrong with it.
func declareChannel(ch *graph.Channel) []Channel {
	out := Channel{Name: ch.Name}
	for i := range ch.Entries {
		e := &ch.Entries[i]
		out.Entries = append(out.Entries, Entry{Name: e.Name, Replaces: e.Replaces, Skips: slices.Clone(e.Skips()), SkipRange: e.SkipRange().String()})
	}
	if q := ch.Quarantine; q != nil {
		switch q.Code {
		case "severalHeads", "noHead", "replacesCycle", "entryDuplicate", "channelEmpty":
			// the entries show it
		default:
			return []Channel{out, out}
		}
	}
	return []Channel{out}
}

// declareBundle returns the bundle, twice if that is what is wrong with it.
func declareBundle(b *graph.Bundle) []Bundle {
	out := Bundle{Name: b.Name, Properties: scenario.PropertiesOf(b.Properties)}
	if q := b.Quarantine; q != nil {
		switch q.Code {
		case "bundleDuplicate":
			return []Bundle{out, out}
		case "packagePropertyMissing", "packagePropertySeveral", "packageMismatch", "constraintInvalid":
			// the properties show it
		default:
			out.Properties = append(out.Properties, Prop(properties.TypeLabel, q.Message)) // a label is an object
		}
	}
	return []Bundle{out}
}
