// Package cel compiles and evaluates the rules of "cel" constraints.
//
// A rule is an expression of the Common Expression Language with a boolean result. It can use
// two variables, properties (of the tested bundle) and cluster (the cluster's properties), both
// lists of maps with the keys "type" and "value"; the standard functions and macros; and
//
//	semver_compare(a, b)
//
// which compares two versions and returns -1, 0 or 1, or an error if one of them is not a valid
// version (section 3 of the semantics). Numbers in property values are doubles, as in Operator
// Lifecycle Manager, and compare with integer literals by value.
//
// Rules come from catalogs and are untrusted input. Each step is charged before it is executed,
// by the size of its operands. An evaluation ends when its limit is exhausted or its context
// ends, and no error handling in a rule can hide that. Operations that cannot be interrupted
// are also bounded individually: comparing and joining lists and maps, compiling and matching
// regular expressions, looking up keys. A rule that exceeds a bound fails, and a failed rule
// matches nothing.
//
// A rule has the same result on every machine, every time: maps are iterated in the order of
// their keys, no file or environment variable is read, and the only time zones are UTC and
// fixed offsets such as "+02:00".
//
// [Program.Needs] is a necessary condition for a bundle to match, derived from the text of the
// rule, so that most bundles need not be tested.
//
// Importing the package registers its compiler in package constraints.
//
// The API contains no type of the underlying library.
package cel
