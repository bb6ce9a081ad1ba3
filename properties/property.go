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

// kinds are those of the types that the package knows.
var kinds = [...]kind{
	{typ: TypePackage}, {typ: TypeGVK}, {typ: TypePackageRequired}, {typ: TypeGVKRequired}, {typ: TypeLabel}, {typ: TypeLabelRequired},
	{typ: TypeConstraint}, {typ: TypeDeprecated}, {typ: TypeMaxOpenShiftVersion}, {typ: TypeCSVMetadata}, {typ: TypeBundleObject},
}

// kindOf returns what the properties of a type share.
func kindOf(typ string) *kind {
	for i := range kinds {
		if kinds[i].typ == typ {
			return &kinds[i]
		}
	}
	return &kind{typ: typ}
}

// numbered is the version and release in an "olm.package" property: many bundles of
// a catalog have the same.
type numbered struct {
	version semver.Version
	release Release
}

// New parses and validates the value of a property of type typ. The bytes of
// value are copied. The error is an [*Error].
func New(typ string, value json.RawMessage) (*Property, error) {
	p, err := build(kindOf(typ), value, bareStrings{})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// build is New with a say in how strings are made.
func build(k *kind, value []byte, s stringer) (*Property, *Error) {
	typ := k.typ
	if typ == "" {
		return nil, newError("", "type", "", "is missing or empty")
	}
	if len(value) == 0 {
		return nil, newError(typ, "value", "", "is missing")
	}
	raw, plain := value, Plain(typ, value)
	if !plain {
		var err *Error
		if raw, err = compact(value); err != nil {
			err.Type, err.Field = shorten(typ), "value"
			return nil, err
		}
		plain = Plain(typ, raw)
	}
	v, err := decode(typ, raw, s)
	if err != nil {
		return nil, err
	}
	p := &Property{kind: k, raw: raw, value: v}
	if own, ok := v.(Package); ok {
		p.kind, p.value = &kind{typ: typ, pkg: own.Name}, &numbered{own.Version, own.Release}
	}
	if plain {
		if p.raw = nil; !p.says(raw) {
			p.raw = bytes.Clone(raw)
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
	if p.raw != nil {
		return p.raw
	}
	parts, n := p.parts()
	if n == 0 {
		return nil
	}
	size := 1
	for _, part := range parts[:n] {
		size += len(`"":"",`) + len(part.name) + len(part.text)
	}
	raw, before := make([]byte, 0, size), `{"`
	for _, part := range parts[:n] {
		raw = append(append(append(append(raw, before...), part.name...), `":"`...), part.text...)
		before = `","`
	}
	return append(raw, `"}`...)
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
	return p == o || p.Type() == o.Type() && (p.raw == nil && p.kind == o.kind && p.value == o.value || bytes.Equal(p.Raw(), o.Raw()))
}

// String returns the property as compact JSON.
func (p *Property) String() string {
	if p == nil {
		return "null"
	}
	return string(p.appendJSON(nil))
}
