package fbc

import (
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
	mu         sync.Mutex
	strings    map[string]string
	properties map[string]*properties.Property
	interner   *properties.Interner
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
		p.shards[i].properties = map[string]*properties.Property{}
		p.shards[i].interner = properties.NewInterner()
	}
	return p
}

// shard returns the shard that a text belongs to, locked.
func (p *pool) shard(text []byte) *shard {
	s := &p.shards[0]
	if len(p.shards) > 1 {
		s = &p.shards[maphash.Bytes(p.seed, text)%uint64(len(p.shards))]
	}
	s.mu.Lock()
	return s
}

// string returns text as a string of its own that equal texts share.
func (p *pool) string(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	s := p.shard(text)
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
	if len(raw) > maxShared {
		return nil, false
	}
	s := p.shard(raw)
	defer s.mu.Unlock()
	property, ok := s.properties[string(raw)]
	return property, ok
}

// property parses a property whose raw text is not known. What is in error is
// not remembered.
func (p *pool) property(raw []byte, typ string, value []byte) (*properties.Property, error) {
	if len(raw) > maxShared {
		return properties.New(typ, value)
	}
	s := p.shard(raw)
	defer s.mu.Unlock()
	property, err := s.interner.Property(typ, value)
	if err == nil && typ != properties.TypePackage { // each bundle has its own
		s.properties[string(raw)] = property
	}
	return property, err
}

// drop remembers that the property with this raw text is not kept.
func (p *pool) drop(raw []byte) {
	if len(raw) > maxShared {
		return
	}
	s := p.shard(raw)
	defer s.mu.Unlock()
	s.properties[string(raw)] = nil
}
