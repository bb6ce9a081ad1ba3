package graph

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
)

// deprecations marks the targets of olm.deprecations entries. They change no answer, only add
// warnings (section 3 of the semantics), so their flaws are at most warnings.
func (b *builder) deprecations(decls []DeprecationDecl, blobs []Pos) {
	for _, again := range blobs[min(1, len(blobs)):] {
		b.refuse("", "", codeDeprecationsSeveral, again, fmt.Sprintf(
			"package %q has another olm.deprecations blob, the first is at %s: merge the two", b.pkg.Name, blobs[0]))
	}
	for i := range decls {
		d := &decls[i]
		flag, message, problem := b.deprecated(d)
		switch {
		case flag == nil:
			problem.Severity, problem.Code = SeverityWarning, codeDeprecationUnknown
			b.report(problem, d.Pos)
		case *flag:
			problem.Severity, problem.Code = SeverityWarning, codeDeprecationDuplicate
			problem.Message = fmt.Sprintf("%s %q of package %q is deprecated more than once: only the first message counts", d.Schema, d.Name, b.pkg.Name)
			b.report(problem, d.Pos)
		default:
			*flag, *message = true, d.Message
		}
	}
}

// deprecated returns the fields of the target of an entry, or nil and the problem to report.
func (b *builder) deprecated(d *DeprecationDecl) (flag *bool, message *string, problem Problem) {
	switch d.Schema {
	case SchemaPackage:
		if d.Name == "" || d.Name == b.pkg.Name {
			return &b.pkg.Deprecated, &b.pkg.Deprecation, problem
		}
	case SchemaChannel:
		problem.Channel = d.Name
		if c := b.pkg.Channel(d.Name); c != nil {
			return &c.Deprecated, &c.Deprecation, problem
		}
	case SchemaBundle:
		problem.Bundle = d.Name
		if bundle := b.pkg.Bundle(d.Name); bundle != nil {
			return &bundle.Deprecated, &bundle.Deprecation, problem
		}
	default:
		problem.Message = fmt.Sprintf("a deprecation of package %q references the schema %s: only %s, %s and %s can be deprecated",
			b.pkg.Name, text.Quote(text.Clip(d.Schema, maxQuoted)), SchemaPackage, SchemaChannel, SchemaBundle)
		return nil, nil, problem
	}
	problem.Message = fmt.Sprintf("a deprecation of package %q references %s %q, which is not there: correct the name, or remove the entry",
		b.pkg.Name, d.Schema, d.Name)
	return nil, nil, problem
}
