package fbc

import (
	"bytes"
	"hash/maphash"
	"sync"

	"github.com/seed109e2655/resolute/properties"
)

// maxShared bounds, in bytes, the properties that are looked up by their text.
// Larger ones are embedded manifests, of which no two are equal.
const maxShared = 4 << 10

// pool shares strings and properties between all blobs of a catalog: most
// bundles repeat what the version before them declares, and each distinct
// property is parsed and kept once. It is safe for concurrent use.
type pool struct {
	seed   maphash.Seed
	shards []shard
}

// shard is a part of the pool with a lock of its own.
type shard struct {
	mu       sync.Mutex
	strings  map[string]string
	interner *properties.Interner
	// properties finds those that are written as nearly all are by the hash
	// of their text, which need not be kept then: it is compared with what the
	// property holds. The others, and those that are not kept, are in odd.
	properties map[uint64]*properties.Property
	odd        map[string]*properties.Property
}

// newPool returns a pool for that many goroutines.
func newPool(parallel int) *pool {
	n := 1 // one alone shares best
	if parallel > 1 {
		n = 16
	}
	p := &pool{seed: maphash.MakeSeed(), shards: make([]shard, n)}
	for i := range p.shards {
		p.shards[i].strings = map[string]string{}
		p.shards[i].properties = map[uint64]*properties.Property{}
		p.shards[i].odd = map[string]*properties.Property{}
		p.shards[i].interner = properties.NewInterner()
	}
	return p
}

// shard returns the shard that a text belongs to, locked, and the hash of the
// text.
func (p *pool) shard(text []byte) (*shard, uint64) {
	hash := maphash.Bytes(p.seed, text)
	s := &p.shards[hash%uint64(len(p.shards))]
	s.mu.Lock()
	return s, hash
}

// string returns text as a string of its own that equal texts share.
func (p *pool) string(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	s, _ := p.shard(text)
	defer s.mu.Unlock()
	shared, ok := s.strings[string(text)]
	if !ok {
		shared = string(text)
		s.strings[shared] = shared
	}
	return shared
}

// known returns the property that the raw text of one made before.
func (p *pool) known(raw []byte) (*properties.Property, bool) {
	if len(raw) > maxShared || bytes.HasPrefix(raw, ofPackage) {
		return nil, false
	}
	s, hash := p.shard(raw)
	defer s.mu.Unlock()
	if property := s.properties[hash]; property != nil && isText(raw, property) {
		return property, true
	}
	if len(s.odd) == 0 {
		return nil, false
	}
	property, ok := s.odd[string(raw)]
	return property, ok
}

// property parses a property whose raw text is not known. What is in error is
// not remembered.
func (p *pool) property(raw []byte, typ string, value []byte) (*properties.Property, error) {
	if len(raw) > maxShared {
		return properties.New(typ, value)
	}
	s, hash := p.shard(raw)
	defer s.mu.Unlock()
	property, err := s.interner.Fresh(typ, value)
	switch {
	case err != nil || typ == properties.TypePackage: // each bundle has its own
	case s.properties[hash] == nil && isText(raw, property):
		s.properties[hash] = property
	default:
		s.odd[string(raw)] = property
	}
	return property, err
}

// drop remembers that the property with this raw text is not kept.
func (p *pool) drop(raw []byte) {
	if len(raw) > maxShared {
		return
	}
	s, _ := p.shard(raw)
	defer s.mu.Unlock()
	s.odd[string(raw)] = nil
}

// What the text of a property consists of where nothing is in between.
var (
	beforeType  = []byte(`{"type":"`)
	beforeValue = []byte(`","value":`)
	ofPackage   = []byte(`{"type":"` + properties.TypePackage + `","value":`)
)

// isText tells whether raw, which is valid JSON, is how a property is written
// without any space, its type first and without an escape.
func isText(raw []byte, p *properties.Property) bool {
	rest, ok := bytes.CutPrefix(raw, beforeType)
	if !ok || len(rest) < len(p.Type()) || string(rest[:len(p.Type())]) != p.Type() {
		return false
	}
	rest, ok = bytes.CutPrefix(rest[len(p.Type()):], beforeValue)
	return ok && len(rest) == len(p.Raw())+1 && bytes.HasPrefix(rest, p.Raw())
}
