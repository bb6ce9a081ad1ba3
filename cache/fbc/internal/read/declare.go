package read

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// SchemaDeprecations is the schema of the blobs that name what is deprecated.
const SchemaDeprecations = "olm.deprecations"

// reading is one blob while it is being understood, and what was found wrong with it.
// Where its values are is in what was scanned.
type reading struct {
	*Collector
	line   int // where it begins
	schema string
	flaws  []graph.Flaw
	more   int // flaws that were not kept
	runs   runs
	crds   []properties.CRD // among the manifests of the bundle, by name; then what else it owns
	// described is its metadata, which describes the definitions that it owns.
	described []byte
	about     *properties.Metadata // its annotations and labels, if they are kept
}

// declare keeps what the blob declares that was just scanned.
func (s *Collector) declare() {
	r := &s.reading
	*r = reading{Collector: s, line: s.current.LineAt(s.scanned.From)}
	switch raw := r.raw(s.scanned.values[nameSchema]); {
	case len(raw) == 0 || isNull(raw):
		s.fail(CodeSchemaMissing, r.line, "this blob has no schema, and is left out: add one, such as olm.bundle")
		return
	case raw[0] != '"':
		s.fail(CodeFieldType, s.current.LineAt(s.scanned.values[nameSchema].From), "the schema of a blob must be a string, not %s; this blob is left out", quickjson.KindOf(raw))
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
		s.fail(CodeSchemaMissing, r.line, "this blob has an empty schema, and is left out: set one, such as olm.bundle")
		return
	case SchemaFindings:
		if s.opts.Exact && !s.asideNow {
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

// foreign counts a blob of another schema, and reports one that is near a known schema.
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

// blobName is how a sentence about a blob begins.
func blobName(name string) string {
	if name == "" {
		return "this blob"
	}
	return fmt.Sprintf("blob %q", name)
}

// tooLarge reports a blob that is left out because it has a name that is too long, or too
// many items.
func (r *reading) tooLarge() bool {
	for _, n := range [...]name{nameName, namePackage, nameDefaultChannel} {
		if at := r.scanned.values[n]; at.To-at.From > r.opts.MaxNameBytes {
			r.fail(CodeTooLarge, r.current.LineAt(at.From), "the field %s of this %s blob has more than %d bytes, and the blob is left out: shorten it", names[n], r.schema, r.opts.MaxNameBytes)
			return true
		}
	}
	for _, n := range [...]name{nameEntries, nameProperties} {
		if len(*r.scanned.list(n)) > r.opts.MaxItems {
			r.fail(CodeTooLarge, r.line, "this %s blob has more than %d %s, and is left out", r.schema, r.opts.MaxItems, names[n])
			return true
		}
	}
	return false
}

// raw returns a part of the blob.
func (r *reading) raw(at span) []byte { return at.Of(r.current.Raw) }

// pos returns the place of the blob.
func (r *reading) pos() graph.Pos { return graph.Pos{File: r.file, Line: r.line} }

// flaw notes what is wrong with the blob.
func (r *reading) flaw(code graph.Code, offset int, format string, args ...any) {
	r.add(graph.Flaw{Code: code, Line: r.current.LineAt(offset), Message: fmt.Sprintf(format, args...)})
}

// refuse notes what opm refuses and a resolution can use all the same.
func (r *reading) refuse(code graph.Code, offset int, format string, args ...any) {
	r.add(graph.Flaw{Code: code, Line: r.current.LineAt(offset), Message: fmt.Sprintf(format, args...), Harmless: true})
}

// add notes a flaw, unless there are too many already.
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

// report turns the flaws of a blob that quarantine nothing, or whose target is
// unknown, into problems.
func (r *reading) report(pkg string) {
	for _, f := range r.found() {
		r.Problem(graph.Problem{Severity: graph.SeverityError, Code: f.Code, Package: pkg, Line: f.Line, Message: f.Message})
	}
}

// stopped reports whether the context ended, which ends the reading of a blob
// that is half read: it looks now and then.
func (r *reading) stopped(i int) bool { return i%checkEvery == checkEvery-1 && r.ctx.Err() != nil }

// of says what a member is of: an object as it is called, or if it is not, the blob.
func (r *reading) of(object string) string {
	if object == "" {
		object = "this " + r.schema + " blob"
	}
	return object
}

// repeated notes which of some members an object has more than once: in the blob where it
// stands first, and in an item where it stands again.
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

// text returns a member that is a string, or "" if it is absent or, which is a flaw,
// something else.
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

// string is text for a member of the blob.
func (r *reading) string(n name) string { return r.text(&r.scanned.object, n, "") }

// array returns the items of a list, or none if it is absent or, which is a flaw,
// something else.
func (r *reading) array(n name) []object {
	raw := r.raw(r.scanned.values[n])
	if len(raw) > 0 && raw[0] != '[' && !isNull(raw) {
		r.flaw(CodeFieldType, r.scanned.values[n].From, "the field %s of %s must be an array, not %s", names[n], r.of(""), quickjson.KindOf(raw))
	}
	return *r.scanned.list(n)
}

// isObject reports whether an item is an object; that it is not is a flaw.
func (r *reading) isObject(o *object, what string) bool {
	raw := r.raw(o.span)
	if raw[0] != '{' {
		r.flaw(CodeFieldType, o.From, "%s, not %s", what, quickjson.KindOf(raw))
	}
	return raw[0] == '{'
}

// placed reports a blob that cannot be kept because a field is missing, with all else
// that is wrong with it.
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
		Message: fmt.Sprintf("this %s blob%s has no %s, and is left out: add it", r.schema, of, what)})
	return false
}

// definition keeps an olm.package blob. A default channel of a wrong type
// costs only the default.
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
