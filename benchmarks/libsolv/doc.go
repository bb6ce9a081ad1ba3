// Package libsolv puts resolution problems to libsolv, the solver of several
// Linux distributions, so that both can be measured on the same instance and
// held against each other.
//
// [Translate] makes a [Testcase] of a request: repositories in the testtags
// format and a testcase that the program testsolv runs. [Run] runs it.
//
// # How a request is written
//
// The translation has a solution exactly if the request has one.
//
//	bundle                   package "name version-release"; of bundles that can never
//	                         be chosen only the installed ones are there
//	catalog and priority     repository and its priority
//	one bundle of a package  libsolv's own rule for packages of one name
//	package and range        versioned requirement (a >= 1.0.0 + a < 2.0.0) where all
//	                         versions of the package and the range are plain numbers;
//	                         else a name that each matching bundle provides
//	GVK                      provided name; where several packages provide it, each
//	                         also conflicts with it
//	CEL, label, compounds    evaluated beforehand: a name that each match provides
//	under PerBundle
//	all, any                 rich dependencies: (a & (b | c))
//	not                      conflict; deeper down an auxiliary package that conflicts
//	                         with what must not be, and is required in its place
//	subscription             job: install one of its candidates
//	installed bundle         package of the system repository; job: install that very
//	                         one, or one of the candidates of its subscription
//	cluster API              nothing: what requires it is met
//
// # What cannot be written
//
// Which solution is the best. libsolv prefers the highest version and the
// repository of the highest priority, and has no notion of channels, of a
// catalog's own bundles first, or of the order of subscriptions. The policies
// Goal and Deprecations, which only prefer, therefore make no difference, and
// [Translate] refuses Partial. Forced bundles and constraints of the caller, which
// no file can ask for, are refused as well.
package libsolv
