package declare

import (
	"bytes"
	"hash/maphash"
	"sync"

	"github.com/seed109e2655/resolute/properties"
)

// maxShared bounds, in bytes, the properties that are looked up by their text.
// Larger ones are embedded manifests, of which no two are equal.
const maxShared = 4 << 10

// Pool shares strings and properties between the blobs of a catalog that one
// goroutine reads: most bundles repeat what the version before them declares,
// and of those in a row each distinct property is parsed and kept once. One
// goroutine uses it at a time, so that none waits for another at every name.
type Pool struct {
	seed     maphash.Seed
	interner *properties.Interner
	// recent has those that are written as nearly all are, each at a place by
	// the hash of its text, which need not be kept then: it is compared with
	// what the property holds. The others, and those that are not kept, are in
	// odd.
	recent []*properties.Property
	taken  int // how often a place of recent was taken since there are so many
	odd    map[string]*properties.Property
}

// Bounds on the places of recent, powers of two. Bundles repeat what their
// neighbours declare, so that a few that stay in the cache of the processor do
// for nearly all.
const (
	leastRecent = 1 << 8
	mostRecent  = 1 << 14
)

// NewPool returns an empty pool.
func NewPool() *Pool {
	return &Pool{
		seed: maphash.MakeSeed(), interner: properties.NewInterner(),
		recent: make([]*properties.Property, leastRecent), odd: map[string]*properties.Property{},
	}
}

// Pools keeps the pools of a catalog. It is safe for concurrent use.
type Pools struct {
	mu    sync.Mutex
	spare []*Pool
}

// Take returns a pool that nobody else has until Give is called.
func (p *Pools) Take() *Pool {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.spare) - 1
	if last < 0 {
		return NewPool()
	}
	taken := p.spare[last]
	p.spare = p.spare[:last]
	return taken
}

// Give takes a pool back.
func (p *Pools) Give(back *Pool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spare = append(p.spare, back)
}

// string returns text as a string of its own that equal texts share.
func (p *Pool) string(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	return p.interner.Text(text)
}

// known returns the property that the raw text of one made before.
func (p *Pool) known(raw []byte) (*properties.Property, bool) {
	if len(raw) > maxShared || bytes.HasPrefix(raw, ofPackage) {
		return nil, false
	}
	if property := *p.place(raw); property != nil && isText(raw, property) {
		return property, true
	}
	if len(p.odd) == 0 {
		return nil, false
	}
	property, ok := p.odd[string(raw)]
	return property, ok
}

// property parses a property whose raw text is not known. What is in error is
// not remembered.
func (p *Pool) property(raw []byte, typ string, value []byte) (*properties.Property, error) {
	if len(raw) > maxShared {
		return properties.New(typ, value)
	}
	property, err := p.interner.Fresh(typ, value)
	if err != nil || typ == properties.TypePackage { // each bundle has its own
		return property, err
	}
	if isText(raw, property) {
		*p.place(raw) = property
		p.grow()
	} else {
		p.odd[string(raw)] = property
	}
	return property, nil
}

// place returns the place in recent of the property with a text.
func (p *Pool) place(raw []byte) **properties.Property {
	return &p.recent[maphash.Bytes(p.seed, raw)&uint64(len(p.recent)-1)]
}

// grow makes more places of recent after many were taken. What was there is
// found no more, which costs a few properties twice.
func (p *Pool) grow() {
	if p.taken++; p.taken >= 2*len(p.recent) && len(p.recent) < mostRecent {
		p.recent, p.taken = make([]*properties.Property, 4*len(p.recent)), 0
	}
}

// drop remembers that the property with this raw text is not kept.
func (p *Pool) drop(raw []byte) {
	if len(raw) > maxShared {
		return
	}
	p.odd[string(raw)] = nil
}

// What the text of a property consists of where nothing is in between.
var (
	beforeType  = []byte(`{"type":"`)
	beforeValue = []byte(`","value":`)
	ofPackage   = []byte(`{"type":"` + properties.TypePackage + `","value":`)
	ofMetadata  = []byte(`{"type":"` + properties.TypeCSVMetadata + `","value":`)
)

// isText reports whether raw, which is valid JSON, is how a property is written
// without any space, its type first and without an escape.
func isText(raw []byte, p *properties.Property) bool {
	rest, ok := bytes.CutPrefix(raw, beforeType)
	if !ok || len(rest) < len(p.Type()) || string(rest[:len(p.Type())]) != p.Type() {
		return false
	}
	rest, ok = bytes.CutPrefix(rest[len(p.Type()):], beforeValue)
	return ok && len(rest) == len(p.Raw())+1 && bytes.HasPrefix(rest, p.Raw())
}
