package read

import (
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
)

// deprecated keeps the entries of an olm.deprecations blob. Whatever is wrong
// with them costs only a warning to users.
func (r *reading) deprecated() {
	pkg := r.string(fieldPackage)
	if !r.placed(pkg, "package", pkg) {
		return
	}
	for i, at := range r.array(fieldEntries) {
		if r.stopped(i) {
			return
		}
		raw := at.Of(r.blob.Raw)
		if raw[0] != '{' {
			r.flaw(CodeFieldType, at.From, "an entry of an olm.deprecations blob must be an object with a reference and a message, not %s", quickjson.KindOf(raw))
			continue
		}
		d := graph.DeprecationDecl{Pos: graph.Pos{File: r.file, Line: r.blob.LineAt(at.From)}}
		var reference []byte
		var seen seen
		for name, v := range quickjson.Members(raw) {
			switch string(quickjson.Unquote(name)) {
			case "reference":
				if r.once(&seen, 0, "reference", at.From+v.From) {
					reference = v.Of(raw)
				}
			case "message":
				r.member(&seen, 1, "message", v.Of(raw), at.From+v.From, &d.Message)
			}
		}
		if r.reference(reference, at.From, &d) {
			p := r.pkg(pkg)
			p.Deprecations = append(p.Deprecations, d)
		}
	}
	r.report(pkg)
}

// reference reads what an entry of an olm.deprecations blob is about.
func (r *reading) reference(raw []byte, offset int, d *graph.DeprecationDecl) bool {
	if len(raw) == 0 || raw[0] != '{' {
		r.flaw(CodeFieldType, offset, "an entry of an olm.deprecations blob must have a reference with a schema and a name")
		return false
	}
	var seen seen
	for name, v := range quickjson.Members(raw) {
		switch string(quickjson.Unquote(name)) {
		case "schema":
			r.member(&seen, 0, "schema of a reference", v.Of(raw), offset, &d.Schema)
		case "name":
			r.member(&seen, 1, "name of a reference", v.Of(raw), offset, &d.Name)
		}
	}
	return true
}
