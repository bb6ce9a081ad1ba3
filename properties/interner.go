package properties

import "slices"

// maxInterned is the maximum number of properties that an [Interner] remembers.
const maxInterned = 1 << 16

// Interner makes equal properties, and sets that repeat each other, share memory. It
// remembers at most 65,536 properties; further ones are returned as they are. The zero
// Interner is ready to use. It is not safe for concurrent use; the properties and sets that it
// returns are.
type Interner struct {
	canonical map[internKey]*Property
	last      Set
}

// internKey identifies a property: by its type and its compact JSON.
type internKey struct{ typ, raw string }

// Intern returns the property equal to p that it returned before, or else p. The result for
// nil is nil.
func (in *Interner) Intern(p *Property) *Property {
	if p == nil {
		return nil
	}
	key := internKey{p.Type(), p.Raw()}
	if known := in.canonical[key]; known != nil {
		return known
	}
	if in.canonical == nil {
		in.canonical = map[internKey]*Property{}
	}
	if len(in.canonical) < maxInterned {
		in.canonical[key] = p
	}
	return p
}

// Set returns [NewSet] of properties, which must not be nil. If they are identical to those of
// the set that it returned before, except for the first, the two sets share memory: the
// versions of a package mostly differ in their first property, "olm.package".
func (in *Interner) Set(ps ...*Property) Set {
	if len(ps) > 1 && slices.Equal(in.last.others(), ps[1:]) {
		in.last = Set{first: ps[0], rest: in.last.rest}
	} else {
		in.last = NewSet(ps...)
	}
	return in.last
}
