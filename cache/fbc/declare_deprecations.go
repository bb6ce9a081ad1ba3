package fbc

import "github.com/seed109e2655/resolute/graph"

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
		raw := at.of(r.blob.raw)
		if raw[0] != '{' {
			r.flaw(CodeFieldType, at.from, "an entry of an olm.deprecations blob must be an object with a reference and a message, not %s", kindOf(raw))
			continue
		}
		d := graph.DeprecationDecl{Pos: graph.Pos{File: r.file, Line: r.blob.lineAt(at.from)}}
		var reference []byte
		var seen seen
		members(r.inner, raw, func(name []byte, v span) {
			switch string(name) {
			case `"reference"`:
				if r.once(&seen, 0, "reference", at.from+v.from) {
					reference = v.of(raw)
				}
			case `"message"`:
				r.member(&seen, 1, "message", v.of(raw), at.from+v.from, &d.Message)
			}
		})
		if r.reference(reference, at.from, &d) {
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
	members(r.inner, raw, func(name []byte, v span) {
		switch string(name) {
		case `"schema"`:
			r.member(&seen, 0, "schema of a reference", v.of(raw), offset, &d.Schema)
		case `"name"`:
			r.member(&seen, 1, "name of a reference", v.of(raw), offset, &d.Name)
		}
	})
	return true
}
