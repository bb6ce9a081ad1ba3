package read

import (
	"cmp"
	"hash/maphash"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// maxShared is the maximum size, in bytes, of a property that is interned. Larger ones are
// embedded manifests, which do not repeat.
const maxShared = 4 << 10

// Pool interns the strings and properties of the blobs that one goroutine reads: most
// bundles repeat those of others. It is not safe for concurrent use; each goroutine has its
// own, so that none waits for a lock.
type Pool struct {
	seed  maphash.Seed
	texts table[interned]
	// properties are keyed by the hashes of their texts. The texts are not kept, so a hit must
	// be compared with the text that was read.
	properties   table[*properties.Property]
	requirements table[requirement]
	key          []byte          // scratch buffer
	piece        strings.Builder // arena that is being filled
	text         []byte          // scratch buffer for the text read next
	predicted    string          // the text expected next, compared before any table lookup
}

// interned is a text and, if requested before, its parsed forms.
type interned struct {
	text   string
	parsed *parsed // or nil
}

// parsed holds the parsed forms of a text. Few texts have any.
type parsed struct {
	version       *semver.Version
	versions      properties.Range
	compatibility *properties.Compatibility // by its key
}

// Limits on the entries of a pool. Names repeat within a package, so few entries are enough; a
// requirement may repeat in any other package.
const (
	maxTexts      = 1 << 11
	maxProperties = 1 << 16
)

// NewPool returns an empty pool.
func NewPool() *Pool {
	return &Pool{seed: maphash.MakeSeed(), texts: table[interned]{limit: maxTexts}, properties: table[*properties.Property]{limit: maxProperties}, requirements: table[requirement]{limit: maxProperties}}
}

// of returns the entry of a text. It is valid until the next call.
func (p *Pool) of(text []byte) *interned {
	at := p.texts.at(maphash.Bytes(p.seed, text))
	if at.text != string(text) {
		*at = interned{text: p.own(text)}
	}
	return at
}

// parsed returns the canonical string of a text, and its parsed forms.
func (p *Pool) parsed(text []byte) (of string, _ *parsed) {
	at := p.of(text)
	if at.parsed == nil {
		at.parsed = &parsed{}
	}
	return at.text, at.parsed
}

// string returns the canonical string of a text.
func (p *Pool) string(text []byte) string {
	switch string(text) {
	case p.predicted:
		return p.predicted
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

// own returns text as a string in the arena: a catalog keeps nearly all of them, equally
// long.
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

// version returns the canonical version of a text, or nil if it is not a version.
func (p *Pool) version(text []byte) *semver.Version {
	own, at := p.parsed(text)
	if at.version == nil {
		if own, err := properties.ParseVersion(own); err == nil {
			at.version = &own
		}
	}
	return at.version
}

// versions returns the canonical range of a text, or the zero Range if it is not a range.
func (p *Pool) versions(text []byte) properties.Range {
	own, at := p.parsed(text)
	if at.versions.IsZero() {
		at.versions, _ = properties.ParseRange(own)
	}
	return at.versions
}

// compatibility returns the canonical one of equal values, unless they are very large.
func (p *Pool) compatibility(c *properties.Compatibility) *properties.Compatibility {
	key := c.Key()
	if len(key) > maxShared {
		return c
	}
	_, at := p.parsed([]byte(key))
	at.compatibility = cmp.Or(at.compatibility, c)
	return at.compatibility
}

// required returns the canonical "olm.package.required" property of a text with these parts, or
// nil if the parts are invalid, for which properties.New returns an error.
func (p *Pool) required(text []byte, name string, versions properties.Range) *properties.Property {
	at := p.requirements.at(maphash.Bytes(p.seed, text))
	if at.property == nil || at.name != name || at.versions != versions {
		own, _ := properties.NewPackageRequired(name, versions)
		*at = requirement{name, versions, own}
	}
	return at.property
}

// requirement is an "olm.package.required" property and its parts.
type requirement struct {
	name     string
	versions properties.Range
	property *properties.Property
}

// property returns the slot for a property with this text. It may be empty or hold another
// property: check with is.
func (p *Pool) property(text []byte) **properties.Property {
	return p.properties.at(maphash.Bytes(p.seed, text))
}

// is reports whether a property has this type and this value, ignoring white space. It is
// false for nil.
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

// table is a lossy hash table with linear probing over a few slots. If all of them are taken,
// the new value replaces an old one.
type table[T any] struct {
	limit int // maximum number of slots, a power of two
	slots []slot[T]
	used  int
}

// slot holds a value and its hash; it is zero while free.
type slot[T any] struct {
	hash  uint64
	value T
}

// at returns the value of a hash, a zero value if there is none. The pointer is valid until the next call.
func (t *table[T]) at(hash uint64) *T {
	if len(t.slots) < t.limit && 4*t.used >= 3*len(t.slots) {
		t.grow()
	}
	at := t.place(hash)
	if at.hash != hash {
		if at.hash == 0 {
			t.used++
		}
		*at = slot[T]{hash: hash}
	}
	return &at.value
}

// place returns the slot of a hash, or the slot to use for it.
func (t *table[T]) place(hash uint64) *slot[T] {
	const near = 4
	last := uint64(len(t.slots) - 1)
	for i := range uint64(near) {
		if at := &t.slots[(hash+i)&last]; at.hash == hash || at.hash == 0 {
			return at
		}
	}
	return &t.slots[hash&last]
}

// grow adds slots. A table starts small, since each page that is touched costs time.
func (t *table[T]) grow() {
	before := t.slots
	for _, size := range [...]int{1 << 7, 1 << 9, 1 << 11, 1 << 13, 1 << 14, 1 << 15, t.limit} {
		if size > len(before) {
			t.slots = make([]slot[T], min(size, t.limit))
			break
		}
	}
	for _, one := range before {
		if one.hash != 0 {
			*t.place(one.hash) = one
		}
	}
}
