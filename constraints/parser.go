package constraints

import (
	"hash/maphash"
	"sync"

	"github.com/seed109e2655/resolute/constraints/cel"
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

// maxRemembered bounds each of the memories of a Parser. A full memory is
// emptied, which costs time and never correctness.
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
	rules    memory[string, rule]
	known    memory[*properties.Property, result]
	atoms    atoms
}

// rule is the outcome of compiling a rule once.
type rule struct {
	program *cel.Program
	err     error
}

// result is the outcome of reading a property once.
type result struct {
	constraint Constraint
	err        error
}

// NewParser returns a Parser.
func NewParser(o ParserOptions) *Parser { return &Parser{compiler: cel.NewCompiler(o.CEL)} }

// Parse reads a constraint with a Parser of its own. What reads more than one
// keeps a [Parser].
func Parse(raw []byte) (Constraint, error) { return NewParser(ParserOptions{}).Parse(raw) }

// FromProperty returns the constraint of a property of one of the types
// "olm.gvk.required", "olm.package.required", "olm.label.required" and
// "olm.constraint". For any other type ok is false. The error, an [*Error],
// can only come from an "olm.constraint". The same *Property gives the same
// Constraint again.
func (p *Parser) FromProperty(prop *properties.Property) (c Constraint, ok bool, err error) {
	if prop == nil {
		return nil, false, nil
	}
	switch v := prop.Value().(type) {
	case properties.GVKRequired:
		return p.atoms.get(prop, func() Constraint { return NewGVK(v.GVK) }), true, nil
	case properties.PackageRequired:
		return p.atoms.get(prop, func() Constraint { return NewPackage(v.Name, v.Range) }), true, nil
	case properties.LabelRequired:
		return p.atoms.get(prop, func() Constraint { return NewLabel(string(v)) }), true, nil
	case properties.Constraint:
		r := p.known.get(prop, func() result {
			c, err := p.Parse(v)
			return result{constraint: c, err: err}
		})
		return r.constraint, true, r.err
	}
	return nil, false, nil
}

// compile compiles a rule, once.
func (p *Parser) compile(text string) (*cel.Program, error) {
	r := p.rules.get(text, func() rule {
		program, err := p.compiler.Compile(text)
		return rule{program: program, err: err}
	})
	return r.program, r.err
}

// atoms is a bounded map of the constraints of properties that are one atom,
// which is made faster than two goroutines could wait for each other. Goroutines
// that build packages ask at every requirement: parts with a lock of their own
// keep them out of each other's way.
type atoms struct {
	once  sync.Once
	seed  maphash.Seed
	parts [64]atomsPart
}

// atomsPart is the part of the properties with a certain hash.
type atomsPart struct {
	mu sync.Mutex
	m  map[*properties.Property]Constraint
}

// get returns the atom of a property, making it the first time.
func (a *atoms) get(prop *properties.Property, compute func() Constraint) Constraint {
	a.once.Do(func() { a.seed = maphash.MakeSeed() })
	p := &a.parts[maphash.Comparable(a.seed, prop)%uint64(len(a.parts))]
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.m[prop]
	if !ok {
		if p.m == nil || len(p.m) >= maxRemembered/len(a.parts) {
			p.m = map[*properties.Property]Constraint{}
		}
		c = compute()
		p.m[prop] = c
	}
	return c
}

// memory is a bounded map that computes what it lacks. Two goroutines that
// lack the same key at the same time wait for one computation.
type memory[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]func() V
}

// get returns the value of a key, computing it the first time.
func (m *memory[K, V]) get(key K, compute func() V) V {
	m.mu.Lock()
	f, ok := m.m[key]
	if !ok {
		if m.m == nil || len(m.m) >= maxRemembered {
			m.m = map[K]func() V{}
		}
		f = sync.OnceValue(compute)
		m.m[key] = f
	}
	m.mu.Unlock()
	return f()
}
