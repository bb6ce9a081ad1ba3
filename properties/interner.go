package properties

// Interner parses properties and shares the equal ones: a catalog declares
// the same APIs in every version of an operator, so most of what it holds is
// parsed and kept once. Use one Interner a catalog and drop it when the
// catalog is loaded.
//
// An Interner is not safe for concurrent use. What it returns is.
type Interner struct {
	types    map[string]*internedType
	strings  sharedStrings
	metadata map[string]*Compatibility // by the text of its parts
	saying   map[string]*Compatibility // by what it says
}

// Bounds on what an Interner remembers to find values of Compatibility again.
// There are a few hundred in a catalog; more are found once in a while.
const (
	mostCompatibilities = 1 << 12
	mostMetadataBytes   = 1 << 12 // of the text of its parts
)

// internedType is what an Interner knows of one property type: its name, kept
// once, and the properties by the bytes of their value.
type internedType struct {
	name    string
	byValue map[string]*Property
}

// NewInterner returns an empty Interner.
func NewInterner() *Interner {
	return &Interner{
		types: map[string]*internedType{}, strings: newSharedStrings(),
		metadata: map[string]*Compatibility{}, saying: map[string]*Compatibility{},
	}
}

// Property is [New], except that the same type and the same bytes of value
// give the same *Property again, and so do values that differ only in white
// space. A value that is in error is parsed again each time.
func (in *Interner) Property(typ string, value []byte) (*Property, error) {
	t := in.types[typ]
	if t != nil {
		if p, ok := t.byValue[string(value)]; ok {
			return p, nil
		}
	}
	p, err := build(typ, value, &in.strings)
	if err != nil {
		return nil, err
	}
	if t == nil {
		t = &internedType{name: p.typ, byValue: map[string]*Property{}}
		in.types[t.name] = t
	}
	if same, ok := t.byValue[string(p.raw)]; ok {
		p = same
	} else {
		p.typ = t.name
		t.byValue[string(p.raw)] = p
	}
	if len(value) != len(p.raw) {
		t.byValue[string(value)] = p
	}
	return p, nil
}

// Fresh is [New], except that the strings inside of the property are shared. The
// property itself is a new one and not remembered: for a value that no other has,
// as that of an "olm.package" is, and for callers that remember by other means.
func (in *Interner) Fresh(typ string, value []byte) (*Property, error) {
	if t := in.types[typ]; t != nil {
		typ = t.name
	} else {
		in.types[typ] = &internedType{name: typ, byValue: map[string]*Property{}}
	}
	p, err := build(typ, value, &in.strings)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Text returns a string of the bytes of b, mostly the same string again for the
// same bytes if they come soon: a loader shares the names that neighbouring
// bundles repeat this way.
func (in *Interner) Text(b []byte) string { return in.strings.string(b) }

// Compatibility is the function [ParseCompatibility], but that equal results
// are mostly the same pointer.
func (in *Interner) Compatibility(metadata []byte) (*Compatibility, error) {
	parts, err := readMetadata(metadata)
	if err != nil {
		return nil, err
	}
	key := parts.appendKey(make([]byte, 0, 512))
	if c, ok := in.metadata[string(key)]; ok {
		return c, nil
	}
	parsed, err := parts.compatibility(in.strings)
	if err != nil {
		return nil, err
	}
	c := in.Share(parsed)
	if len(key) <= mostMetadataBytes {
		remember(in.metadata, key, c)
	}
	return c, nil
}

// Share returns a pointer to a value equal to c, mostly one that it returned
// before.
func (in *Interner) Share(c Compatibility) *Compatibility {
	key := c.AppendKey(make([]byte, 0, 512))
	if same, ok := in.saying[string(key)]; ok {
		return same
	}
	shared := new(Compatibility)
	*shared = c
	if len(key) <= mostMetadataBytes {
		remember(in.saying, key, shared)
	}
	return shared
}

// remember adds to a map, which it empties first if that is full.
func remember(known map[string]*Compatibility, key []byte, c *Compatibility) {
	if len(known) >= mostCompatibilities {
		clear(known)
	}
	known[string(key)] = c
}
