package read

import (
	"bytes"
	"hash/maphash"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/properties"
)

// maxShared bounds, in bytes, the properties that are looked up by their text.
// Larger ones are embedded manifests, of which no two are equal.
const maxShared = 4 << 10

// Pool shares strings and properties between the blobs of a catalog that one
// goroutine reads: most bundles repeat what the version before them declares.
// One goroutine uses it at a time, so that none waits for another at every name.
type Pool struct {
	texts      table[string]
	versions   table[*semver.Version]               // by their text
	properties table[*properties.Property]          // by their text, as it is written
	runs       map[string]*properties.Compatibility // by their keys
	key        []byte                               // memory for one
	piece      strings.Builder                      // being filled with texts
}

// table has values by a text. What it knows is bounded: of two texts whose hash is the
// same, it has the later one.
type table[V any] struct {
	seed   maphash.Seed
	places []place[V]
}

// place is where a table has a text, if it is this one.
type place[V any] struct {
	text  []byte
	value V
}

// set puts another text into the place, whose memory it uses again.
func (p *place[V]) set(text []byte, value V) { p.text, p.value = append(p.text[:0], text...), value }

// mostShared is how many places a table has.
const mostShared = 1 << 13

// at returns the place of a text, and whether the text is there.
func (t *table[V]) at(text []byte) (*place[V], bool) {
	if t.places == nil {
		t.places, t.seed = make([]place[V], mostShared), maphash.MakeSeed()
	}
	p := &t.places[maphash.Bytes(t.seed, text)%mostShared]
	return p, bytes.Equal(p.text, text)
}

// NewPool returns an empty pool.
func NewPool() *Pool { return &Pool{runs: map[string]*properties.Compatibility{}} }

// string returns text as a string of its own that equal texts share.
func (p *Pool) string(text []byte) string {
	at, known := p.texts.at(text)
	if !known {
		at.set(text, p.own(text))
	}
	return at.value
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

// version returns the version that a text is, which equal texts share, or nil if it is none.
func (p *Pool) version(text []byte) *semver.Version {
	at, known := p.versions.at(text)
	if !known {
		own, err := properties.ParseVersion(string(text))
		if err != nil {
			return nil
		}
		at.set(text, &own)
	}
	return at.value
}

// compatibility returns what equal ones share.
func (p *Pool) compatibility(c *properties.Compatibility) *properties.Compatibility {
	p.key = c.AppendKey(p.key[:0])
	known := p.runs[string(p.key)]
	if known == nil {
		if len(p.runs) >= mostShared {
			clear(p.runs)
		}
		known = c
		p.runs[string(p.key)] = c
	}
	return known
}
