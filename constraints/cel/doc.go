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
// Rules come from catalogs and so from strangers. The library counts what each step
// costs, and ends an evaluation that has spent its limit or whose context ends; nothing
// that a rule does with errors can hide that. What the library charges for only after it
// is done, or not at all, is paid before it is done: reading properties, comparing and
// joining lists and maps, matching regular expressions, looking something up. What is
// done in one go is bounded on top of that. A rule that hits a bound is in error, and a
// rule in error matches nothing.
//
// A rule gives the same answer on every machine, every time: maps are gone
// through in the order of their keys, no file or environment variable is read,
// and there are no time zones but UTC and fixed offsets as "+02:00".
//
// [Program.Needs] says which bundles can match a rule at all, read off its
// text, so that most need not be tested.
//
// No type of the library that does the work is part of the API.
package cel
