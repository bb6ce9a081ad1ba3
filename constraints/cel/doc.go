// Package cel compiles and evaluates the rules of "cel" constraints.
//
// A rule is an expression of the Common Expression Language that must be a
// boolean. It sees two variables, properties (those of the bundle under test)
// and cluster (those of the cluster), both lists of maps with the keys "type"
// and "value"; the standard functions and macros; and
//
//	semver_compare(a, b)
//
// which compares two versions and gives -1, 0 or 1, or an error where one of
// them is no version (section 3 of the semantics). Numbers in property values
// are doubles, as they are for Operator Lifecycle Manager, and compare with
// integer literals by value.
//
// Rules come from catalogs and so from strangers. Each evaluation is bounded
// in cost and can be interrupted; what the language leaves unbounded between
// two interruption points (string and list concatenation, deep equality,
// regular expressions) is bounded on top of that. A rule that hits a bound is
// in error, and a rule in error matches nothing.
//
// [Program.Needs] tells from the text of a rule which bundles can match it at
// all, so that most need not be tested.
//
// No type of the library that does the work is part of the API.
package cel
