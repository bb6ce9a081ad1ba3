package properties

import (
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Interner parses properties and shares the equal ones: a catalog declares
// the same APIs in every version of an operator, so most of what it holds is
// parsed and kept once. Use one Interner a catalog and drop it when the
// catalog is loaded.
//
// An Interner is not safe for concurrent use. What it returns is.
type Interner struct {
	kinds    map[string]*kind
	recent   recentProperties
	strings  sharedStrings
	slab     []Property                // to be taken
	pkg      *kind                     // of the last "olm.package" property
	versions map[string]*numbered      // by their text
	metadata map[string]*Compatibility // by the text of its parts
	saying   map[string]*Compatibility // by what it says
}

// Bounds on what an Interner remembers to find values of Compatibility again.
// There are a few hundred in a catalog; more are found once in a while.
const (
	mostCompatibilities = 1 << 12
	mostMetadataBytes   = 1 << 12 // of the text of its parts
)

// Bounds on what an Interner remembers of versions, and on the properties that are
// made at a time.
const (
	mostVersions = 1 << 14
	slab         = 32
)

// NewInterner returns an empty Interner.
func NewInterner() *Interner {
	return &Interner{
		kinds: map[string]*kind{}, recent: newRecentProperties(), strings: newSharedStrings(), versions: map[string]*numbered{},
		metadata: map[string]*Compatibility{}, saying: map[string]*Compatibility{},
	}
}

// Property is [New], except that the same type and the same bytes of value mostly
// give the same *Property again if they come soon, and so do values that differ only
// in white space. A value that is in error is parsed again each time.
func (in *Interner) Property(typ string, value []byte) (*Property, error) {
	known, hash := in.recent.find(typ, value)
	if known != nil {
		return known, nil
	}
	if typ == TypePackage {
		if p := in.plainPackage(value); p != nil {
			in.recent.put(hash, p)
			return p, nil
		}
	}
	k := in.kinds[typ]
	if k == nil {
		k = kindOf(strings.Clone(typ))
		in.kinds[k.typ] = k
	}
	p, err := build(k, value, &in.strings)
	if err != nil {
		return nil, err
	}
	if !p.says(value) { // written with white space
		if known, hash = in.recent.find(typ, p.Raw()); known != nil {
			return known, nil
		}
	}
	in.recent.put(hash, p)
	return p, nil
}

// Package is [New] for an "olm.package" property, except that what it shares with
// others is kept once. The property itself is a new one, for no two bundles have the
// same.
func (in *Interner) Package(value []byte) (*Property, error) {
	if p := in.plainPackage(value); p != nil {
		return p, nil
	}
	p, err := build(&kind{typ: TypePackage}, value, &in.strings)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// plainPackage reads an "olm.package" property that is nothing but a name and a
// version of three numbers, in that order. It returns nil for any other.
func (in *Interner) plainPackage(value []byte) *Property {
	var f [2]field
	f[0].name, f[1].name = "packageName", "version"
	if !plainFields(value, f[:]) {
		return nil
	}
	if in.pkg == nil || in.pkg.pkg != string(f[0].text) {
		name := in.strings.string(f[0].text)
		if !text.Plain(name) || textProblem(name, MaxNameLength) != "" {
			return nil
		}
		in.pkg = &kind{typ: TypePackage, pkg: name}
	}
	n := in.versions[string(f[1].text)]
	if n == nil {
		v, ok := plainVersion(string(f[1].text))
		if !ok {
			return nil
		}
		n = &numbered{version: v}
		if len(in.versions) >= mostVersions {
			clear(in.versions)
		}
		in.versions[in.strings.string(f[1].text)] = n
	}
	if len(in.slab) == 0 {
		in.slab = make([]Property, slab)
	}
	p := &in.slab[0]
	in.slab = in.slab[1:]
	p.kind, p.value = in.pkg, n
	return p
}

// Text returns a string of the bytes of b, mostly the same string again for the
// same bytes if they come soon: a loader shares the names that neighbouring
// bundles repeat this way.
func (in *Interner) Text(b []byte) string { return in.strings.string(b) }

// OwnText returns a string of the bytes of b that no other shares.
func (in *Interner) OwnText(b []byte) string { return in.strings.texts.string(b) }

// Compatibility is the function [ParseCompatibility], but that equal results
// are mostly the same pointer.
func (in *Interner) Compatibility(metadata []byte) (*Compatibility, error) {
	parts, err := readMetadata(metadata)
	if err != nil {
		return nil, err
	}
	key := parts.appendKey(make([]byte, 0, 512))
	if c, ok := in.metadata[string(key)]; ok {
		return c, nil
	}
	parsed, err := parts.compatibility(in.strings)
	if err != nil {
		return nil, err
	}
	c := in.Share(parsed)
	if len(key) <= mostMetadataBytes {
		remember(in.metadata, key, c)
	}
	return c, nil
}

// Share returns a pointer to a value equal to c, mostly one that it returned
// before.
func (in *Interner) Share(c Compatibility) *Compatibility {
	key := c.AppendKey(make([]byte, 0, 512))
	if same, ok := in.saying[string(key)]; ok {
		return same
	}
	shared := new(Compatibility)
	*shared = c
	if len(key) <= mostMetadataBytes {
		remember(in.saying, key, shared)
	}
	return shared
}

// remember adds to a map, which it empties first if that is full.
func remember(known map[string]*Compatibility, key []byte, c *Compatibility) {
	if len(known) >= mostCompatibilities {
		clear(known)
	}
	known[string(key)] = c
}
