package read

import "github.com/seed109e2655/resolute/graph"

// deprecated decodes the entries of an olm.deprecations blob. A flaw of an entry costs only its
// warning.
func (r *reading) deprecated() {
	pkg := r.string(namePackage)
	if !r.placed(pkg, "package", pkg) {
		return
	}
	p := r.pkg(pkg)
	p.DeprecationBlobs = append(p.DeprecationBlobs, r.pos())
	list := r.array(nameEntries)
	for i := range list {
		o := &list[i]
		if r.stopped(i) {
			return
		}
		if !r.isObject(o, "an entry of an olm.deprecations blob must be an object with a reference and a message") {
			continue
		}
		r.repeated(o, "an entry", nameReference, nameMessage)
		d := graph.DeprecationDecl{Pos: graph.Pos{File: r.file, Line: r.current.LineAt(o.From)}, Message: r.text(o, nameMessage, "an entry")}
		if r.reference(o, &d) {
			p.Deprecations = append(p.Deprecations, d)
		}
	}
	r.report(pkg)
}

// reference decodes the target of an entry of an olm.deprecations blob.
func (r *reading) reference(entry *object, d *graph.DeprecationDecl) bool {
	const of = "a reference"
	o := object{span: entry.values[nameReference]}
	in, ok := r.scanned.scanner.Open(o.From)
	if o.To == 0 || !ok || r.current.Raw[o.From] != '{' {
		r.flaw(CodeFieldType, entry.From, "an entry of an olm.deprecations blob must have a reference with a schema and a name")
		return false
	}
	r.scanned.members(&in, &o, false)
	r.repeated(&o, of, nameSchema, nameName)
	d.Schema, d.Name = r.text(&o, nameSchema, of), r.text(&o, nameName, of)
	return true
}
