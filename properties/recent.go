package properties

import (
	"hash/maphash"
	"strings"
)

// Bounds on the places that recent values have, powers of two.
const (
	leastRecent = 1 << 8
	mostRecent  = 1 << 14
)

// recent finds values again that come soon after one another. Each has one place,
// by its hash, and the last one there stays: what bundles share they share with
// their neighbours, and a table that stays in the cache of the processor is several
// times faster than one of all values.
type recent[T any] struct {
	seed   maphash.Seed
	places []place[T]
	taken  int // how often a place was taken since there are so many
}

// place is where the value with a hash is.
type place[T any] struct {
	hash  uint64
	value T
}

// newRecent returns a table without any value.
func newRecent[T any]() recent[T] {
	return recent[T]{seed: maphash.MakeSeed(), places: make([]place[T], leastRecent)}
}

// at returns the place of a hash, in which another value may be.
func (r *recent[T]) at(hash uint64) *place[T] { return &r.places[hash&uint64(len(r.places)-1)] }

// put remembers a value.
func (r *recent[T]) put(hash uint64, value T) {
	if r.taken++; r.taken >= 2*len(r.places) && len(r.places) < mostRecent {
		old := r.places
		r.places, r.taken = make([]place[T], 4*len(old)), 0
		for _, o := range old {
			*r.at(o.hash) = o
		}
	}
	*r.at(hash) = place[T]{hash, value}
}

// recentStrings makes one string for equal texts that come soon after one another.
type recentStrings struct {
	recent[string]
	texts texts
}

// string returns a string of the bytes of b.
func (r *recentStrings) string(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	hash := maphash.Bytes(r.seed, b)
	if at := r.at(hash); at.hash == hash && at.value == string(b) {
		return at.value
	}
	s := r.texts.string(b)
	r.put(hash, s)
	return s
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
