package properties

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/internal/text"
)

// maxNameLength bounds a package name, and maxLabelTextLength a label, in
// bytes. Both must print: they appear in every message about the bundle.
const (
	maxNameLength      = 253
	maxLabelTextLength = 1024
)

// decode returns the typed value of a property, nil for a type that the package does
// not know. raw is valid compact JSON, and same the same text, which the value shares.
func decode(typ string, raw []byte, same string) (any, *Error) {
	switch typ {
	case TypeGVK, TypeGVKRequired:
		f, err := readFields(typ, raw, same, "", "group", "version", "kind")
		if err != nil {
			return nil, err
		}
		g := GVK{f[0], f[1], f[2]}
		if typ == TypeGVK {
			return g, g.check(typ)
		}
		return &GVKRequired{GVK: g}, g.check(typ)
	case TypePackage:
		return decodePackage(raw, same)
	case TypePackageRequired:
		return decodePackageRequired(raw, same)
	case TypeLabel, TypeLabelRequired:
		f, err := readFields(typ, raw, same, "", "label")
		if err != nil {
			return nil, err
		}
		if typ == TypeLabel {
			return Label(f[0]), checkText(typ, "label", f[0], maxLabelTextLength)
		}
		return LabelRequired(f[0]), checkText(typ, "label", f[0], maxLabelTextLength)
	case TypeConstraint:
		return Constraint(same), wantObject(typ, raw)
	case TypeDeprecated:
		return Deprecated{}, wantObject(typ, raw)
	case TypeMaxOpenShiftVersion:
		return decodeMaxOpenShiftVersion(raw), nil
	}
	return nil, nil
}

// decodePackage returns the value of an "olm.package" property.
func decodePackage(raw []byte, same string) (any, *Error) {
	f, invalid := readFields(TypePackage, raw, same, "release", "packageName", "version", "release")
	if invalid == nil {
		invalid = checkText(TypePackage, "packageName", f[0], maxNameLength)
	}
	if invalid != nil {
		return nil, invalid
	}
	version, err := ParseVersion(f[1])
	if err != nil {
		return nil, newError(TypePackage, "version", f[1], err.Error())
	}
	release, err := ParseRelease(f[2])
	if err != nil {
		return nil, newError(TypePackage, "release", f[2], err.Error())
	}
	return &Package{f[0], version, release}, nil
}

// decodePackageRequired returns the value of an "olm.package.required" property.
func decodePackageRequired(raw []byte, same string) (any, *Error) {
	f, invalid := readFields(TypePackageRequired, raw, same, "", "packageName", "versionRange")
	if invalid == nil {
		invalid = checkText(TypePackageRequired, "packageName", f[0], maxNameLength)
	}
	if invalid != nil {
		return nil, invalid
	}
	r, err := ParseRange(f[1])
	if err != nil {
		return nil, newError(TypePackageRequired, "versionRange", f[1], err.Error())
	}
	return &PackageRequired{Name: f[0], Range: r}, nil
}

// decodeMaxOpenShiftVersion takes whatever is there, for what makes no sense
// means something too: see [MaxOpenShiftVersion].
func decodeMaxOpenShiftVersion(raw []byte) MaxOpenShiftVersion {
	if raw[0] == '"' {
		raw = quickjson.Unquote(raw)
	}
	if len(raw) > maxVersionLength { // keep what shows that it is too long
		raw = bytes.ToValidUTF8(raw[:maxVersionLength+1], []byte("."))
	}
	return MaxOpenShiftVersion(raw)
}

// mostFields is the maximum number of fields of one readFields call.
const mostFields = 3

// readFields returns the texts of the named fields of the object raw. Each must be there
// once and be a string, with something in it; the optional one may be absent, null or
// empty. Other keys are ignored. Texts are parts of the same text
// as raw, if it is given.
func readFields(typ string, raw []byte, same, optional string, names ...string) (texts [mostFields]string, _ *Error) {
	if err := wantObject(typ, raw); err != nil {
		return texts, err
	}
	var seen [mostFields]bool
	scanner := quickjson.Scanner{Text: raw, Halves: true}
	in, ok := scanner.Open(0)
	for ok && in.Next() { // not by quickjson.All, which would have raw in the heap
		i := slices.Index(names, string(quickjson.Unquote(in.Name.Of(raw))))
		if i < 0 {
			continue
		}
		name, at := names[i], in.Value
		value := at.Of(raw)
		if seen[i] {
			return texts, newError(typ, name, "", "is given more than once")
		}
		seen[i] = true
		if name == optional && string(value) == "null" {
			continue
		}
		own, err := wantText(typ, name, value)
		if err != nil {
			return texts, err
		}
		if same != "" && len(own) == at.To-at.From-2 { // without an escape
			texts[i] = same[at.From+1 : at.To-1]
		} else {
			texts[i] = string(own)
		}
	}
	for i, name := range names {
		if texts[i] == "" && name != optional {
			return texts, newError(typ, name, "", "is missing or empty")
		}
	}
	return texts, nil
}

// wantText returns the text of a field whose value is a string.
func wantText(typ, field string, value []byte) ([]byte, *Error) {
	if value[0] != '"' {
		return nil, newError(typ, field, string(value), "must be a string, not "+quickjson.KindOf(value))
	}
	return quickjson.Unquote(value), nil
}

// wantObject says that raw is not an object, or returns nil.
func wantObject(typ string, raw []byte) *Error {
	if raw[0] == '{' {
		return nil
	}
	return newError(typ, "value", string(raw), "must be an object, not "+quickjson.KindOf(raw))
}

// checkText says why a name or label cannot be used, or returns nil.
func checkText(typ, field, value string, most int) *Error {
	if len(value) > most {
		return newError(typ, field, value, fmt.Sprintf("is too long: at most %d bytes are allowed", most))
	}
	if !text.Plain(value) && strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return newError(typ, field, value, "holds a character that does not print")
	}
	return nil
}
