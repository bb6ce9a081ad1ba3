package properties

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/internal/text"
)

// MaxNameLength bounds a package name, and MaxLabelTextLength a label, in
// bytes. Both must print: they appear in every message about the bundle.
const (
	MaxNameLength      = 253
	MaxLabelTextLength = 1024
)

// decode returns the typed value of a property, or nil for a type that the
// package does not know. raw is valid compact JSON.
func decode(typ string, raw []byte, s stringer) (any, *Error) {
	switch typ {
	case TypeGVK:
		g, err := decodeGVK(typ, raw, s)
		return g, err
	case TypeGVKRequired:
		g, err := decodeGVK(typ, raw, s)
		return GVKRequired{g}, err
	case TypePackage:
		return decodePackage(raw, s)
	case TypePackageRequired:
		return decodePackageRequired(raw, s)
	case TypeLabel:
		l, err := decodeLabel(typ, raw, s)
		return Label(l), err
	case TypeLabelRequired:
		l, err := decodeLabel(typ, raw, s)
		return LabelRequired(l), err
	case TypeConstraint:
		return Constraint(raw), wantObject(typ, raw)
	case TypeDeprecated:
		return Deprecated{}, wantObject(typ, raw)
	case TypeMaxOpenShiftVersion:
		return decodeMaxOpenShiftVersion(raw, s), nil
	}
	return nil, nil
}

// decodeGVK reads the object of "olm.gvk" and "olm.gvk.required".
func decodeGVK(typ string, raw []byte, s stringer) (GVK, *Error) {
	f := [...]field{{name: "group"}, {name: "version"}, {name: "kind"}}
	if err := readFields(typ, raw, f[:]); err != nil {
		return GVK{}, err
	}
	g := GVK{Group: s.string(f[0].text), Version: s.string(f[1].text), Kind: s.string(f[2].text)}
	return g, g.check(typ)
}

// decodePackage reads the object of "olm.package".
func decodePackage(raw []byte, s stringer) (any, *Error) {
	f := [...]field{{name: "packageName"}, {name: "version"}, {name: "release", optional: true}}
	if err := readFields(TypePackage, raw, f[:]); err != nil {
		return nil, err
	}
	name := s.string(f[0].text)
	if reason := textProblem(name, MaxNameLength); reason != "" {
		return nil, newError(TypePackage, f[0].name, name, reason)
	}
	text := string(f[1].text)
	version, err := ParseVersion(text)
	if err != nil {
		return nil, newError(TypePackage, f[1].name, text, err.Error())
	}
	release, err := ParseRelease(s.string(f[2].text))
	if err != nil {
		return nil, newError(TypePackage, f[2].name, string(f[2].text), err.Error())
	}
	return Package{Name: name, Version: version, Release: release}, nil
}

// decodePackageRequired reads the object of "olm.package.required".
func decodePackageRequired(raw []byte, s stringer) (any, *Error) {
	f := [...]field{{name: "packageName"}, {name: "versionRange"}}
	if err := readFields(TypePackageRequired, raw, f[:]); err != nil {
		return nil, err
	}
	name := s.string(f[0].text)
	if reason := textProblem(name, MaxNameLength); reason != "" {
		return nil, newError(TypePackageRequired, f[0].name, name, reason)
	}
	text := s.string(f[1].text)
	r, err := s.versionRange(text)
	if err != nil {
		return nil, newError(TypePackageRequired, f[1].name, text, err.Error())
	}
	return PackageRequired{Name: name, Range: r}, nil
}

// decodeLabel reads the object of "olm.label" and "olm.label.required".
func decodeLabel(typ string, raw []byte, s stringer) (string, *Error) {
	f := [...]field{{name: "label"}}
	if err := readFields(typ, raw, f[:]); err != nil {
		return "", err
	}
	label := s.string(f[0].text)
	if reason := textProblem(label, MaxLabelTextLength); reason != "" {
		return "", newError(typ, f[0].name, label, reason)
	}
	return label, nil
}

// decodeMaxOpenShiftVersion takes whatever is there, for what makes no sense
// means something too: see [MaxOpenShiftVersion].
func decodeMaxOpenShiftVersion(raw []byte, s stringer) MaxOpenShiftVersion {
	text := raw
	if raw[0] == '"' {
		text = quickjson.Unquote(raw)
	}
	if len(text) > MaxVersionLength { // keep what shows that it is too long
		text = bytes.ToValidUTF8(text[:MaxVersionLength+1], []byte("."))
	}
	return MaxOpenShiftVersion(s.string(text))
}

// field is one text field of the value of a property.
type field struct {
	name     string
	text     []byte
	seen     bool
	optional bool // it may be absent, null or empty
}

// readFields fills the fields from the object raw. Each must be there once
// and be a string, with something in it unless it is optional; other keys are
// ignored.
func readFields(typ string, raw []byte, fields []field) *Error {
	if plainFields(raw, fields) {
		return nil
	}
	if err := wantObject(typ, raw); err != nil {
		return err
	}
	for key, at := range quickjson.Members(raw) {
		name := quickjson.Unquote(key)
		for i := range fields {
			if f := &fields[i]; string(name) == f.name {
				if err := f.set(typ, at.Of(raw)); err != nil {
					return err
				}
				break
			}
		}
	}
	for i := range fields {
		if len(fields[i].text) == 0 && !fields[i].optional {
			return newError(typ, fields[i].name, "", "is missing or empty")
		}
	}
	return nil
}

// plainFields is readFields for fields that are written in their order, without
// escapes, optional ones and anything else. It returns false for what is not, right
// or wrong.
func plainFields(raw []byte, f []field) bool {
	rest, before := raw, `{"`
	for i := range f {
		if f[i].optional {
			break
		}
		n := len(before) + len(f[i].name)
		if len(rest) < n+len(`":"`) || string(rest[:len(before)]) != before ||
			string(rest[len(before):n]) != f[i].name || string(rest[n:n+len(`":"`)]) != `":"` {
			return false
		}
		rest = rest[n+len(`":"`):]
		end := bytes.IndexByte(rest, '"')
		if end <= 0 || bytes.IndexByte(rest[:end], '\\') >= 0 {
			return false
		}
		f[i].text, rest, before = rest[:end], rest[end:], `","`
	}
	return string(rest) == `"}`
}

// set takes the value of the field.
func (f *field) set(typ string, value []byte) *Error {
	if f.seen {
		return newError(typ, f.name, "", "is given more than once")
	}
	f.seen = true
	if f.optional && string(value) == "null" {
		return nil
	}
	if value[0] != '"' {
		return newError(typ, f.name, string(value), "must be a string, not "+quickjson.KindOf(value))
	}
	f.text = quickjson.Unquote(value)
	return nil
}

// wantObject says that raw is not an object, or returns nil.
func wantObject(typ string, raw []byte) *Error {
	if raw[0] == '{' {
		return nil
	}
	return newError(typ, "value", string(raw), "must be an object, not "+quickjson.KindOf(raw))
}

// textProblem says why a name or label cannot be used, or returns "".
func textProblem(s string, limit int) string {
	if len(s) > limit {
		return fmt.Sprintf("is too long: at most %d bytes are allowed", limit)
	}
	if !text.Plain(s) && strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "holds a character that does not print"
	}
	return ""
}
