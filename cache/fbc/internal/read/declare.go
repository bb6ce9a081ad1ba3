package read

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// SchemaDeprecations is the schema of the blobs that name what is deprecated.
const SchemaDeprecations = "olm.deprecations"

// reading is one blob while it is being understood: where its values are, and what was
// found wrong with it.
type reading struct {
	*Collector
	blob   *Blob
	all    span // the object
	line   int  // where it begins
	schema string
	flaws  []graph.Flaw
	more   int // flaws that were not kept
	runs   runs
	crds   []properties.CRD // among the manifests of the bundle, by name; then what else it owns
	// described are the definitions that its metadata describes.
	described []byte
}

// declare keeps what the blob declares that was just scanned.
func (s *Collector) declare(all span) {
	b, r := &s.current, &s.reading
	*r = reading{Collector: s, blob: b, all: all, line: b.LineAt(all.From)}
	at := s.scanned.values[fieldSchema]
	if at.To == 0 || isNull(at.Of(b.Raw)) {
		r.Problem(graph.Problem{Severity: graph.SeverityError, Code: CodeSchemaMissing, Line: r.line,
			Message: "this blob has no schema, and is left out: add one, such as olm.bundle"})
		return
	}
	if b.Raw[at.From] != '"' {
		r.Problem(graph.Problem{Severity: graph.SeverityError, Code: CodeFieldType, Line: b.LineAt(at.From),
			Message: fmt.Sprintf("the schema of a blob must be a string, not %s; this blob is left out", quickjson.KindOf(at.Of(b.Raw)))})
		return
	}
	r.schema = r.unquote(at.Of(r.blob.Raw))
	if r.tooLarge() {
		return
	}
	switch r.schema {
	case graph.SchemaPackage:
		r.twice()
		r.definition()
	case graph.SchemaChannel:
		r.twice()
		r.channel()
	case graph.SchemaBundle:
		r.twice()
		r.bundle()
	case SchemaDeprecations:
		r.twice()
		r.deprecated()
	case "":
		r.Problem(graph.Problem{Severity: graph.SeverityError, Code: CodeSchemaMissing, Line: r.line,
			Message: "this blob has an empty schema, and is left out: set one, such as olm.bundle"})
	default:
		if r.schema == SchemaFindings && r.opts.Exact && !s.asideNow {
			r.takeFindings()
			return
		}
		s.meter.Foreign()
	}
}

// tooLarge reports a blob of a catalog's schema that is left out because it has a
// name that is too long, or too many items.
func (r *reading) tooLarge() bool {
	switch r.schema {
	case graph.SchemaPackage, graph.SchemaChannel, graph.SchemaBundle, SchemaDeprecations:
	default:
		return false
	}
	for _, f := range [...]field{fieldName, fieldPackage, fieldDefaultChannel} {
		if at := r.scanned.values[f]; at.To-at.From > r.opts.MaxNameBytes {
			r.Problem(graph.Problem{Severity: graph.SeverityError, Code: CodeTooLarge, Line: r.blob.LineAt(at.From),
				Message: fmt.Sprintf("the field %s of this %s blob has more than %d bytes, and the blob is left out: shorten it", fieldNames[f], r.schema, r.opts.MaxNameBytes)})
			return true
		}
	}
	for _, f := range [...]field{fieldEntries, fieldProperties} {
		if n := len(r.scanned.items[f]); n > r.opts.MaxItems {
			r.Problem(graph.Problem{Severity: graph.SeverityError, Code: CodeTooLarge, Line: r.line,
				Message: fmt.Sprintf("this %s blob has more than %d %s, and is left out", r.schema, r.opts.MaxItems, fieldNames[f])})
			return true
		}
	}
	return false
}

// pos returns the place of the blob.
func (r *reading) pos() graph.Pos { return graph.Pos{File: r.file, Line: r.line} }

// flaw notes what is wrong with the blob.
func (r *reading) flaw(code graph.Code, offset int, format string, args ...any) {
	r.add(graph.Flaw{Code: code, Line: r.blob.LineAt(offset), Message: fmt.Sprintf(format, args...)})
}

// refuse notes what opm refuses and a resolution can use all the same.
func (r *reading) refuse(code graph.Code, offset int, format string, args ...any) {
	r.add(graph.Flaw{Code: code, Line: r.blob.LineAt(offset), Message: fmt.Sprintf(format, args...), Harmless: true})
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

// twice notes the fields that the blob has more than once.
func (r *reading) twice() {
	for _, f := range r.scanned.twice {
		r.flaw(CodeFieldDuplicate, r.scanned.values[f].From, "the field %s of this %s blob is given more than once: remove all but one", fieldNames[f], r.schema)
	}
}

// unquote returns what a JSON string stands for.
func (r *reading) unquote(quoted []byte) string {
	return r.pool.string(quickjson.Unquote(quoted))
}

// string returns the value of a field that is a string, or "" if it is absent
// or, which is a flaw, something else.
func (r *reading) string(f field) string {
	at := r.scanned.values[f]
	raw := at.Of(r.blob.Raw)
	switch {
	case len(raw) == 0 || isNull(raw):
		return ""
	case raw[0] == '"':
		return r.unquote(at.Of(r.blob.Raw))
	}
	r.flaw(CodeFieldType, at.From, "the field %s of this %s blob must be a string, not %s", fieldNames[f], r.schema, quickjson.KindOf(raw))
	return ""
}

// unshared is string for a field of which no two blobs have the same value.
func (r *reading) unshared(f field) string {
	raw := r.scanned.values[f].Of(r.blob.Raw)
	if len(raw) > 0 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	return r.string(f)
}

// array returns the items of a field that is an array, or none if it is absent
// or, which is a flaw, something else.
func (r *reading) array(f field) []item {
	at := r.scanned.values[f]
	raw := at.Of(r.blob.Raw)
	if len(raw) > 0 && !r.scanned.array[f] && !isNull(raw) {
		r.flaw(CodeFieldType, at.From, "the field %s of this %s blob must be an array, not %s", fieldNames[f], r.schema, quickjson.KindOf(raw))
	}
	return r.scanned.items[f]
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
	name := r.string(fieldName)
	if !r.placed(name, "name", name) {
		return
	}
	d := graph.DefinitionDecl{Pos: r.pos(), Flaws: r.found()}
	r.flaws = nil
	d.DefaultChannel = r.string(fieldDefaultChannel)
	r.report(name)
	p := r.pkg(name)
	p.Definitions = append(p.Definitions, d)
}
