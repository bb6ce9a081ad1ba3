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
// Rules come from catalogs and are untrusted. Each step is charged before it is done, by
// the size of what it touches, and an evaluation ends when its limit is exhausted or its
// context ends; nothing that a rule does with errors can hide that. What is done in one go
// is bounded on top of that: comparing and joining lists and maps, compiling and matching
// regular expressions, looking something up. A rule that hits a bound is in error, and a
// rule in error matches nothing.
//
// A rule gives the same answer on every machine, every time: maps are gone
// through in the order of their keys, no file or environment variable is read,
// and there are no time zones but UTC and fixed offsets as "+02:00".
//
// [Program.Needs] says which bundles can match a rule at all, read off its
// text, so that most need not be tested.
//
// Importing the package registers its compiler in package constraints.
//
// No type of the library that does the work is part of the API.
package cel
