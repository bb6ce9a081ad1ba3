package read

import (
	"sync"

	"github.com/seed109e2655/resolute/properties"
)

// maxShared bounds, in bytes, the properties that are looked up by their text.
// Larger ones are embedded manifests, of which no two are equal.
const maxShared = 4 << 10

// Pool shares strings and properties between the blobs of a catalog that one
// goroutine reads: most bundles repeat what the version before them declares.
// One goroutine uses it at a time, so that none waits for another at every name.
type Pool struct{ interner *properties.Interner }

// NewPool returns an empty pool.
func NewPool() *Pool { return &Pool{properties.NewInterner()} }

// Pools keeps the pools of a catalog. It is safe for concurrent use.
type Pools struct {
	mu    sync.Mutex
	spare []*Pool
}

// Take returns a pool that no other caller has until Give is called.
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

// property parses a property, or returns an equal one that was parsed before.
func (p *Pool) property(typ string, value []byte) (*properties.Property, error) {
	if len(value) > maxShared {
		return properties.New(typ, value)
	}
	return p.interner.Property(typ, value)
}
