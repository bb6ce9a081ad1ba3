package properties

import (
	"bytes"
	"encoding/json"

	"github.com/seed109e2655/resolute/internal/quickjson"
)

// kind is what many properties share: their type, and the name in an "olm.package".
type kind struct {
	*form
	pkg string
}

// form is a type, and the fields of its values if those are nothing but texts.
type form struct {
	typ      string
	fields   []string
	optional string   // the one of them that may be absent, null or empty
	leads    []string // what stands before each text, as everybody writes it, without what is optional
}

// mostFields is how many fields a form has, the optional one included.
const mostFields = 3

// kinds are those of the types that the package knows.
var kinds = [...]kind{
	textsKind(TypeGVK, "group", "version", "kind"), textsKind(TypePackage, "packageName", "version"),
	textsKind(TypeGVKRequired, "group", "version", "kind"), textsKind(TypePackageRequired, "packageName", "versionRange"),
	textsKind(TypeLabel, "label"), textsKind(TypeLabelRequired, "label"),
	textsKind(TypeConstraint), textsKind(TypeDeprecated), textsKind(TypeMaxOpenShiftVersion), textsKind(TypeCSVMetadata), textsKind(TypeBundleObject),
}

// textsKind returns the kind of a type whose values have such fields.
func textsKind(typ string, fields ...string) kind {
	f, before := &form{typ: typ, fields: fields}, `{"`
	for _, name := range fields {
		f.leads = append(f.leads, before+name+`":"`)
		before = `","`
	}
	if typ == TypePackage {
		f.optional = "release"
		f.fields = append(f.fields, f.optional)
	}
	return kind{form: f}
}

// knownKind returns what the properties of a type share that the package knows, or
// nil.
func knownKind(typ string) *kind {
	for i := range kinds {
		if kinds[i].typ == typ {
			return &kinds[i]
		}
	}
	return nil
}

// kindOf returns what the properties of a type share.
func kindOf(typ string) *kind {
	if k := knownKind(typ); k != nil {
		return k
	}
	return &kind{form: &form{typ: typ}}
}

// fieldTexts are those of the fields of a value.
type fieldTexts [mostFields][]byte

// plain reads a value with which b begins and that is written as nearly all are that
// are nothing but texts: the fields in their order, in printable ASCII without
// escapes, and nothing else. It returns the texts and the length of the value, which
// is valid JSON then and can be written again of the texts, or 0 for any other.
func (k *form) plain(b []byte) (texts fieldTexts, length int) {
	at := 0
	for i, lead := range k.leads {
		if len(b)-at < len(lead) || string(b[at:at+len(lead)]) != lead {
			return texts, 0
		}
		at += len(lead)
		n := quickjson.Plain(b[at:])
		if n == 0 {
			return texts, 0
		}
		texts[i] = b[at : at+n]
		at += n
	}
	if at == 0 || len(b)-at < 2 || b[at] != '"' || b[at+1] != '}' {
		return texts, 0
	}
	return texts, at + 2
}

// kept returns the value as compact JSON if it is kept, or nil if the texts of the
// fields say all of it.
func (p *Property) kept() json.RawMessage {
	switch v := p.value.(type) {
	case *written:
		return v.raw
	case Constraint:
		return json.RawMessage(v)
	case json.RawMessage:
		return v
	}
	return nil
}

// texts returns the texts of the fields of a value that is not kept.
func (p *Property) texts() [mostFields]string {
	switch v := p.value.(type) {
	case *numbered:
		return [...]string{p.kind.pkg, v.version.String(), ""}
	case PackageRequired:
		return [...]string{v.Name, v.Range.String(), ""}
	case GVK:
		return [...]string{v.Group, v.Version, v.Kind}
	case GVKRequired:
		return [...]string{v.Group, v.Version, v.Kind}
	case Label:
		return [...]string{string(v), "", ""}
	case LabelRequired:
		return [...]string{string(v), "", ""}
	}
	return [mostFields]string{}
}

// says reports whether the texts are those of the property, whose value is not kept.
func (p *Property) says(texts *fieldTexts) bool {
	for i, own := range p.texts() {
		if own != string(texts[i]) {
			return false
		}
	}
	return true
}

// isOf reports whether a value is the text that Raw returns.
func (p *Property) isOf(value []byte) bool {
	if raw := p.kept(); raw != nil {
		return bytes.Equal(raw, value)
	}
	texts, n := p.kind.plain(value)
	return n > 0 && n == len(value) && p.says(&texts)
}
