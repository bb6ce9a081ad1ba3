package properties

import (
	"bytes"
	"encoding/json"

	"github.com/blang/semver/v4"
)

// Property is one property: a type and a value. It is immutable, safe for
// concurrent use, and meant to be shared by pointer. The zero Property is
// only there to be unmarshalled into.
type Property struct {
	kind  *kind
	raw   []byte // nil if kind and value say all of it: see Raw
	value any    // a *numbered of an "olm.package", else what Value returns
}

// kind is what many properties share: their type, and the name in an "olm.package".
type kind struct{ typ, pkg string }

// numbered is the version and release in an "olm.package" property: many bundles of
// a catalog have the same.
type numbered struct {
	version semver.Version
	release Release
}

// New parses and validates the value of a property of type typ. The bytes of
// value are copied. The error is an [*Error].
func New(typ string, value json.RawMessage) (*Property, error) {
	p, err := build(typ, value, bareStrings{})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// build is New with a say in how strings are made.
func build(typ string, value []byte, s stringer) (*Property, *Error) {
	if typ == "" {
		return nil, newError("", "type", "", "is missing or empty")
	}
	if len(value) == 0 {
		return nil, newError(typ, "value", "", "is missing")
	}
	raw, err := compact(value)
	if err != nil {
		err.Type, err.Field = shorten(typ), "value"
		return nil, err
	}
	v, err := decode(typ, raw, s)
	if err != nil {
		return nil, err
	}
	p := &Property{kind: &kind{typ: typ}, raw: raw, value: v}
	if own, ok := v.(Package); ok {
		p.kind.pkg, p.value = own.Name, &numbered{own.Version, own.Release}
		if p.raw = nil; !bytes.Equal(p.Raw(), raw) {
			p.raw = raw
		}
	}
	return p, nil
}

// Type returns the type of the property, such as "olm.gvk".
func (p *Property) Type() string {
	if p.kind == nil {
		return ""
	}
	return p.kind.typ
}

// Raw returns the value as compact JSON. It is shared: do not modify it.
func (p *Property) Raw() json.RawMessage {
	if own, ok := p.Package(); ok && p.raw == nil {
		const room = len(`{"packageName":"","version":"000.000.000"}`)
		raw := append(make([]byte, 0, room+len(own.Name)), `{"packageName":"`...)
		raw = append(append(raw, own.Name...), `","version":"`...)
		return append(append(raw, own.Version.String()...), `"}`...)
	}
	return p.raw
}

// Value returns the parsed value: a [Package], [GVK], [Label], [Deprecated],
// [MaxOpenShiftVersion], [PackageRequired], [GVKRequired], [LabelRequired] or
// [Constraint] by the type of the property, or nil for any other type.
func (p *Property) Value() any {
	if own, ok := p.Package(); ok {
		return own
	}
	return p.value
}

// Package returns the value of an "olm.package" property, and whether it is one: it
// takes no memory, as Value does.
func (p *Property) Package() (Package, bool) {
	n, ok := p.value.(*numbered)
	if !ok {
		return Package{}, false
	}
	return Package{Name: p.kind.pkg, Version: n.version, Release: n.release}, true
}

// Version returns the version in an "olm.package" property, or nil of another one.
// It is shared: do not modify it.
func (p *Property) Version() *semver.Version {
	if n, ok := p.value.(*numbered); ok {
		return &n.version
	}
	return nil
}

// Equal reports whether both have the same type and the same compact JSON.
func (p *Property) Equal(o *Property) bool {
	if p == nil || o == nil {
		return p == o
	}
	return p == o || p.Type() == o.Type() && bytes.Equal(p.Raw(), o.Raw())
}

// String returns the property as compact JSON.
func (p *Property) String() string {
	if p == nil {
		return "null"
	}
	return string(p.appendJSON(nil))
}
