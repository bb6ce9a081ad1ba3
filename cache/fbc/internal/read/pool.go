package read

import (
	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// maxShared bounds, in bytes, the properties that are looked up by their text.
// Larger ones are embedded manifests, of which no two are equal.
const maxShared = 4 << 10

// mostShared is how many of each kind a pool knows: then it begins anew.
const mostShared = 1 << 14

// Pool shares strings and properties between the blobs of a catalog that one
// goroutine reads: most bundles repeat what the version before them declares.
// One goroutine uses it at a time, so that none waits for another at every name.
type Pool struct {
	texts      map[string]string
	properties map[string]*properties.Property      // by their text, as it is written
	metadata   map[string]*properties.Compatibility // by the text of its parts
	limited    map[limited]*properties.Compatibility

	key []byte // memory for one
}

// limited is a Compatibility together with a limit and definitions that stand elsewhere.
type limited struct {
	of   *properties.Compatibility
	most properties.MaxOpenShift
	crds string // a text that no other ones give
}

// NewPool returns an empty pool.
func NewPool() *Pool {
	return &Pool{
		texts: map[string]string{}, properties: map[string]*properties.Property{},
		metadata: map[string]*properties.Compatibility{}, limited: map[limited]*properties.Compatibility{},
	}
}

// remember adds to a map of a pool.
func remember[K comparable, V any](known map[K]V, key K, value V) {
	if len(known) >= mostShared {
		clear(known)
	}
	known[key] = value
}

// string returns text as a string of its own that equal texts share.
func (p *Pool) string(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	s, ok := p.texts[string(text)]
	if !ok {
		s = string(text)
		remember(p.texts, s, s)
	}
	return s
}

// compatibility is [properties.ParseCompatibility], but that the same parts mostly give
// the same pointer.
func (p *Pool) compatibility(metadata []byte) (*properties.Compatibility, error) {
	key := append(p.key[:0], '{')
	found := quickjson.Object(metadata, func(name, value []byte) {
		switch string(name) {
		case "installModes", "minKubeVersion", "nativeAPIs":
			if len(key) > 1 {
				key = append(key, ',')
			}
			key = append(append(append(append(key, '"'), name...), `":`...), value...)
		}
	})
	p.key = key
	if !found {
		return properties.ParseCompatibility(metadata)
	}
	if c, ok := p.metadata[string(key)]; ok {
		return c, nil
	}
	c, err := properties.ParseCompatibility(append(key, '}'))
	if err == nil && len(key) <= maxShared {
		remember(p.metadata, string(key), c)
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
		remember(p.limited, key, own)
	}
	return own
}
