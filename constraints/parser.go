package constraints

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/constraints/cel"
	"github.com/seed109e2655/resolute/constraints/internal/memory"
	"github.com/seed109e2655/resolute/properties"
)

// Limits of the language, see section 3 of the semantics.
const (
	// MaxBytes is the most that the JSON of one constraint may have.
	MaxBytes = 64 << 10
	// MaxDepth is how many compounds may be nested. An atom that stands alone
	// has depth 0, an all of atoms depth 1.
	MaxDepth = 10
)

// maxRemembered bounds each of the memories of a Parser.
const maxRemembered = 1 << 14

// ParserOptions configure a Parser. The zero value is the default.
type ParserOptions struct {
	// CEL configures the compiler of rules.
	CEL cel.Options
}

// Parser reads constraints. It remembers what it read, so that each distinct
// rule is compiled once; one Parser is meant to serve all catalogs of a
// process. It is safe for concurrent use.
type Parser struct {
	compiler *cel.Compiler
	rules    memory.Map[string, *cel.Program]
	known    memory.Map[*properties.Property, Constraint]
	gvks     recent[GVK]
	packages recent[Package]
	labels   recent[Label]
	readers  sync.Pool // of *reader
}

// NewParser returns a Parser.
func NewParser(o ParserOptions) *Parser {
	p := &Parser{
		compiler: cel.NewCompiler(o.CEL),
		rules:    memory.Map[string, *cel.Program]{Max: maxRemembered},
		known:    memory.Map[*properties.Property, Constraint]{Max: maxRemembered},
	}
	p.readers.New = func() any { return &reader{parser: p, tokens: new(jsontext.Decoder)} }
	return p
}

// Parse reads a constraint with a Parser of its own. What reads more than one
// keeps a [Parser].
func Parse(raw []byte) (Constraint, error) { return NewParser(ParserOptions{}).Parse(raw) }

// FromProperty returns the constraint of a property of one of the types
// "olm.gvk.required", "olm.package.required", "olm.label.required" and
// "olm.constraint". For any other type ok is false. The error, an [*Error],
// can only come from an "olm.constraint". The same *Property mostly gives the
// same Constraint again, and always an equal one.
func (p *Parser) FromProperty(prop *properties.Property) (c Constraint, ok bool, err error) {
	if prop == nil {
		return nil, false, nil
	}
	switch v := prop.Value().(type) {
	case properties.GVKRequired:
		return p.gvks.get(prop, func(c *GVK) bool { return c.GVK == v.GVK }, func() *GVK { return NewGVK(v.GVK) }), true, nil
	case properties.PackageRequired:
		return p.packages.get(prop, func(c *Package) bool { return c.Name == v.Name && c.Range == v.Range },
			func() *Package { return NewPackage(v.Name, v.Range) }), true, nil
	case properties.LabelRequired:
		return p.labels.get(prop, func(c *Label) bool { return c.Label == string(v) }, func() *Label { return NewLabel(string(v)) }), true, nil
	case properties.Constraint:
		c, err := p.known.Get(prop, func() (Constraint, error) { return p.Parse(v) })
		return c, true, err
	}
	return nil, false, nil
}

// recent remembers the constraints of properties that are one atom, which is made
// faster than two goroutines could wait for each other. Each property has one
// place, by its hash, and the last one there stays: bundles share properties
// with their neighbours.
type recent[T any] struct {
	once   sync.Once
	seed   maphash.Seed
	places []atomic.Pointer[T]
}

// get returns the atom in the place of a property if it is the right one, and one that is
// made otherwise.
func (r *recent[T]) get(prop *properties.Property, right func(*T) bool, fresh func() *T) *T {
	r.once.Do(func() {
		r.seed = maphash.MakeSeed()
		r.places = make([]atomic.Pointer[T], maxRemembered/4)
	})
	place := &r.places[maphash.Comparable(r.seed, prop)%uint64(len(r.places))]
	c := place.Load()
	if c == nil || !right(c) {
		c = fresh()
		place.Store(c)
	}
	return c
}
