package properties

import (
	"cmp"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/blang/semver/v4"
	"github.com/go-json-experiment/json/jsontext"
)

// Property is one property: a type and a value. It is immutable, safe for
// concurrent use, and meant to be shared by pointer. The zero Property is
// for UnmarshalJSON only.
type Property struct {
	raw   string // the value as compact JSON; the name for newPackage, empty for newPackageRequired
	value any    // the parsed value or a pointer to it; the *semver.Version for newPackage; otherType for other types
}

// otherType is the type of a property whose value is not parsed.
type otherType string

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
	p := &Property{raw: string(raw)}
	if p.value, err = decode(typ, raw, p.raw); err != nil {
		return nil, err
	}
	if p.value == nil {
		p.value = otherType(typ)
	}
	return p, nil
}

// NewPackage returns the "olm.package" property of a package and a version, without a
// release. The property keeps version: do not modify it. The error is an [*Error].
func NewPackage(name string, version *semver.Version) (*Property, error) {
	if err := checkName(TypePackage, name); err != nil {
		return nil, err
	}
	if version == nil {
		return nil, newError(TypePackage, "version", "", "is missing or empty")
	}
	if err := version.Validate(); err != nil {
		return nil, newError(TypePackage, "version", version.String(), "is not a semantic version: "+err.Error())
	}
	return &Property{raw: name, value: version}, nil
}

// NewPackageRequired returns the "olm.package.required" property of a package and a range. A range
// of [NewRange] is an error, because its text need not be in the syntax of properties. The error
// is an [*Error].
func NewPackageRequired(name string, versions Range) (*Property, error) {
	if err := checkName(TypePackageRequired, name); err != nil {
		return nil, err
	}
	if versions.IsZero() {
		return nil, newError(TypePackageRequired, "versionRange", "", "is missing or empty")
	}
	if versions.given || !utf8.ValidString(versions.text) {
		return nil, newError(TypePackageRequired, "versionRange", versions.text, "is not a text that a property can have")
	}
	own := struct { // one allocation
		property Property
		value    PackageRequired
	}{value: PackageRequired{Name: name, Range: versions}}
	own.property.value = &own.value
	return &own.property, nil
}

// checkName returns why a package name is invalid, or nil.
func checkName(typ, name string) *Error {
	switch {
	case name == "":
		return newError(typ, "packageName", "", "is missing or empty")
	case !utf8.ValidString(name):
		return newError(typ, "packageName", name, "is not valid UTF-8")
	}
	return checkText(typ, "packageName", name, maxNameLength)
}

// Type returns the type of the property, such as "olm.gvk".
func (p *Property) Type() string {
	switch own := p.value.(type) {
	case *semver.Version, *Package:
		return TypePackage
	case GVK:
		return TypeGVK
	case *GVKRequired:
		return TypeGVKRequired
	case *PackageRequired:
		return TypePackageRequired
	case otherType:
		return string(own)
	case Label:
		return TypeLabel
	case LabelRequired:
		return TypeLabelRequired
	case Constraint:
		return TypeConstraint
	case Deprecated:
		return TypeDeprecated
	case MaxOpenShiftVersion:
		return TypeMaxOpenShiftVersion
	}
	return ""
}

// Raw returns the value as compact JSON.
func (p *Property) Raw() string {
	switch own := p.value.(type) {
	case *semver.Version:
		return twoTexts("packageName", p.raw, "version", own.String())
	case *PackageRequired:
		if p.raw == "" {
			return twoTexts("packageName", own.Name, "versionRange", own.Range.text)
		}
	}
	return p.raw
}

// twoTexts returns a compact JSON object with two string members.
func twoTexts(first, one, second, two string) string {
	var memory [256]byte
	b := memory[:0]
	for i, text := range [...]string{first, one, second, two} {
		b = append(b, "{:,:"[i])
		b, _ = jsontext.AppendQuote(b, text)
	}
	return string(append(b, '}'))
}

// Value returns the parsed value: a [Package], [GVK], [Label], [Deprecated],
// [MaxOpenShiftVersion], [PackageRequired], [GVKRequired], [LabelRequired] or
// [Constraint] by the type of the property, or nil for any other type.
func (p *Property) Value() any {
	switch own := p.value.(type) {
	case *semver.Version, *Package:
		value, _ := p.Package()
		return value
	case *GVKRequired:
		return *own
	case *PackageRequired:
		return *own
	case otherType:
		return nil
	}
	return p.value
}

// Package returns the value of an "olm.package" property, and whether p is one.
func (p *Property) Package() (Package, bool) {
	switch own := p.value.(type) {
	case *semver.Version:
		return Package{Name: p.raw, Version: *own}, true
	case *Package:
		return *own, true
	}
	return Package{}, false
}

// Version returns the version of an "olm.package" property, or nil for other types. Do not
// modify it.
func (p *Property) Version() *semver.Version {
	switch own := p.value.(type) {
	case *semver.Version:
		return own
	case *Package:
		return &own.Version
	}
	return nil
}

// Equal reports whether both have the same type and the same compact JSON.
func (p *Property) Equal(o *Property) bool {
	if p == nil || o == nil {
		return p == o
	}
	return p == o || p.Type() == o.Type() && p.Raw() == o.Raw()
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
	b, _ = jsontext.AppendQuote(b, strings.ToValidUTF8(p.Type(), "\uFFFD"))
	b = append(b, `,"value":`...)
	return append(append(b, cmp.Or(p.Raw(), "null")...), '}')
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
