package properties

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
)

// Interner parses properties and shares the equal ones: a catalog declares
// the same APIs in every version of an operator, so most of what it holds is
// parsed and kept once. Use one Interner a catalog and drop it when the
// catalog is loaded.
//
// An Interner is not safe for concurrent use. What it returns is.
type Interner struct {
	kinds    map[string]*kind
	recent   recent[*Property]
	strings  *sharedStrings
	slab     []Property // to be taken, as lists and rests are
	lists    [][]*Property
	rests    []*Property
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

// Bounds on what an Interner remembers of versions, and on what is made at a time.
const (
	mostVersions = 1 << 14
	slab         = 32
)

// NewInterner returns an empty Interner.
func NewInterner() *Interner {
	return &Interner{
		kinds: map[string]*kind{}, recent: newRecent[*Property](), strings: newSharedStrings(), versions: map[string]*numbered{},
		metadata: map[string]*Compatibility{}, saying: map[string]*Compatibility{},
	}
}

// Property is [New], except that the same type and the same bytes of value mostly
// give the same *Property again if they come soon, and so do values that differ only
// in white space. A value that is in error is parsed again each time.
func (in *Interner) Property(typ string, value []byte) (*Property, error) {
	k := knownKind(typ)
	if k == nil {
		if k = in.kinds[typ]; k == nil {
			k = kindOf(strings.Clone(typ))
			in.kinds[k.typ] = k
		}
	}
	hash := in.hash(k, value)
	at := in.recent.at(hash)
	if at.hash == hash && at.value != nil && at.value.kind.form == k.form && at.value.isOf(value) {
		return at.value, nil
	}
	if texts, n := k.plain(value); k.typ == TypePackage && n == len(value) {
		if p := in.plainPackage(&texts); p != nil {
			in.recent.put(hash, p)
			return p, nil
		}
	}
	built, err := build(k, value, in.strings)
	if err != nil {
		return nil, err
	}
	p := in.keep(built)
	if !p.isOf(value) { // written with white space
		raw := p.Raw()
		hash = in.hash(k, raw)
		if at = in.recent.at(hash); at.hash == hash && at.value != nil && at.value.kind.form == k.form && at.value.isOf(raw) {
			return at.value, nil
		}
	}
	in.recent.put(hash, p)
	return p, nil
}

// hash returns the hash of a value of a kind.
func (in *Interner) hash(k *kind, value []byte) uint64 {
	return maphash.Bytes(in.recent.seed, value) + uint64(len(k.typ))
}

// Leading returns the property with which a text begins, an object with a type and a
// value, and the length of the object, if it is written without any space or escape,
// as nearly all are that are nothing but a few texts. It returns nil for any other
// property, right or wrong, and for one of more than most bytes. Equal ones are mostly
// the same, but for an "olm.package": no two bundles have the same.
func (in *Interner) Leading(b []byte, most int) (p *Property, length int) {
	const before, between, after = `{"type":"`, `","value":`, `}`
	b = b[:min(len(b), most)]
	rest, ok := bytes.CutPrefix(b, []byte(before))
	end := bytes.IndexByte(rest[:min(len(rest), len(TypePackageRequired)+1)], '"')
	if !ok || end < 0 || !bytes.HasPrefix(rest[end:], []byte(between)) {
		return nil, 0
	}
	k := knownKind(string(rest[:end]))
	if k == nil {
		return nil, 0
	}
	value := rest[end+len(between):]
	texts, n := k.plain(value)
	if n == 0 || !bytes.HasPrefix(value[n:], []byte(after)) {
		return nil, 0
	}
	length = len(b) - len(value) + n + len(after)
	if k.typ == TypePackage {
		return in.plainPackage(&texts), length
	}
	hash := in.hash(k, value[:n])
	if at := in.recent.at(hash); at.hash == hash && at.value != nil && at.value.kind.form == k.form && at.value.says(&texts) {
		return at.value, length
	}
	made, err := ofTexts(k, &texts, in.strings)
	if err != nil || !made.says(&texts) {
		return nil, 0
	}
	p = in.keep(made)
	in.recent.put(hash, p)
	return p, length
}

// plainPackage returns the "olm.package" property of texts, whose version is written as
// it is printed, or nil.
func (in *Interner) plainPackage(texts *fieldTexts) *Property {
	if in.pkg == nil || in.pkg.pkg != string(texts[0]) {
		name := in.strings.string(texts[0])
		if checkText(TypePackage, "packageName", name, MaxNameLength) != nil {
			return nil
		}
		in.pkg = &kind{knownKind(TypePackage).form, name}
	}
	n := in.versions[string(texts[1])]
	if n == nil {
		v, err := ParseVersion(in.strings.string(texts[1]))
		if err != nil || v.String() != string(texts[1]) {
			return nil
		}
		n = &numbered{version: v}
		if len(in.versions) >= mostVersions {
			clear(in.versions)
		}
		in.versions[in.strings.string(texts[1])] = n
	}
	return in.keep(Property{in.pkg, n})
}

// keep returns a pointer to a property.
func (in *Interner) keep(p Property) *Property {
	own := take(&in.slab, 1)
	own[0] = p
	return &own[0]
}

// take takes n items of memory that was made for several.
func take[T any](from *[]T, n int) []T {
	if len(*from) < n {
		*from = make([]T, max(n, slab))
	}
	taken := (*from)[:n:n]
	*from = (*from)[n:]
	return taken
}

// SetLike is [NewSet] for properties without nil, of a bundle that is likely to declare
// what another one does, but for its first property: both share memory then.
func (in *Interner) SetLike(other Set, ps ...*Property) Set {
	switch {
	case len(ps) == 0:
		return Set{}
	case len(ps) == 1:
		return Set{first: ps[0]}
	case slices.Equal(other.others(), ps[1:]):
		return Set{first: ps[0], rest: other.rest}
	}
	rest := take(&in.lists, 1)
	rest[0] = take(&in.rests, len(ps)-1)
	copy(rest[0], ps[1:])
	return Set{first: ps[0], rest: &rest[0]}
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
