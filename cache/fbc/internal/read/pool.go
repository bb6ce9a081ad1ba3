package read

import (
	"hash/maphash"

	"github.com/seed109e2655/resolute/internal/quickjson"
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
	properties table[*properties.Property]      // by their text, as it is written
	metadata   table[*properties.Compatibility] // by the text of its parts
	limited    map[limited]*properties.Compatibility

	key       []byte // memory for one
	described []byte // the definitions that the last metadata describes
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

// limited is a Compatibility together with a limit and definitions that stand elsewhere.
type limited struct {
	of   *properties.Compatibility
	most properties.MaxOpenShift
	crds string // a text that no other ones give
}

// NewPool returns an empty pool.
func NewPool() *Pool { return &Pool{limited: map[limited]*properties.Compatibility{}} }

// string returns text as a string of its own that equal texts share.
func (p *Pool) string(text []byte) string {
	at, known := p.texts.at(text)
	if !known {
		at.text = string(text)
	}
	return at.text
}

// compatibility is [properties.ParseCompatibility], but that the same parts mostly give
// the same pointer.
func (p *Pool) compatibility(metadata []byte) (*properties.Compatibility, error) {
	key := append(p.key[:0], '{')
	p.described = nil
	found := quickjson.Object(metadata, func(name, value []byte) {
		switch string(name) {
		case "installModes", "minKubeVersion", "nativeAPIs":
			if len(key) > 1 {
				key = append(key, ',')
			}
			key = append(append(append(append(key, '"'), name...), `":`...), value...)
		case "crdDescriptions":
			p.described = value
		}
	})
	p.key = key
	if !found {
		return properties.ParseCompatibility(metadata)
	}
	at, known := p.metadata.at(key)
	if known {
		return at.value, nil
	}
	c, err := properties.ParseCompatibility(append(key, '}'))
	if err == nil && len(key) <= maxShared {
		*at = place[*properties.Compatibility]{string(key), c}
	}
	return c, err
}

// with returns a Compatibility with a limit and definitions beside what it says already.
func (p *Pool) with(c *properties.Compatibility, most properties.MaxOpenShift, crds []properties.CRD) *properties.Compatibility {
	key := limited{of: c, most: most}
	if len(crds) > 0 {
		key.crds = string((&properties.Compatibility{CRDs: crds}).AppendKey(nil))
	}
	own, ok := p.limited[key]
	if !ok {
		own = &properties.Compatibility{}
		if c != nil {
			*own = *c
		}
		own.MaxOpenShift, own.CRDs = most, crds
		if len(p.limited) >= mostShared {
			clear(p.limited)
		}
		p.limited[key] = own
	}
	return own
}
