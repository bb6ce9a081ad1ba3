package properties

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/go-json-experiment/json/jsontext"
)

// Property is one property: a type and a value. It is immutable, safe for
// concurrent use, and meant to be shared by pointer. The zero Property is
// only there to be unmarshalled into.
type Property struct {
	typ   string
	raw   json.RawMessage // nil for an "olm.package" that plainPackage read
	value any             // what Value returns, but a *Package for an "olm.package"
}

// New parses and validates the value of a property of type typ. The bytes of
// value are copied. The error is an [*Error].
func New(typ string, value json.RawMessage) (*Property, error) {
	if typ == "" {
		return nil, newError("", "type", "", "is missing or empty")
	}
	if len(value) == 0 {
		return nil, newError(typ, "value", "", "is missing")
	}
	var memory [256]byte
	raw, err := compact(memory[:0], value)
	if err != nil {
		err.Type, err.Field = shorten(typ), "value"
		return nil, err
	}
	if typ == TypePackage {
		if own := plainPackage(raw); own != nil {
			return own, nil
		}
	}
	p := &Property{typ: typ, raw: bytes.Clone(raw)}
	if p.value, err = decode(typ, p.raw); err != nil {
		return nil, err
	}
	return p, nil
}

// What stands before the name, before the version and behind it in the value of an
// "olm.package", as everybody writes it.
const beforeName, beforeVersion, afterVersion = `{"packageName":"`, `","version":"`, `"}`

// plainPackage makes a property of the value of an "olm.package" as it is mostly written:
// every bundle has one, and no two bundles the same. It returns nil for any other, right or
// wrong.
func plainPackage(value []byte) *Property {
	value, ok := bytes.CutPrefix(value, []byte(beforeName))
	name, version, both := bytes.Cut(value, []byte(beforeVersion))
	version, ended := bytes.CutSuffix(version, []byte(afterVersion))
	special := func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }
	if !ok || !both || !ended || len(name) == 0 || len(name) > maxNameLength || bytes.ContainsFunc(name, special) {
		return nil
	}
	v, ok := plainVersion(string(version))
	if !ok {
		return nil
	}
	own := &struct {
		Property
		Package
	}{Package: Package{Name: string(name), Version: v}}
	own.Property = Property{typ: TypePackage, value: &own.Package}
	return &own.Property
}

// Type returns the type of the property, such as "olm.gvk".
func (p *Property) Type() string { return p.typ }

// Raw returns the value as compact JSON. It is shared: do not modify it.
func (p *Property) Raw() json.RawMessage {
	if own, ok := p.value.(*Package); ok && p.raw == nil {
		return json.RawMessage(beforeName + own.Name + beforeVersion + own.Version.String() + afterVersion)
	}
	return p.raw
}

// Value returns the parsed value: a [Package], [GVK], [Label], [Deprecated],
// [MaxOpenShiftVersion], [PackageRequired], [GVKRequired], [LabelRequired] or
// [Constraint] by the type of the property, or nil for any other type.
func (p *Property) Value() any {
	if own, ok := p.value.(*Package); ok {
		return *own
	}
	return p.value
}

// Package returns the value of an "olm.package" property, and whether it is one.
func (p *Property) Package() (Package, bool) {
	if own, ok := p.value.(*Package); ok {
		return *own, true
	}
	return Package{}, false
}

// Version returns the version in an "olm.package" property, or nil of another one.
// It is shared: do not modify it.
func (p *Property) Version() *semver.Version {
	if own, ok := p.value.(*Package); ok {
		return &own.Version
	}
	return nil
}

// Equal reports whether both have the same type and the same compact JSON.
func (p *Property) Equal(o *Property) bool {
	if p == nil || o == nil {
		return p == o
	}
	return p == o || p.typ == o.typ && bytes.Equal(p.Raw(), o.Raw())
}

// String returns the property as compact JSON.
func (p *Property) String() string {
	if p == nil {
		return "null"
	}
	return string(p.appendJSON(nil))
}

// appendJSON appends the property as compact JSON.
func (p *Property) appendJSON(b []byte) []byte {
	b = append(b, `{"type":`...)
	b, _ = jsontext.AppendQuote(b, strings.ToValidUTF8(p.typ, "\uFFFD"))
	b = append(b, `,"value":`...)
	raw := p.Raw()
	if len(raw) == 0 {
		b = append(b, "null"...)
	}
	return append(append(b, raw...), '}')
}

// MarshalJSON writes {"type": …, "value": …} with the value as it was
// declared, compact.
func (p *Property) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalJSON reads what MarshalJSON writes and validates it as [New] does.
// It is for a Property that is not shared yet. The error is an [*Error].
func (p *Property) UnmarshalJSON(data []byte) error {
	raw, invalid := compact(nil, data)
	if invalid != nil {
		return invalid
	}
	parsed, err := parseOne(raw)
	if err != nil {
		return err
	}
	*p = *parsed
	return nil
}
