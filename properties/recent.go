package properties

import (
	"hash/maphash"
	"strings"
)

// Bounds on the places that recent texts have, powers of two.
const (
	leastRecent = 1 << 8
	mostRecent  = 1 << 14
)

// recentStrings makes one string for equal texts that come soon after one
// another. Each text has one place, by its hash, and the last one there stays:
// what bundles share they share with their neighbours, and a table that stays
// in the cache of the processor is several times faster than one of all texts.
type recentStrings struct {
	seed   maphash.Seed
	places []string
	taken  int // how often a place was taken since there are so many
	texts  texts
}

// Texts of at most textAlone bytes are put together textsAtOnce bytes at a time.
const (
	textAlone   = 128
	textsAtOnce = 2 << 10
)

// texts makes strings that stand one behind the other: a catalog has several short
// ones for each bundle, and keeps or forgets them together.
type texts struct{ builder strings.Builder }

// string returns a string of its own of the bytes of b.
func (t *texts) string(b []byte) string {
	if len(b) > textAlone {
		return string(b)
	}
	if t.builder.Cap()-t.builder.Len() < len(b) {
		t.builder.Reset()
		t.builder.Grow(textsAtOnce)
	}
	from := t.builder.Len()
	t.builder.Write(b)
	return t.builder.String()[from:]
}

// newRecentStrings returns a table without any text.
func newRecentStrings() *recentStrings {
	return &recentStrings{seed: maphash.MakeSeed(), places: make([]string, leastRecent)}
}

// place returns the place of the text of a string.
func (r *recentStrings) place(hash uint64) *string { return &r.places[hash&uint64(len(r.places)-1)] }

// string returns a string of the bytes of b.
func (r *recentStrings) string(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	at := r.place(maphash.Bytes(r.seed, b))
	if *at == string(b) {
		return *at
	}
	s := r.texts.string(b)
	*at = s
	if r.taken++; r.taken >= 2*len(r.places) && len(r.places) < mostRecent {
		r.grow()
	}
	return s
}

// grow makes more places.
func (r *recentStrings) grow() {
	old := r.places
	r.places, r.taken = make([]string, 4*len(old)), 0
	for _, s := range old {
		if s != "" {
			*r.place(maphash.String(r.seed, s)) = s
		}
	}
}

// recentProperties is [recentStrings] for properties, by their value.
type recentProperties struct {
	seed   maphash.Seed
	places []recentProperty
	taken  int
}

// recentProperty is a property and the hash of its value.
type recentProperty struct {
	hash     uint64
	property *Property
}

// newRecentProperties returns a table without any property.
func newRecentProperties() recentProperties {
	return recentProperties{seed: maphash.MakeSeed(), places: make([]recentProperty, leastRecent)}
}

// find returns the property of a type and value, or nil, and the hash of the value.
func (r *recentProperties) find(typ string, value []byte) (*Property, uint64) {
	hash := maphash.Bytes(r.seed, value) ^ maphash.String(r.seed, typ)
	at := r.places[hash&uint64(len(r.places)-1)]
	if at.hash == hash && at.property != nil && at.property.kind.typ == typ && at.property.says(value) {
		return at.property, hash
	}
	return nil, hash
}

// put remembers a property by the hash of its value.
func (r *recentProperties) put(hash uint64, p *Property) {
	if r.taken++; r.taken >= 2*len(r.places) && len(r.places) < mostRecent {
		old := r.places
		r.places, r.taken = make([]recentProperty, 4*len(old)), 0
		for _, o := range old {
			r.places[o.hash&uint64(len(r.places)-1)] = o
		}
	}
	r.places[hash&uint64(len(r.places)-1)] = recentProperty{hash, p}
}
