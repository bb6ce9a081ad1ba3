package read

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// bundle decodes an olm.bundle blob.
func (r *reading) bundle() {
	d := graph.BundleDecl{Name: r.string(nameName), Pos: r.pos()}
	if raw := r.raw(r.scanned.values[nameImage]); len(raw) > 0 && raw[0] == '"' { // of which no two bundles have the same
		d.Image = r.pool.own(quickjson.Unquote(raw))
	} else {
		r.string(nameImage)
	}
	pkg := r.string(namePackage)
	r.pool.predicted = pkg
	r.list, r.lines, r.manifests = r.list[:0], r.lines[:0], r.manifests[:0]
	lines := r.current.manyLines(r.scanned.span)
	r.scanned.last.forget()
	list := r.array(nameProperties)
	for i := range list {
		if r.stopped(i) {
			return
		}
		at := list[i].span
		flaws := len(r.flaws) + r.more
		property := r.property(&list[i], d.Name)
		if property == nil {
			continue
		}
		if len(r.flaws)+r.more == flaws { // otherwise the next bundle that repeats it would lack the flaw
			r.scanned.last.add(r.raw(at), property)
		}
		r.list = append(r.list, property)
		if lines {
			r.lines = append(r.lines, r.current.LineAt(at.From))
		}
	}
	d.Properties = r.scanned.last.sets.Set(r.list...)
	clear(r.list)
	d.Compatibility = r.compatibility(d.Properties)
	if d.Metadata = r.about; d.Metadata == nil && r.opts.Metadata {
		d.Metadata = &properties.Metadata{}
	}
	if r.runs.seen && lines {
		d.CompatibilityLine = r.current.LineAt(r.runs.at)
	}
	if value, ok := d.Properties.Package(); pkg == "" && ok && d.Name != "" {
		pkg = value.Name
		r.flaw(CodeFieldMissing, r.scanned.From, "bundle %q has no package: add the field, with %q as its %s property has it", d.Name, pkg, properties.TypePackage)
	}
	if !r.placed(pkg, "name or package", pkg, d.Name) {
		return
	}
	r.images(&d, list)
	d.Lines, d.Flaws = slices.Clone(r.lines), r.found()
	p := r.pkg(pkg)
	if p.Bundles == nil { // capacity for as many as a channel lists, whatever the file claims
		const most = 256
		n := 0
		for i := range p.Channels {
			n = max(n, len(p.Channels[i].Entries))
		}
		p.Bundles = make([]graph.BundleDecl, 0, min(n, most))
	}
	p.Bundles = append(p.Bundles, d)
}

// property returns a property, or nil for one that is invalid or dropped.
func (r *reading) property(o *object, bundle string) *properties.Property {
	if o.known != nil {
		return o.known
	}
	if !r.isObject(o, "a property of a bundle must be an object with a type and a value") {
		return nil
	}
	raw, at := r.raw(o.span), o.span
	if len(raw) > r.opts.MaxPropertyBytes {
		r.tooLargeProperty(raw, at, bundle)
		return nil
	}
	before := len(r.flaws) + r.more
	r.repeated(o, "a property", nameType, nameValue)
	typ, value := r.text(o, nameType, "a property"), r.raw(o.values[nameValue])
	switch {
	case len(r.flaws)+r.more > before:
		return nil
	case typ != "" && !r.opts.keeps(typ):
		r.compatibilityOf(typ, value, at)
		return nil
	}
	if plain := r.plain(typ, raw, value); plain != nil {
		return plain
	}
	var shared **properties.Property
	if typ != properties.TypePackage && len(raw) <= maxShared { // packages differ between bundles
		if shared = r.pool.property(raw); r.pool.is(*shared, typ, value) {
			return *shared
		}
	}
	if quickjson.Deeper(value, r.opts.Limits.MaxDepth) {
		r.flaw(CodeTooLarge, at.From, "the value of a property %s of bundle %q is nested deeper than %d levels", typ, bundle, r.opts.Limits.MaxDepth)
		return nil
	}
	if isNull(value) {
		r.refuse(CodePropertyNull, at.From, "the property %s of bundle %q has the value null: give it a value, or remove it", typ, bundle)
	}
	property, err := properties.New(typ, value)
	if err != nil {
		r.add(graph.Flaw{Code: "propertyInvalid", Property: typ, Line: r.current.LineAt(at.From),
			Message: fmt.Sprintf("bundle %q has an invalid property: %v", bundle, cause(err))})
		return nil
	}
	if shared != nil && !isNull(value) {
		*shared = property
	}
	return property
}

// plain returns an "olm.package" or "olm.package.required" property in its usual form from the
// pool. It returns nil for any other.
func (r *reading) plain(typ string, raw, value []byte) *properties.Property {
	second := "version"
	switch typ {
	case properties.TypePackage:
	case properties.TypePackageRequired:
		second = "versionRange"
	default:
		return nil
	}
	texts, ok := twoTexts(value)
	if !ok || string(texts[0]) != "packageName" || string(texts[2]) != second {
		return nil
	}
	if typ == properties.TypePackageRequired {
		return r.pool.required(raw, r.pool.string(texts[1]), r.pool.versions(texts[3]))
	}
	// No two bundles have the same property, but names and versions repeat.
	own, _ := properties.NewPackage(r.pool.string(texts[1]), r.pool.version(texts[3]))
	return own
}

// twoTexts returns the names and values of a valid JSON object with exactly two string members
// without escapes.
func twoTexts(object []byte) (texts [4][]byte, ok bool) {
	const between = "{:,:}"
	rest := object
	for i := range texts {
		from := bytes.IndexByte(rest, '"')
		if from < 0 || !isOnly(rest[:from], between[i]) {
			return texts, false
		}
		rest = rest[from+1:]
		to := bytes.IndexByte(rest, '"')
		if to < 0 || bytes.IndexByte(rest[:to], '\\') >= 0 {
			return texts, false
		}
		texts[i], rest = rest[:to], rest[to+1:]
	}
	return texts, isOnly(rest, between[len(texts)])
}

// isOnly reports whether a text is one character, apart from white space.
func isOnly(text []byte, c byte) bool {
	return len(text) == 1 && text[0] == c || len(text) > 1 && string(bytes.TrimSpace(text)) == string(rune(c))
}

// tooLargeProperty reports a property over its size limit, unless properties of its type are
// dropped. The type is only recognized if it comes first, as in nearly all catalogs.
func (r *reading) tooLargeProperty(raw []byte, at span, bundle string) {
	typ := ""
	for name, v := range quickjson.All(raw[:min(len(raw), maxShared)]) {
		if value := v.Of(raw); string(name) == "type" && value[0] == '"' {
			typ = string(quickjson.Unquote(value))
		}
		break
	}
	if !slices.Contains(r.opts.Drop, typ) {
		r.flaw(CodeTooLarge, at.From, "a property %s of bundle %q has more than %d bytes: shorten it", typ, bundle, r.opts.MaxPropertyBytes)
	}
}

// cause returns the innermost error about the property.
func cause(err error) error {
	var e *properties.Error
	if errors.As(err, &e) {
		return e
	}
	return err
}
