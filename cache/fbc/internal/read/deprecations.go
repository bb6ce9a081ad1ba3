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
	p := r.pkg(pkg)
	p.DeprecationBlobs = append(p.DeprecationBlobs, r.pos())
	list := r.array(fieldEntries)
	for i := range list {
		if r.stopped(i) {
			return
		}
		it := &list[i]
		if raw := it.Of(r.blob.Raw); raw[0] != '{' {
			r.flaw(CodeFieldType, it.From, "an entry of an olm.deprecations blob must be an object with a reference and a message, not %s", quickjson.KindOf(raw))
			continue
		}
		r.repeated(it, "", memberReference, memberMessage)
		d := graph.DeprecationDecl{Pos: graph.Pos{File: r.file, Line: r.blob.LineAt(it.From)}, Message: r.text(it, memberMessage, "")}
		if r.reference(it, &d) {
			p.Deprecations = append(p.Deprecations, d)
		}
	}
	r.report(pkg)
}

// reference reads what an entry of an olm.deprecations blob is about.
func (r *reading) reference(entry *item, d *graph.DeprecationDecl) bool {
	it := item{span: entry.members[memberReference]}
	in, ok := r.scanned.scanner.Open(it.From)
	if it.To == 0 || !ok || r.blob.Raw[it.From] != '{' {
		r.flaw(CodeFieldType, entry.From, "an entry of an olm.deprecations blob must have a reference with a schema and a name")
		return false
	}
	r.scanned.membersOf(&in, &it)
	r.repeated(&it, " of a reference", memberSchema, memberName)
	d.Schema, d.Name = r.text(&it, memberSchema, " of a reference"), r.text(&it, memberName, " of a reference")
	return true
}
