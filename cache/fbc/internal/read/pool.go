package read

import (
	"bytes"
	"cmp"
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
//
// What it knows is bounded: of two texts whose hash is the same, it has the later one.
type Pool struct {
	seed   maphash.Seed
	places []place
	key    []byte          // memory for one
	piece  strings.Builder // being filled with texts
}

// place is what a text stands for, as far as it was asked for that.
type place struct {
	text          []byte
	string        string
	version       *semver.Version
	property      *properties.Property      // as it is written
	compatibility *properties.Compatibility // by its key
}

// mostShared is how many texts a pool knows.
const mostShared = 1 << 13

// NewPool returns an empty pool.
func NewPool() *Pool { return &Pool{seed: maphash.MakeSeed(), places: make([]place, mostShared)} }

// at returns the place of a text. It is good until the next text is asked for.
func (p *Pool) at(text []byte) *place {
	at := &p.places[maphash.Bytes(p.seed, text)%mostShared]
	if !bytes.Equal(at.text, text) {
		*at = place{text: append(at.text[:0], text...)}
	}
	return at
}

// string returns text as a string of its own that equal texts share.
func (p *Pool) string(text []byte) string {
	at := p.at(text)
	if at.string == "" {
		at.string = p.own(text)
	}
	return at.string
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
	at := p.at(text)
	if at.version == nil {
		if own, err := properties.ParseVersion(string(text)); err == nil {
			at.version = &own
		}
	}
	return at.version
}

// compatibility returns what equal ones share, unless they say very much.
func (p *Pool) compatibility(c *properties.Compatibility) *properties.Compatibility {
	if p.key = c.AppendKey(p.key[:0]); len(p.key) > maxShared {
		return c
	}
	at := p.at(p.key)
	at.compatibility = cmp.Or(at.compatibility, c)
	return at.compatibility
}
