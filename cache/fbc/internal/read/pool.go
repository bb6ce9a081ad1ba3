package read

import (
	"cmp"
	"hash/maphash"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// maxShared bounds, in bytes, the properties that are looked up by their text.
// Larger ones are embedded manifests, of which no two are equal.
const maxShared = 4 << 10

// Pool shares strings and properties between the blobs of a catalog that one
// goroutine reads: most bundles repeat what others declare.
// One goroutine uses it at a time, so that none waits for another at every name.
type Pool struct {
	seed  maphash.Seed
	texts table[meaning]
	// properties are found by the hashes of their texts. The texts themselves are not kept: a
	// property that is found has to be compared with the one that is read.
	properties table[*properties.Property]
	key        []byte          // memory for one
	piece      strings.Builder // being filled with texts
	text       []byte          // memory for what is read next
	likely     string          // the text that is expected next, which is compared before any look into a table
}

// meaning is a text and what it stands for, as far as it was asked for that.
type meaning struct {
	text   string
	parsed *parsed // or nil
}

// parsed is what few texts stand for.
type parsed struct {
	version       *semver.Version
	versions      properties.Range
	compatibility *properties.Compatibility // by its key
}

// How many texts and properties a pool keeps at most. Names come again within the same package, so that
// few are enough; the same requirement may come again in any other package.
const (
	mostTexts      = 1 << 11
	mostProperties = 1 << 16
)

// NewPool returns an empty pool.
func NewPool() *Pool {
	return &Pool{seed: maphash.MakeSeed(), texts: table[meaning]{most: mostTexts}, properties: table[*properties.Property]{most: mostProperties}}
}

// of returns what a text stands for. It is good until the next text is asked for.
func (p *Pool) of(text []byte) *meaning {
	at := p.texts.at(maphash.Bytes(p.seed, text))
	if at.text != string(text) {
		*at = meaning{text: p.own(text)}
	}
	return at
}

// parsed returns what a text stands for beside a string.
func (p *Pool) parsed(text []byte) (of string, _ *parsed) {
	at := p.of(text)
	if at.parsed == nil {
		at.parsed = &parsed{}
	}
	return at.text, at.parsed
}

// string returns text as a string of its own that equal texts share.
func (p *Pool) string(text []byte) string {
	switch string(text) {
	case p.likely:
		return p.likely
	case properties.TypePackage: // and the other types of nearly all properties
		return properties.TypePackage
	case properties.TypePackageRequired:
		return properties.TypePackageRequired
	case properties.TypeGVK:
		return properties.TypeGVK
	case properties.TypeGVKRequired:
		return properties.TypeGVKRequired
	}
	return p.of(text).text
}

// own returns text as a string that stands behind others in one piece of memory: a catalog
// keeps nearly all of them, and as long.
func (p *Pool) own(text []byte) string {
	const piece = 8 << 10
	if len(text) > piece/16 {
		return string(text)
	}
	if p.piece.Cap()-p.piece.Len() < len(text) {
		p.piece = strings.Builder{}
		p.piece.Grow(piece)
	}
	p.piece.Write(text)
	return p.piece.String()[p.piece.Len()-len(text):]
}

// version parses a version, which equal texts share. It returns nil for a text that is not a version.
func (p *Pool) version(text []byte) *semver.Version {
	own, at := p.parsed(text)
	if at.version == nil {
		if own, err := properties.ParseVersion(own); err == nil {
			at.version = &own
		}
	}
	return at.version
}

// versions parses a range of versions, which equal texts share. It returns the zero Range for
// a text that is not a range.
func (p *Pool) versions(text []byte) properties.Range {
	own, at := p.parsed(text)
	if at.versions.IsZero() {
		at.versions, _ = properties.ParseRange(own)
	}
	return at.versions
}

// compatibility returns what equal ones share, unless they say very much.
func (p *Pool) compatibility(c *properties.Compatibility) *properties.Compatibility {
	if p.key = c.AppendKey(p.key[:0]); len(p.key) > maxShared {
		return c
	}
	_, at := p.parsed(p.key)
	at.compatibility = cmp.Or(at.compatibility, c)
	return at.compatibility
}

// required returns the "olm.package.required" property that is written so, with its parts. It returns
// nil for parts that properties.New says more about.
func (p *Pool) required(text []byte, name string, versions properties.Range) *properties.Property {
	at := p.property(text)
	if *at != nil {
		if known := (*at).PackageRequired(); known != nil && known.Name == name && known.Range == versions {
			return *at
		}
	}
	own, _ := properties.NewPackageRequired(name, versions)
	*at = own
	return own
}

// property returns the place where a property with this text is kept. It may be empty, or hold
// another property: ask is.
func (p *Pool) property(text []byte) **properties.Property {
	return p.properties.at(maphash.Bytes(p.seed, text))
}

// is reports whether a property is of this type and has this value, whatever white space stands in
// between. Nil is not.
func (p *Pool) is(property *properties.Property, typ string, value []byte) bool {
	if property == nil || property.Type() != typ {
		return false
	}
	raw := property.Raw()
	if raw == string(value) {
		return true
	}
	compact, ok := quickjson.AppendCompact(p.key[:0], value)
	p.key = compact
	return ok && raw == string(compact)
}

// table finds things by the hashes of their texts. A thing is at the place that its hash says, or at one of the
// few behind that. It forgets: where all of those are taken, the new thing replaces an old one.
type table[T any] struct {
	most   int // places, a power of two
	places []place[T]
	used   int
}

// place holds a thing and its hash, and is zero while it is free.
type place[T any] struct {
	hash  uint64
	thing T
}

// at returns the thing of a hash, a zero one if it has none. The pointer is valid until the next call.
func (t *table[T]) at(hash uint64) *T {
	if len(t.places) < t.most && 4*t.used >= 3*len(t.places) {
		t.grow()
	}
	at := t.place(hash)
	if at.hash != hash {
		if at.hash == 0 {
			t.used++
		}
		*at = place[T]{hash: hash}
	}
	return &at.thing
}

// place returns the place of a hash, or the one to use for it.
func (t *table[T]) place(hash uint64) *place[T] {
	const near = 4
	last := uint64(len(t.places) - 1)
	for i := range uint64(near) {
		if at := &t.places[(hash+i)&last]; at.hash == hash || at.hash == 0 {
			return at
		}
	}
	return &t.places[hash&last]
}

// grow makes more places. A table begins small, since each page of memory that is touched takes time.
func (t *table[T]) grow() {
	before := t.places
	for _, size := range [...]int{1 << 7, 1 << 9, 1 << 11, 1 << 13, 1 << 14, 1 << 15, t.most} {
		if size > len(before) {
			t.places = make([]place[T], min(size, t.most))
			break
		}
	}
	for _, one := range before {
		if one.hash != 0 {
			*t.place(one.hash) = one
		}
	}
}
