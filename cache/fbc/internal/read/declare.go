package read

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// SchemaDeprecations is the schema of the blobs that list deprecations.
const SchemaDeprecations = "olm.deprecations"

// reading decodes one blob and collects its flaws. The positions of its values are in scanned.
type reading struct {
	*Collector
	line   int // its first line
	schema string
	flaws  []graph.Flaw
	more   int // number of dropped flaws
	runs   runs
	crds   []properties.CRD // from the manifests of the bundle, by name; then the other owned ones
	// described is its metadata, which describes the owned definitions.
	described []byte
	about     *properties.Metadata // its annotations and labels, if they are kept
}

// declare decodes the scanned blob.
func (s *Collector) declare() {
	r := &s.reading
	*r = reading{Collector: s, line: s.current.LineAt(s.scanned.From)}
	switch raw := r.raw(s.scanned.values[nameSchema]); {
	case len(raw) == 0 || isNull(raw):
		s.fail(CodeSchemaMissing, r.line, "this blob has no schema, and is ignored: add one, such as olm.bundle")
		return
	case raw[0] != '"':
		s.fail(CodeFieldType, s.current.LineAt(s.scanned.values[nameSchema].From), "the schema of a blob must be a string, not %s; this blob is ignored", quickjson.KindOf(raw))
		return
	default:
		r.schema = s.pool.string(quickjson.Unquote(raw))
	}
	var keep func()
	switch r.schema {
	case graph.SchemaPackage:
		keep = r.definition
	case graph.SchemaChannel:
		keep = r.channel
	case graph.SchemaBundle:
		keep = r.bundle
	case SchemaDeprecations:
		keep = r.deprecated
	case "":
		s.fail(CodeSchemaMissing, r.line, "this blob has an empty schema, and is ignored: set one, such as olm.bundle")
		return
	case SchemaFindings:
		if s.opts.Exact && !s.inFindings {
			r.takeFindings()
			return
		}
	}
	switch {
	case keep == nil:
		r.foreign()
	case !r.tooLarge():
		r.repeated(&s.scanned.object, "", nameSchema, nameName, namePackage, nameImage, nameDefaultChannel, nameEntries, nameProperties, nameRelatedImages)
		keep()
	}
}

// foreign counts a blob with an unknown schema, and reports one that is close to a known schema.
func (r *reading) foreign() {
	r.meter.Foreign()
	near := nearSchema(r.schema)
	if near == "" {
		return
	}
	texts := [2]string{}
	for i, n := range [...]name{nameName, namePackage} {
		if raw := r.raw(r.scanned.values[n]); len(raw) > 0 && raw[0] == '"' && len(raw) <= r.opts.MaxNameBytes {
			texts[i] = string(quickjson.Unquote(raw))
		}
	}
	r.Problem(graph.Problem{Severity: graph.SeverityError, Code: CodeSchemaUnknown, Package: texts[1], Line: r.line,
		Message: fmt.Sprintf("%s has the unknown schema %q, and is ignored; did you mean %s?", blobName(texts[0]), r.schema, near)})
}

// blobName returns the subject of a sentence about a blob.
func blobName(name string) string {
	if name == "" {
		return "this blob"
	}
	return fmt.Sprintf("blob %q", name)
}

// tooLarge reports and drops a blob whose name is too long, or which has too many items.
func (r *reading) tooLarge() bool {
	for _, n := range [...]name{nameName, namePackage, nameDefaultChannel} {
		if at := r.scanned.values[n]; at.To-at.From > r.opts.MaxNameBytes {
			r.fail(CodeTooLarge, r.current.LineAt(at.From), "the field %s of this %s blob has more than %d bytes, and the blob is ignored: shorten it", names[n], r.schema, r.opts.MaxNameBytes)
			return true
		}
	}
	for _, n := range [...]name{nameEntries, nameProperties} {
		if len(*r.scanned.list(n)) > r.opts.MaxItems {
			r.fail(CodeTooLarge, r.line, "this %s blob has more than %d %s, and is ignored", r.schema, r.opts.MaxItems, names[n])
			return true
		}
	}
	return false
}

// raw returns a part of the blob.
func (r *reading) raw(at span) []byte { return at.Of(r.current.Raw) }

// pos returns the position of the blob.
func (r *reading) pos() graph.Pos { return graph.Pos{File: r.file, Line: r.line} }

// flaw records a flaw of the blob.
func (r *reading) flaw(code graph.Code, offset int, format string, args ...any) {
	r.add(graph.Flaw{Code: code, Line: r.current.LineAt(offset), Message: fmt.Sprintf(format, args...)})
}

