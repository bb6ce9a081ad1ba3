package graph

import (
	"strconv"

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

// at returns the place of another line of the same file; 0 stands for the
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
	// Findings, if set, are what an earlier Build found wrong with the package
	// that these declarations were written from: they become its problems, in
	// the place of what Build would find now. Flaws quarantine all the same.
	Findings *Findings
}

// Findings are what is wrong with a package, for declarations that were written
// from one: they lack what could not be read of the first ones.
type Findings struct {
	// Problems are those of the package, in the order of [Problem.Compare].
	Problems []Problem
	// Package is the Quarantine of the package, or nil; Channels and Bundles
	// are those of its channels and bundles, by name.
	Package           *Problem
	Channels, Bundles map[string]*Problem
}

// Flaw is something that the reader of a declaration already found wrong with
// it. Each one quarantines what is declared, unless it is Harmless.
type Flaw struct {
	// Code is the problem's code, or empty for the general one of the thing
	// declared, such as bundleInvalid.
	Code Code
	// Property is the type of the property that is wrong, or empty.
	Property string
	// Line is the line of the flaw, or 0 for that of the declaration.
	Line int
	// Message is a sentence that says what is wrong and what to do.
	Message string
	// Harmless says that the declaration can be used all the same: opm refuses it, and a
	// resolution need not.
	Harmless bool
}

// DefinitionDecl is one olm.package blob.
type DefinitionDecl struct {
	// DefaultChannel is the name of the default channel, or empty.
	DefaultChannel string
	// Flaws are what its reader found wrong with it.
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
	// Flaws are what its reader found wrong with it.
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
	// SkipDecl is what it takes the place of, or nil for nothing. Set it before one of its
	// fields is read or written.
	*SkipDecl
	// Line is where the entry stands, or 0 for the line of the channel.
	Line int
}

// SkipDecl declares what an entry takes the place of. Entries may share it: Build does not
// modify it.
type SkipDecl struct {
	// Skips name entries.
	Skips []string
	// SkipRange is a version range of bundles, or empty. SkipVersions is that range where
	// a program has it already, parsed or as a function ([properties.NewRange]), and
	// counts in the place of the text.
	SkipRange    string
	SkipVersions properties.Range
}

// noSkips takes the place of a nil SkipDecl in Build, so that its fields can be read.
var noSkips SkipDecl

// BundleDecl is one olm.bundle blob.
type BundleDecl struct {
	// Name is the name of the bundle, Image where its content is.
	Name, Image string
	// Properties are the properties that parse, in order.
	Properties properties.Set
	// Line is where in its File the bundle is declared, from 1; 0 is unknown.
	// CompatibilityLine is where the properties stand that Compatibility was read
	// from, or 0 for the line of the bundle.
	Line, CompatibilityLine int32
	// Details are what else is declared, or nil for nothing. Set them before one of their
	// fields is read or written.
	*Details
}

// Details are what most bundles of a file declare alike, and what only few declare.
// Declarations may share them: Build does not modify them.
type Details struct {
	// File is the name of the file that declares the bundle, as its reader gives it.
	File string
	// Compatibility is what the bundle says of where it runs, if its reader
	// knows that from properties which it does not keep; nil stands for what
	// Properties say.
	Compatibility *properties.Compatibility
	// Lines are the lines of Properties. It may be shorter than
	// Properties; what it lacks has the line of the bundle.
	Lines []int32
	// Flaws are what its reader found wrong with it, properties that do not
	// parse (propertyInvalid) included.
	Flaws []Flaw
	// Requires are constraints beside those among the properties; their ranges may be
	// functions as well.
	Requires []constraints.Constraint
	// Payload is a value of the program that declares the bundle: nothing looks at it,
	// and it comes back with the bundle, with steps, candidates and rejections. Bundles
	// that are written down, and digests, are without it.
	Payload any
}

// noDetails takes the place of nil Details in Build, so that their fields can be read.
var noDetails Details

// posOf returns where property number i is declared.
func (d *BundleDecl) posOf(i int) Pos {
	if i < len(d.Lines) {
		return d.pos().at(int(d.Lines[i]))
	}
	return d.pos()
}

// pos returns where the bundle is declared.
func (d *BundleDecl) pos() Pos {
	pos := Pos{Line: int(d.Line)}
	if d.Details != nil {
		pos.File = d.File
	}
	return pos
}

// Schemas of what a deprecation can reference.
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
	// Schema says what is deprecated: [SchemaPackage], [SchemaChannel] or
	// [SchemaBundle].
	Schema string
	// Name is its name; for the package it may be empty.
	Name string
	// Message tells users what to do instead.
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
			c.Entries[i] = EntryDecl{Name: e.Name, Replaces: e.Replaces}
			if e.Skipping != &noSkipping {
				c.Entries[i].SkipDecl = &SkipDecl{Skips: e.Skips, SkipRange: e.SkipRange.String()}
			}
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

// Decl returns the declaration of a bundle, with Details; see [Package.Decl].
func (b *Bundle) Decl() BundleDecl {
	common := b.common()
	return BundleDecl{Name: b.Name, Image: b.Image, Properties: b.Properties, Line: b.Line,
		Details: &Details{File: common.File, Compatibility: common.Compatibility, Flaws: flaws(common.Quarantine)}}
}

func flaws(q *Problem) []Flaw {
	if q == nil {
		return nil
	}
	return []Flaw{{Code: q.Code, Line: q.Line, Message: q.Message}}
}
