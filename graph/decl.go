package graph

import (
	"strconv"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
)

// Pos is a place in the text of a catalog. The zero Pos is an unknown one.
type Pos struct {
	// File names the file as its reader does.
	File string
	// Line counts from 1; 0 is unknown.
	Line int
}

// String returns "file:line", as much of it as is known.
func (p Pos) String() string {
	switch {
	case p.Line == 0 && p.File == "":
		return "an unknown place"
	case p.Line == 0:
		return p.File
	case p.File == "":
		return "line " + strconv.Itoa(p.Line)
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// at returns the position of another line of the same file; 0 means the
// same line.
func (p Pos) at(line int) Pos {
	if line > 0 {
		p.Line = line
	}
	return p
}

// PackageDecl is all that a catalog declares about one package: the input of
// [Build]. Declarations keep the order of the catalog, and nothing about them
// needs to be right.
type PackageDecl struct {
	// Name is the name of the package.
	Name string
	// Definitions are its olm.package blobs: exactly one, if all is well.
	Definitions []DefinitionDecl
	// Channels are its olm.channel blobs.
	Channels []ChannelDecl
	// Bundles are its olm.bundle blobs.
	Bundles []BundleDecl
	// Deprecations are the entries of its olm.deprecations blobs, and DeprecationBlobs
	// where those stand: at most one, if all is well.
	Deprecations     []DeprecationDecl
	DeprecationBlobs []Pos
}

// Flaw is a problem that the reader of a declaration found. It quarantines the
// declared object, unless it is Harmless.
type Flaw struct {
	// Code is the problem's code, or empty for the general one of the thing
	// declared, such as bundleInvalid.
	Code Code
	// Property is the type of the property that is wrong, or empty.
	Property string
	// Line is the line of the flaw, or 0 for that of the declaration.
	Line int
	// Message is a sentence: the problem and how to fix it.
	Message string
	// Harmless is true if the declaration can be used even so: opm rejects it, but a
	// resolution need not.
	Harmless bool
}

// DefinitionDecl is one olm.package blob.
type DefinitionDecl struct {
	// DefaultChannel is the name of the default channel, or empty.
	DefaultChannel string
	// Flaws are the problems that its reader found.
	Flaws []Flaw
	// Pos is its place in the catalog.
	Pos Pos
}

// ChannelDecl is one olm.channel blob.
type ChannelDecl struct {
	// Name is the name of the channel.
	Name string
	// Entries are its entries, in order.
	Entries []EntryDecl
	// Flaws are the problems that its reader found.
	Flaws []Flaw
	// Pos is its place in the catalog.
	Pos Pos
}

// EntryDecl is one entry of a channel.
type EntryDecl struct {
	// Name is the name of the bundle.
	Name string
	// Replaces names the entry that this one replaces, or is empty.
	Replaces string
	// Skips are the names of the entries that it skips.
	Skips []string
	// SkipRange is the range of versions that it skips, as text, or empty. SkipVersions is the
	// same for a program that has a range already, parsed or as a function
	// ([properties.NewRange]); if it is set, SkipRange is ignored.
	SkipRange    string
	SkipVersions properties.Range
	// Line is the line of the entry, or 0 for the line of the channel.
	Line int
}

// BundleDecl is one olm.bundle blob.
type BundleDecl struct {
	// Name is the name of the bundle, Image where its content is.
	Name, Image string
	// Properties are the properties that parse, in order.
	Properties properties.Set
	// Version is set for a bundle whose contents are not read yet ([Bundle.Unread]): it and Release
	// stand for the property olm.package.
	Version *semver.Version
	Release properties.Release
	// Compatibility is what the bundle declares about where it runs, if its reader knows it
	// from properties that it does not keep. If nil, Build takes it from Properties.
	Compatibility *properties.Compatibility
	// Metadata has the annotations and labels of the bundle, if its reader keeps them. If nil,
	// Build takes them from Properties.
	Metadata *properties.Metadata
	// Flaws are the problems that its reader found, including properties that do not parse
	// (propertyInvalid).
	Flaws []Flaw
	// Requires are constraints in addition to those among the properties. Their ranges may be
	// functions.
	Requires []constraints.Constraint
	// Payload is a value of the caller. It comes back with the bundle, and with steps,
	// candidates and rejections. Written catalogs and digests do not contain it.
	Payload any
	// Pos is its place in the catalog.
	Pos Pos
	// Lines are the lines of Properties. A property without one, or with 0, has the line of
	// the bundle. CompatibilityLine is the line that Compatibility was read from, or 0 for the
	// line of the bundle.
	Lines             []int
	CompatibilityLine int
}

// posOf returns where property number i is declared.
func (d *BundleDecl) posOf(i int) Pos {
	if i < len(d.Lines) {
		return d.Pos.at(d.Lines[i])
	}
	return d.Pos
}

// Schemas that a deprecation can reference.
const (
	// SchemaPackage is the schema of a package's blob.
	SchemaPackage = "olm.package"
	// SchemaChannel is the schema of a channel's blob.
	SchemaChannel = "olm.channel"
	// SchemaBundle is the schema of a bundle's blob.
	SchemaBundle = "olm.bundle"
)

// DeprecationDecl is one entry of an olm.deprecations blob.
type DeprecationDecl struct {
	// Schema is the kind of object that is deprecated: [SchemaPackage], [SchemaChannel] or
	// [SchemaBundle].
	Schema string
	// Name is its name; for the package it may be empty.
	Name string
	// Message is shown to users: what to do instead.
	Message string
	// Pos is its place in the catalog.
	Pos Pos
}

// Decl returns declarations of the package that [Build] makes the same package of, images
// and places included. What its reader found wrong with the package, a channel or a bundle,
// and put in quarantine, stays so. Problems of single entries and properties are not kept.
func (p *Package) Decl() PackageDecl {
	p = p.whole()
	d := PackageDecl{Name: p.Name}
	deprecated := func(schema, name string, is bool, message string) {
		if is {
			d.Deprecations = append(d.Deprecations, DeprecationDecl{Schema: schema, Name: name, Message: message})
		}
	}
	if p.Quarantine == nil || p.Quarantine.Code != codePackageMissing {
		d.Definitions = []DefinitionDecl{{DefaultChannel: p.DefaultChannel, Flaws: flaws(p.Quarantine), Pos: p.Pos}}
	}
	for _, ch := range p.Channels {
		c := ChannelDecl{Name: ch.Name, Pos: ch.Pos}
		if q := ch.Quarantine; q != nil && (q.Code == codeChannelInvalid || q.Code == codeChannelDuplicate) {
			c.Flaws = flaws(q)
		}
		c.Entries = make([]EntryDecl, len(ch.Entries))
		for i := range ch.Entries {
			e := &ch.Entries[i]
			c.Entries[i] = EntryDecl{Name: e.Name, Replaces: e.Replaces, Skips: e.Skips(), SkipRange: e.SkipRange().String()}
		}
		d.Channels = append(d.Channels, c)
		deprecated(SchemaChannel, ch.Name, ch.Deprecated, ch.Deprecation)
	}
	for _, b := range p.Bundles {
		d.Bundles = append(d.Bundles, b.Decl())
		deprecated(SchemaBundle, b.Name, b.Deprecated, b.Deprecation)
	}
	deprecated(SchemaPackage, p.Name, p.Deprecated, p.Deprecation)
	return d
}

// Decl returns the declaration of a bundle; see [Package.Decl].
func (b *Bundle) Decl() BundleDecl {
	return BundleDecl{Name: b.Name, Image: b.Image, Properties: b.Properties, Compatibility: b.Compatibility,
		Flaws: flaws(b.Quarantine), Pos: b.Pos()}
}

func flaws(q *Problem) []Flaw {
	if q == nil {
		return nil
	}
	return []Flaw{{Code: q.Code, Line: q.Line, Message: q.Message}}
}
