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
	kind *kind
	// A *numbered of an "olm.package", else what Value returns; a *written if that
	// does not say all, and a json.RawMessage if there is no typed value.
	value any
}

// written is a value that is not written as others are that say the same.
type written struct {
	raw   json.RawMessage
	value any
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
	p, err := build(kindOf(typ), value, nil)
	if err != nil {
		return nil, err
	}
	return &p, nil
}

// build is New with a say in how strings are made.
func build(k *kind, value []byte, s *sharedStrings) (p Property, err *Error) {
	typ := k.typ
	if typ == "" {
		return p, newError("", "type", "", "is missing or empty")
	}
	if len(value) == 0 {
		return p, newError(typ, "value", "", "is missing")
	}
	raw := value
	texts, n := k.plain(value)
	if n != len(value) {
		if raw, err = compact(value); err != nil {
			err.Type, err.Field = shorten(typ), "value"
			return p, err
		}
		texts, n = k.plain(raw)
	}
	if n == len(raw) {
		if p, err = ofTexts(k, &texts, s); err == nil && !p.says(&texts) {
			p.value = &written{bytes.Clone(raw), p.value}
		}
		return p, err
	}
	p, err = decode(k, raw, s)
	switch p.value.(type) {
	case nil:
		p.value = json.RawMessage(raw)
	case Constraint:
	default:
		p.value = &written{raw, p.value}
	}
	return p, err
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
	if raw := p.kept(); raw != nil || p.kind == nil {
		return raw
	}
	texts, size := p.texts(), len(`"}`)
	for i, lead := range p.kind.leads {
		size += len(lead) + len(texts[i])
	}
	raw := make([]byte, 0, size)
	for i, lead := range p.kind.leads {
		raw = append(append(raw, lead...), texts[i]...)
	}
	return append(raw, `"}`...)
}

// parsed returns the parsed value: as Value does, but a *numbered of an "olm.package".
func (p *Property) parsed() any {
	switch v := p.value.(type) {
	case *written:
		return v.value
	case json.RawMessage:
		return nil
	}
	return p.value
}

// Value returns the parsed value: a [Package], [GVK], [Label], [Deprecated],
// [MaxOpenShiftVersion], [PackageRequired], [GVKRequired], [LabelRequired] or
// [Constraint] by the type of the property, or nil for any other type.
func (p *Property) Value() any {
	if own, ok := p.Package(); ok {
		return own
	}
	return p.parsed()
}

// Package returns the value of an "olm.package" property, and whether it is one: it
// takes no memory, as Value does.
func (p *Property) Package() (Package, bool) {
	n, ok := p.parsed().(*numbered)
	if !ok {
		return Package{}, false
	}
	return Package{Name: p.kind.pkg, Version: n.version, Release: n.release}, true
}

// Version returns the version in an "olm.package" property, or nil of another one.
// It is shared: do not modify it.
func (p *Property) Version() *semver.Version {
	if n, ok := p.parsed().(*numbered); ok {
		return &n.version
	}
	return nil
}

// Equal reports whether both have the same type and the same compact JSON.
func (p *Property) Equal(o *Property) bool {
	if p == nil || o == nil {
		return p == o
	}
	return p == o || p.Type() == o.Type() && (p.kept() == nil && p.kind == o.kind && p.value == o.value || bytes.Equal(p.Raw(), o.Raw()))
}

// String returns the property as compact JSON.
func (p *Property) String() string {
	if p == nil {
		return "null"
	}
	return string(p.appendJSON(nil))
}
