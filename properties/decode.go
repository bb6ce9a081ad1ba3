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

// MaxNameLength bounds a package name, and MaxLabelTextLength a label, in
// bytes. Both must print: they appear in every message about the bundle.
const (
	MaxNameLength      = 253
	MaxLabelTextLength = 1024
)

// decode returns a property, whose value is nil for a type that the package does not
// know. raw is valid compact JSON.
func decode(k *kind, raw []byte, s *sharedStrings) (Property, *Error) {
	if len(k.fields) > 0 {
		texts, err := readFields(k.form, raw)
		if err != nil {
			return Property{}, err
		}
		return ofTexts(k, &texts, s)
	}
	p := Property{kind: k}
	switch k.typ {
	case TypeConstraint:
		p.value = Constraint(raw)
		return p, wantObject(k.typ, raw)
	case TypeDeprecated:
		p.value = Deprecated{}
		return p, wantObject(k.typ, raw)
	case TypeMaxOpenShiftVersion:
		p.value = decodeMaxOpenShiftVersion(raw, s)
	}
	return p, nil
}

// ofTexts returns the property whose fields have such texts.
func ofTexts(k *kind, texts *fieldTexts, s *sharedStrings) (Property, *Error) {
	value, err := any(nil), (*Error)(nil)
	switch k.typ {
	case TypeGVK:
		g := gvkOf(texts, s)
		value, err = g, g.check(k.typ)
	case TypeGVKRequired:
		g := gvkOf(texts, s)
		value, err = GVKRequired{g}, g.check(k.typ)
	case TypePackage:
		return packageOf(k, texts, s)
	case TypePackageRequired:
		value, err = packageRequiredOf(texts, s)
	case TypeLabel:
		label := s.string(texts[0])
		value, err = Label(label), checkText(k.typ, "label", label, MaxLabelTextLength)
	case TypeLabelRequired:
		label := s.string(texts[0])
		value, err = LabelRequired(label), checkText(k.typ, "label", label, MaxLabelTextLength)
	}
	return Property{k, value}, err
}

// gvkOf returns the value of an "olm.gvk" or "olm.gvk.required".
func gvkOf(texts *fieldTexts, s *sharedStrings) GVK {
	return GVK{Group: s.string(texts[0]), Version: s.string(texts[1]), Kind: s.string(texts[2])}
}

// packageOf returns an "olm.package" property.
func packageOf(k *kind, texts *fieldTexts, s *sharedStrings) (Property, *Error) {
	name := s.string(texts[0])
	if err := checkText(TypePackage, "packageName", name, MaxNameLength); err != nil {
		return Property{}, err
	}
	text := string(texts[1])
	version, err := ParseVersion(text)
	if err != nil {
		return Property{}, newError(TypePackage, "version", text, err.Error())
	}
	release, err := ParseRelease(s.string(texts[2]))
	if err != nil {
		return Property{}, newError(TypePackage, "release", string(texts[2]), err.Error())
	}
	return Property{&kind{k.form, name}, &numbered{version, release}}, nil
}

// packageRequiredOf returns the value of an "olm.package.required".
func packageRequiredOf(texts *fieldTexts, s *sharedStrings) (any, *Error) {
	name, text := s.string(texts[0]), s.string(texts[1])
	if err := checkText(TypePackageRequired, "packageName", name, MaxNameLength); err != nil {
		return nil, err
	}
	r, err := s.versionRange(text)
	if err != nil {
		return nil, newError(TypePackageRequired, "versionRange", text, err.Error())
	}
	return PackageRequired{Name: name, Range: r}, nil
}

// decodeMaxOpenShiftVersion takes whatever is there, for what makes no sense
// means something too: see [MaxOpenShiftVersion].
func decodeMaxOpenShiftVersion(raw []byte, s *sharedStrings) MaxOpenShiftVersion {
	text := raw
	if raw[0] == '"' {
		text = quickjson.Unquote(raw)
	}
	if len(text) > MaxVersionLength { // keep what shows that it is too long
		text = bytes.ToValidUTF8(text[:MaxVersionLength+1], []byte("."))
	}
	return MaxOpenShiftVersion(s.string(text))
}

// readFields returns the texts of the fields from the object raw. Each must be there
// once and be a string, with something in it unless it is optional; other keys are
// ignored.
func readFields(k *form, raw []byte) (texts fieldTexts, _ *Error) {
	if err := wantObject(k.typ, raw); err != nil {
		return texts, err
	}
	var seen [mostFields]bool
	for key, at := range quickjson.Members(raw) {
		name := string(quickjson.Unquote(key))
		i := slices.Index(k.fields, name)
		if i < 0 {
			continue
		}
		if seen[i] {
			return texts, newError(k.typ, name, "", "is given more than once")
		}
		seen[i] = true
		value := at.Of(raw)
		if name == k.optional && string(value) == "null" {
			continue
		}
		var err *Error
		if texts[i], err = wantText(k.typ, name, value); err != nil {
			return texts, err
		}
	}
	for i, name := range k.fields {
		if len(texts[i]) == 0 && name != k.optional {
			return texts, newError(k.typ, name, "", "is missing or empty")
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
