// Package constraints holds what a bundle asks of others: the constraint
// language of section 3 of the semantics.
//
//	c, err := constraints.Parse([]byte(`{"any": {"constraints": [
//		{"package": {"packageName": "etcd", "versionRange": ">=0.9.0 <1.0.0"}},
//		{"gvk": {"group": "example.com", "version": "v1", "kind": "Database"}}
//	]}}`))
//	if err != nil {
//		log.Fatal(err)
//	}
//	fmt.Println("requires", c)
//	// Output:
//	// requires any of (package etcd in range >=0.9.0 <1.0.0; an operator that provides example.com/v1/Database)
//
// A [Constraint] is a formula. Its atoms are [GVK], [Package], [Label] and
// [CEL]; [All], [Any] and [Not] join them. A [Parser] reads formulas from the
// value of an "olm.constraint" property, strictly, and makes atoms of the
// simpler properties "olm.gvk.required", "olm.package.required" and
// "olm.label.required".
//
// Rules of CEL are compiled by package cel, which registers its compiler when it is imported:
//
//	import _ "github.com/seed109e2655/resolute/constraints/cel"
//
// Package fbc imports it. In a program that does not, a rule is an error that says so.
//
// A constraint prints itself in words, so that it can stand in a sentence
// that starts with "requires", and has a [Constraint.Key] that is equal for
// equal formulas. What a formula means for a whole result set is the
// resolver's business; an [Evaluator] reports whether one bundle satisfies it.
package constraints