// refuse records a flaw that opm refuses and a resolution can ignore.
func (r *reading) refuse(code graph.Code, offset int, format string, args ...any) {
	r.add(graph.Flaw{Code: code, Line: r.current.LineAt(offset), Message: fmt.Sprintf(format, args...), Harmless: true})
}

// add records a flaw, unless there are too many already.
func (r *reading) add(f graph.Flaw) {
	if len(r.flaws) >= r.opts.MaxProblems {
		r.more++
		return
	}
	r.flaws = append(r.flaws, f)
}

// found returns the flaws.
func (r *reading) found() []graph.Flaw {
	if r.more > 0 {
		r.flaws = append(r.flaws, graph.Flaw{Code: "moreProblems",
			Message: fmt.Sprintf("there are %d further problems here: correct the first %d, and read it again", r.more, len(r.flaws))})
		r.more = 0
	}
	return r.flaws
}

// report reports the flaws of a blob that quarantine nothing, or whose target is unknown, as
// problems.
func (r *reading) report(pkg string) {
	for _, f := range r.found() {
		r.Problem(graph.Problem{Severity: graph.SeverityError, Code: f.Code, Package: pkg, Line: f.Line, Message: f.Message})
	}
}

// stopped reports whether the context ended, which stops the decoding of a blob. It checks at
// intervals.
func (r *reading) stopped(i int) bool { return i%checkEvery == checkEvery-1 && r.ctx.Err() != nil }

// of names the owner of a member: an object, or the blob if the name is empty.
func (r *reading) of(object string) string {
	if object == "" {
		object = "this " + r.schema + " blob"
	}
	return object
}

// repeated reports duplicate members of an object: in the blob at the first occurrence, and in an
// item at the second.
func (r *reading) repeated(o *object, of string, members ...name) {
	if !o.twice {
		return
	}
	var seen [nameCount]bool
	for text, v := range quickjson.All(r.raw(o.span)) {
		n := nameOf(text)
		if !slices.Contains(members, n) {
			continue
		}
		if seen[n] {
			at := o.From + v.From
			if of == "" {
				at = o.values[n].From
			}
			r.flaw(CodeFieldDuplicate, at, "the field %s of %s is given more than once: remove all but one", names[n], r.of(of))
		}
		seen[n] = true
	}
}

// text returns a member that is a string, or "" if it is absent. Another type is a flaw.
func (r *reading) text(o *object, n name, of string) string {
	raw := r.raw(o.values[n])
	switch {
	case len(raw) == 0 || isNull(raw):
		return ""
	case raw[0] == '"':
		return r.pool.string(quickjson.Unquote(raw))
	}
	r.flaw(CodeFieldType, o.values[n].From, "the field %s of %s must be a string, not %s", names[n], r.of(of), quickjson.KindOf(raw))
	return ""
}

// string returns a string member of the blob.
func (r *reading) string(n name) string { return r.text(&r.scanned.object, n, "") }

// array returns the items of a list, or none if it is absent. Another type is a flaw.
func (r *reading) array(n name) []object {
	raw := r.raw(r.scanned.values[n])
	if len(raw) > 0 && raw[0] != '[' && !isNull(raw) {
		r.flaw(CodeFieldType, r.scanned.values[n].From, "the field %s of %s must be an array, not %s", names[n], r.of(""), quickjson.KindOf(raw))
	}
	return *r.scanned.list(n)
}

// isObject reports whether an item is an object. Another type is a flaw.
func (r *reading) isObject(o *object, what string) bool {
	raw := r.raw(o.span)
	if raw[0] != '{' {
		r.flaw(CodeFieldType, o.From, "%s, not %s", what, quickjson.KindOf(raw))
	}
	return raw[0] == '{'
}

// placed reports and drops a blob that lacks a required field, with its other flaws.
func (r *reading) placed(pkg, what string, values ...string) bool {
	if !slices.Contains(values, "") {
		return true
	}
	of := ""
	if pkg != "" {
		of = fmt.Sprintf(" of package %q", pkg)
	}
	r.report(pkg)
	r.Problem(graph.Problem{Severity: graph.SeverityError, Code: CodeFieldMissing, Package: pkg, Line: r.line,
		Message: fmt.Sprintf("this %s blob%s has no %s, and is ignored: add it", r.schema, of, what)})
	return false
}

// definition decodes an olm.package blob. A default channel of a wrong type is ignored.
func (r *reading) definition() {
	name := r.string(nameName)
	if !r.placed(name, "name", name) {
		return
	}
	d := graph.DefinitionDecl{Pos: r.pos(), Flaws: r.found()}
	r.flaws = nil
	d.DefaultChannel = r.string(nameDefaultChannel)
	r.report(name)
	p := r.pkg(name)
	p.Definitions = append(p.Definitions, d)
}
