package read

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// bundle keeps an olm.bundle blob.
func (r *reading) bundle() {
	d := graph.BundleDecl{Name: r.listedName(), Image: r.unshared(fieldImage), Pos: r.pos()}
	pkg := r.packageName()
	r.list, r.lines, r.manifests = r.list[:0], r.lines[:0], r.manifests[:0]
	lines := r.blob.ManyLines()
	r.outline.previous.forget()
	for i, at := range r.array(fieldProperties) {
		if r.stopped(i) {
			return
		}
		property := r.outline.known[i]
		if property == nil {
			property = r.property(at, d.Name)
		}
		if property == nil {
			continue
		}
		if r.opts.KeepMetadata || r.opts.KeepObjects {
			r.look(property.Type(), property.Raw(), at)
		}
		r.outline.previous.add(at.Of(r.blob.Raw), property)
		r.list = append(r.list, property)
		if lines {
			r.lines = append(r.lines, r.blob.LineAt(at.From))
		}
	}
	d.Properties = r.pool.interner.SetLike(r.outline.previous.set, r.list...)
	r.outline.previous.set = d.Properties
	d.Lines = slices.Clone(r.lines)
	clear(r.list)
	r.compatibility(&d, lines)
	if value, ok := d.Properties.Package(); pkg == "" && ok && d.Name != "" {
		pkg = value.Name
		r.flaw(CodeFieldMissing, 0, "bundle %q has no package: add the field, with %q as its %s property has it", d.Name, pkg, properties.TypePackage)
	}
	if !r.placed(pkg, "name or package", pkg, d.Name) {
		return
	}
	d.Flaws = r.found()
	p := r.pkg(pkg)
	if p.Bundles == nil {
		p.Bundles = make([]graph.BundleDecl, 0, expectedBundles(p))
	}
	p.Bundles = append(p.Bundles, d)
}

// listedName returns the name of the bundle, mostly the one that the first channel
// of its package lists at the same place as the package has the bundle.
func (r *reading) listedName() string {
	raw := r.outline.values[fieldName].Of(r.blob.Raw)
	if r.last != nil && len(r.last.Channels) > 0 && len(raw) > 0 && raw[0] == '"' {
		if entries, n := r.last.Channels[0].Entries, len(r.last.Bundles); n < len(entries) {
			return r.like(raw, entries[n].Name)
		}
	}
	return r.string(fieldName)
}

// expectedBundles returns how many bundles a package is likely to have: as many
// as its longest channel lists, but not as many as anybody might claim.
func expectedBundles(p *graph.PackageDecl) int {
	const most = 256
	n := 0
	for i := range p.Channels {
		n = max(n, len(p.Channels[i].Entries))
	}
	return min(n, most)
}

// property reads a property that is not known yet. It returns nil for one that
// is not kept, because it is wrong or not wanted.
func (r *reading) property(at span, bundle string) *properties.Property {
	raw := at.Of(r.blob.Raw)
	if raw[0] != '{' {
		r.flaw(CodeFieldType, at.From, "a property of bundle %q must be an object with a type and a value, not %s", bundle, quickjson.KindOf(raw))
		return nil
	}
	if len(raw) > r.opts.MaxPropertyBytes {
		r.tooLargeProperty(raw, at, bundle)
		return nil
	}
	if r.metadataAlone(raw, at) {
		return nil
	}
	typ, value, ok := r.typeAndValue(raw, at)
	switch {
	case !ok:
		return nil
	case typ != "" && !r.opts.keeps(typ):
		r.look(typ, value, at)
		return nil
	case quickjson.Deeper(value, r.opts.Limits.MaxDepth):
		r.flaw(CodeTooLarge, at.From, "the value of a property %s of bundle %q is nested deeper than %d levels", typ, bundle, r.opts.Limits.MaxDepth)
		return nil
	}
	property, err := r.pool.property(typ, value)
	if err != nil {
		r.add(graph.Flaw{Code: graph.CodePropertyInvalid, Property: typ, Line: r.blob.LineAt(at.From),
			Message: fmt.Sprintf("bundle %q has an invalid property: %v", bundle, cause(err))})
		return nil
	}
	return property
}

// tooLargeProperty notes a property that is larger than it may be, unless it is not
// wanted anyway. Its type counts if it comes first, as in nearly all catalogs.
func (r *reading) tooLargeProperty(raw []byte, at span, bundle string) {
	typ := ""
	for name, v := range quickjson.Members(raw[:min(len(raw), maxShared)]) {
		if value := v.Of(raw); string(quickjson.Unquote(name)) == "type" && value[0] == '"' {
			typ = string(quickjson.Unquote(value))
		}
		break
	}
	if !slices.Contains(r.opts.Drop, typ) {
		r.flaw(CodeTooLarge, at.From, "a property %s of bundle %q has more than %d bytes: if it can be trusted, raise MaxPropertyBytes", typ, bundle, r.opts.MaxPropertyBytes)
	}
}

// typeAndValue reads a property. ok is false if one of its members is wrong, which
// is a flaw.
func (r *reading) typeAndValue(raw []byte, at span) (typ string, value []byte, ok bool) {
	var seen seen
	before := len(r.flaws) + r.more
	for name, v := range quickjson.Members(raw) {
		switch string(quickjson.Unquote(name)) {
		case "type":
			r.member(&seen, 0, "type of a property", v.Of(raw), at.From+v.From, &typ)
		case "value":
			if r.once(&seen, 1, "value of a property", at.From+v.From) {
				value = v.Of(raw)
			}
		}
	}
	return typ, value, len(r.flaws)+r.more == before
}

// cause returns the error about the property itself.
func cause(err error) error {
	var e *properties.Error
	if errors.As(err, &e) {
		return e
	}
	return err
}
