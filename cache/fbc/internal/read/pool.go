package read

import (
	"hash/maphash"

	"github.com/seed109e2655/resolute/properties"
)

// maxShared bounds, in bytes, the properties that are looked up by their text.
// Larger ones are embedded manifests, of which no two are equal.
const maxShared = 4 << 10

// Pool shares strings and properties between the blobs of a catalog that one
// goroutine reads: most bundles repeat what the version before them declares.
// One goroutine uses it at a time, so that none waits for another at every name.
type Pool struct {
	texts      table[struct{}]
	properties table[*properties.Property]          // by their text, as it is written
	runs       map[string]*properties.Compatibility // by their keys
	key        []byte                               // memory for one
}

// table has values by a text. What it knows is bounded: of two texts whose hash is the
// same, it has the later one.
type table[V any] struct {
	seed   maphash.Seed
	places []place[V]
}

// place is where a table has a text, if it is this one.
type place[V any] struct {
	text  string
	value V
}

// mostShared is how many places a table has.
const mostShared = 1 << 13

// at returns the place of a text, and whether the text is there.
func (t *table[V]) at(text []byte) (*place[V], bool) {
	if t.places == nil {
		t.places, t.seed = make([]place[V], mostShared), maphash.MakeSeed()
	}
	p := &t.places[maphash.Bytes(t.seed, text)%mostShared]
	return p, p.text == string(text)
}

// NewPool returns an empty pool.
func NewPool() *Pool { return &Pool{runs: map[string]*properties.Compatibility{}} }

// string returns text as a string of its own that equal texts share.
func (p *Pool) string(text []byte) string {
	at, known := p.texts.at(text)
	if !known {
		at.text = string(text)
	}
	return at.text
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
